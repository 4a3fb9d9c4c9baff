// A library to preload: in every program but hopscope, the clock of the day stands a day earlier, as if it had just been set back.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (next == NULL) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && strcmp(program_invocation_short_name, "hopscope") != 0) now->tv_sec -= 86400;
    return result;
}
