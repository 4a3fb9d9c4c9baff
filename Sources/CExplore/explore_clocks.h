// Clock files, which become ready at a time. NIO and the run loops of Foundation have their timers in them.

#ifndef EXPLORE_CLOCKS_H
#define EXPLORE_CLOCKS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// A clock file that the order sets.
typedef struct clock_file {
    int file, clock;
    item *set;         ///< among the timers; NULL if it is not set
    int64_t interval;  ///< 0 for none
} clock_file;

/// Makes a clock file that becomes ready at that time. False if there can be none.
bool clocks_begin(clock_file *clock, int64_t when);

/// Closes it.
void clocks_end(clock_file *clock);

/// Makes the file of a due clock ready, and frees the item unless the clock fires again. The caller holds the lock.
void clocks_fire(item *due);

#pragma GCC visibility pop

#endif
