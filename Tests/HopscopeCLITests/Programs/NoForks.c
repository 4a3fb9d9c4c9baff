// A library to preload: the system makes no more processes, after as many as FORKS says.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

pid_t fork(void) {
    static int made;
    const char *most = getenv("FORKS");
    if (most != NULL && made++ < atoi(most)) return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
    errno = EAGAIN;
    return -1;
}
