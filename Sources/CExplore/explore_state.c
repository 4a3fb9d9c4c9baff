#define _GNU_SOURCE
#include "explore_state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

// Zero for the most part, so that the file has no room for it.
struct explore_state explore = {.lock = PTHREAD_MUTEX_INITIALIZER};
__thread struct explore_thread explore_this __attribute__((tls_model("initial-exec")));

long explore_kernel(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d,
                  x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#endif
}

void *explore_find_next(const char *name) {
    static const char *const libraries[] = {"libswift_Concurrency.so", "libdispatch.so"};
    void *function = dlsym(RTLD_NEXT, name);
    for (int index = 0; function == NULL && index < 2; index++) {
        void *library = dlopen(libraries[index], RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL) function = dlsym(library, name);
    }
    if (function == NULL) abort();
    return function;
}

// The types of the functions in other libraries that this one stands before.
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

void explore_lock(void) {
    NEXT(pthread_mutex_lock)(&explore.lock);
}

void explore_unlock(void) {
    NEXT(pthread_mutex_unlock)(&explore.lock);
}

uint64_t explore_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void explore_end(uint32_t ending) {
    explore.record->ending = ending;
    explore.record->blocked = (uint32_t)explore.blocked_count;
    _exit(97);
}
