// Blocks and waits of an order, for its recording. The library of `hopscope explore` contains the probe. It keeps the program's blocks
// itself, and lets a thread that waits give its turn away, so the probe's own functions see neither. It calls these functions instead.
//
// Without a recording, each function only makes the program's call.

#ifndef PROBE_ORDERED_H
#define PROBE_ORDERED_H

#include "made_block.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Records that the running task or block gives a block to a queue. `frame` is that of the function that stands before Dispatch's. A queued
/// block enters its executor's queue at once; another one waits for a time or for a group.
made_block kept_block_made(void *queue, const void *frame, bool is_queued);

/// Notes that the group waits for the block.
void kept_block_joins(made_block *made, const void *group);

/// Calls the function as the run of the block.
void kept_block_runs(const made_block *made, void (*function)(void *), void *context);

/// A handler that may run more than once.
typedef struct kept_handler {
    made_block made;  ///< what its runs have in common
    uint64_t maker;
} kept_handler;

kept_handler kept_handler_made(void *queue, const void *frame);

/// Calls the function as a run of the handler.
void kept_handler_runs(const kept_handler *handler, void (*function)(void *), void *context);

/// Has a queue run a block on the calling thread, which waits for its turn in the queue by `acquire`.
void kept_block_is_called(
    void *queue, void *block, bool is_barrier, const void *frame, void (*acquire)(void *context), void *context
);

/// Records that the calling thread waits, for the block `awaited` if it is not 0. Returns what the end of the wait is told with.
uint64_t turn_wait_began(uint64_t awaited, const void *frame);
void turn_wait_ended(uint64_t waiter, uint64_t awaited, bool gave_up);

/// The number of a block for which a group waits, 0 if none is known.
uint64_t kept_group_awaits(const void *group);

#pragma GCC visibility pop

#endif
