// Sleep: a timer of the order.

#define _GNU_SOURCE
#include "explore_time.h"
#include "explore_turns.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

EXPORTED int nanosleep(const struct timespec *asked, struct timespec *left);
EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left);
EXPORTED int usleep(useconds_t microseconds);
EXPORTED unsigned sleep(unsigned seconds);

static int sleep_until(int64_t when) {
    static const char nothing;
    turns_block(&nothing, when);
    return 0;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    return has_turn() ? sleep_until(time_now() + time_nanoseconds(asked)) : NEXT(nanosleep)(asked, left);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left) {
    bool is_time = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
    if (!is_time || !has_turn()) return NEXT(clock_nanosleep)(clock, flags, asked, left);
    if (asked->tv_nsec < 0 || asked->tv_nsec >= 1000000000 || asked->tv_sec < 0) return EINVAL;
    return sleep_until((flags & TIMER_ABSTIME) != 0 ? time_of_clock(clock, asked) : time_now() + time_nanoseconds(asked));
}

int usleep(useconds_t microseconds) {
    return has_turn() ? sleep_until(time_now() + microseconds * 1000ll) : NEXT(usleep)(microseconds);
}

unsigned sleep(unsigned seconds) {
    return has_turn() ? (unsigned)sleep_until(time_now() + seconds * 1000000000ll) : NEXT(sleep)(seconds);
}
