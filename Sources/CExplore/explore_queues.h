// The queues of Dispatch: which blocks exclude each other, and on which thread a queue's blocks run.

#ifndef EXPLORE_QUEUES_H
#define EXPLORE_QUEUES_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Learns where queues keep what this file reads. Needs no thread.
void queues_begin(void);

/// Where the blocks of a queue run: in the pool for a global queue, on the main thread for main and the queues that target it, else in the
/// queue itself.
item_kind queue_kind(void *queue);

/// The queue that decides which blocks run one at a time: the serial queue at the bottom of the chain of targets, or else the queue itself.
void *queue_of_turns(void *queue);

bool queue_is_serial(void *queue);

#pragma GCC visibility pop

#endif
