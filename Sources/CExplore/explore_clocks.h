// Clock files, which become ready at a time. NIO and the run loops of Foundation have their timers in them.

#ifndef EXPLORE_CLOCKS_H
#define EXPLORE_CLOCKS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Makes the file of a due clock ready, and frees the item unless the clock fires again. The caller holds the lock.
void clocks_fire(item *due);

#pragma GCC visibility pop

#endif
