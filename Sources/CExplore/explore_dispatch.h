// Blocks and functions that queues of Dispatch are to run.

#ifndef EXPLORE_DISPATCH_H
#define EXPLORE_DISPATCH_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

typedef struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
} block;

/// True for calls that pass: those of Dispatch itself and of this library.
bool dispatch_passes(uintptr_t caller);

/// A block that a queue is to run. The item releases the copy. `frame` is that of the function that the program called; a block that is not
/// `queued` waits for a time or for a group first.
item *item_of_block(void *queue, void *copied, const void *frame, bool is_queued);

/// A call that a queue is to make. `site` is the code that it stands for.
item *item_of_call(void *queue, void *context, void (*function)(void *), uintptr_t site);

#pragma GCC visibility pop

#endif
