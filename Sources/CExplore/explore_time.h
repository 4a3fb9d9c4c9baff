// The time that a program sees: virtual, or real.

#ifndef EXPLORE_TIME_H
#define EXPLORE_TIME_H

#include "explore_state.h"

#include <time.h>

#pragma GCC visibility push(hidden)

/// Now, in nanoseconds of the clock that timers use.
int64_t time_now(void);

/// A time of Dispatch as nanoseconds of the same clock.
int64_t time_of_dispatch(uint64_t time);

/// Nanoseconds since 1970 as nanoseconds of the same clock.
int64_t time_of_wall(int64_t wall);

/// A time as nanoseconds; the latest one if they are too many.
int64_t time_nanoseconds(const struct timespec *time);

/// A time of one of the system's clocks as nanoseconds of the same clock.
int64_t time_of_clock(clockid_t clock, const struct timespec *time);

/// Fills bytes with random numbers that are the same in every order. Returns their count.
long time_fill(void *bytes, size_t count);

#pragma GCC visibility pop

#endif
