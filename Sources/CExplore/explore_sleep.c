// Sleep: a timer of the order.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_time.h"
#include "explore_turns.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>


static int sleep_until(int64_t when) {
    static const char nothing;
    turns_wait(&nothing, when, 0);
    return 0;
}

int ordered_nanosleep(const struct timespec *asked, struct timespec *left) {
    return has_turn() ? sleep_until(time_now() + time_nanoseconds(asked)) : RECORDED(nanosleep)(asked, left);
}

int ordered_clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left) {
    bool is_time = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
    if (!is_time || !has_turn()) return RECORDED(clock_nanosleep)(clock, flags, asked, left);
    if (asked->tv_nsec < 0 || asked->tv_nsec >= 1000000000 || asked->tv_sec < 0) return EINVAL;
    return sleep_until((flags & TIMER_ABSTIME) != 0 ? time_of_clock(clock, asked) : time_now() + time_nanoseconds(asked));
}

int ordered_usleep(useconds_t microseconds) {
    return has_turn() ? sleep_until(time_now() + microseconds * 1000ll) : RECORDED(usleep)(microseconds);
}

unsigned ordered_sleep(unsigned seconds) {
    return has_turn() ? (unsigned)sleep_until(time_now() + seconds * 1000000000ll) : RECORDED(sleep)(seconds);
}
