// A library whose constructor waits for a lock of the program.

#include <pthread.h>
#include <stdlib.h>

static void *from_environment(const char *name) { return (void *)strtoull(getenv(name), NULL, 10); }

__attribute__((constructor)) static void wait_for_program(void) {
    pthread_mutex_t *lock = from_environment("ODD_LOCK");
    pthread_barrier_wait(from_environment("ODD_MEETING"));
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}
