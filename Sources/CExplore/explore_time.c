// Clocks, and random numbers, which differ as little from order to order as time does.

#define _GNU_SOURCE
#include "explore_time.h"

#include "explore_players.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

enum { STEP_OF_TIME = 1000 };

EXPORTED uint64_t dispatch_time(uint64_t base, int64_t delta);
EXPORTED int clock_gettime(clockid_t clock, struct timespec *time);
EXPORTED int gettimeofday(struct timeval *restrict time, void *restrict zone);
EXPORTED time_t time(time_t *seconds);
EXPORTED int timespec_get(struct timespec *time, int base);
EXPORTED ssize_t getrandom(void *bytes, size_t count, unsigned flags);
EXPORTED void arc4random_buf(void *bytes, size_t count);

int64_t time_now(void) {
    return explore.has_virtual_time ? explore.now : explore_real_now();
}

int64_t time_of_wall(int64_t wall) {
    if (explore.has_virtual_time) return wall - explore.wall_base;
    struct timespec now = {0};
    explore_kernel(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0, 0, 0, 0);
    return explore_real_now() + wall - (now.tv_sec * 1000000000ll + now.tv_nsec);
}

int64_t time_nanoseconds(const struct timespec *time) {
    return time->tv_sec > INT64_MAX / 2000000000 ? INT64_MAX / 2 : time->tv_sec * 1000000000ll + time->tv_nsec;
}

int64_t time_of_clock(clockid_t clock, const struct timespec *time) {
    int64_t asked = time_nanoseconds(time);
    if (clock == CLOCK_REALTIME) return time_of_wall(asked);
    if (explore.has_virtual_time || clock == CLOCK_MONOTONIC) return asked;
    struct timespec now = {0};
    explore_kernel(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return explore_real_now() + asked - time_nanoseconds(&now);
}

int64_t time_of_dispatch(uint64_t time) {
    if (time == UINT64_MAX) return INT64_MAX;
    if (time == 0) return time_now();
    if (time >> 62 == 3) return time_of_wall(-(int64_t)time);
    return (int64_t)(time & ~(1ull << 63));
}

uint64_t dispatch_time(uint64_t base, int64_t delta) {
    bool is_virtual = explore.is_on && explore.has_virtual_time && !is_in(explore.dispatch, CALLER);
    // With bit 63 only, the base is the clock that counts sleep of the machine too.
    if (!is_virtual || (base != 0 && base != 1ull << 63)) return NEXT(dispatch_time)(base, delta);
    if (delta == INT64_MAX) return UINT64_MAX;
    return (uint64_t)(explore.now + delta);
}

/// Virtual time at a look at a clock. Each look lets a little time pass, or else a loop that waits for a time would never end.
static int64_t look(bool is_wall) {
    int64_t now = explore_this.player != NULL ? (explore.now += STEP_OF_TIME) : explore.now;
    return is_wall ? now + explore.wall_base : now;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    bool is_cpu = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    bool passes = is_in(explore.dispatch, CALLER) || is_recorders(CALLER);
    if (!explore.is_on || !explore.has_virtual_time || is_cpu || passes)
        return NEXT(clock_gettime)(clock, time);
    int64_t now = look(clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE);
    *time = (struct timespec){now / 1000000000, now % 1000000000};
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (!explore.is_on || !explore.has_virtual_time) return NEXT(gettimeofday)(time, zone);
    int64_t now = look(true);
    *time = (struct timeval){now / 1000000000, now % 1000000000 / 1000};
    return 0;
}

time_t time(time_t *seconds) {
    if (!explore.is_on || !explore.has_virtual_time) return NEXT(time)(seconds);
    time_t now = (time_t)(look(true) / 1000000000);
    if (seconds != NULL) *seconds = now;
    return now;
}

int timespec_get(struct timespec *time, int base) {
    if (!explore.is_on || !explore.has_virtual_time || base != TIME_UTC) return NEXT(timespec_get)(time, base);
    int64_t now = look(true);
    *time = (struct timespec){now / 1000000000, now % 1000000000};
    return base;
}

long time_fill(void *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) ((uint8_t *)bytes)[index] = (uint8_t)explore_random(&explore.program_chance);
    return (long)count;
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (!explore.is_on) return NEXT(getrandom)(bytes, count, flags);
    return time_fill(bytes, count);
}

void arc4random_buf(void *bytes, size_t count) {
    if (explore.is_on) time_fill(bytes, count);
    else NEXT(arc4random_buf)(bytes, count);
}
