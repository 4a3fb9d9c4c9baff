// The blocks that the program gives to Dispatch and to run loops: their numbers, and their events in the trace.

#ifndef DISPATCH_BLOCKS_H
#define DISPATCH_BLOCKS_H

#include "dispatch_abi.h"
#include "dispatch_library.h"
#include "made_block.h"
#include "probe_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A block that the calling thread runs. It lies on the stack, so its address tells what runs inside it.
typedef struct running_block {
    uint64_t number;
    const dispatch_block *body;  ///< NULL for a function
    uint16_t executor;
    struct running_block *outer;
} running_block;

/// True for a call that is passed on unrecorded, as far as that is known without a look at Dispatch.
static inline bool block_call_passes(const void *caller) {
    return !probe_is_recording() || dispatch_is_internal_call(caller);
}

/// The return address of a function that stands before one of Dispatch's.
#define CALLER __builtin_return_address(0)

/// For a table of Dispatch's functions: calls of a row go to `record_` of the row. Passes most calls on without a stack frame: those of
/// Dispatch itself and of the Swift runtime, and all while nothing is recorded.
#define PASS_ROW(row, symbol, is_needed, result, parameters, arguments)                     \
    static result watch_##row parameters {                                                  \
        if (block_call_passes(CALLER)) SWIFT_TAIL_CALL return RUNTIMES(row) arguments;       \
        SWIFT_TAIL_CALL return record_##row arguments;                                       \
    }
#define WATCH_ROW(row, symbol, is_needed, result, parameters, arguments) TAKE_CALLS(row, watch_##row);

/// True if the program's calls that give blocks to Dispatch are recorded now.
bool blocks_are_recorded(void);

/// True if a call that gives a block to a run loop is recorded. `caller` is its return address.
static inline bool blocks_are_watched(const void *caller) {
    return !block_call_passes(caller) && blocks_are_recorded();
}

/// Records that the running task or block makes a block. `frame` is the frame of the function that stands before Dispatch's. A queued block
/// enters its executor's queue at once; another one waits for a time or for a group.
made_block block_made(uint16_t executor, const void *frame, bool is_queued);

/// The same of a block that has a name, and is not queued yet.
made_block block_made_with_name(const char *name, const void *frame);

/// The same of a block whose label the caller has made, and which enters its executor's queue at once.
made_block block_made_with_label(uint16_t executor, uint32_t label);

/// The facts that all runs of a block have in common, if it runs more than once; and its next run, which begins now.
made_block block_to_make(uint16_t executor, const void *frame);
made_block block_made_again(const made_block *block, uint64_t maker);

/// Records that a block that was made before enters an executor's queue.
void block_was_queued(const made_block *block, uint16_t executor);

/// A wait of a thread until a block that it gave to a queue has run.
typedef struct block_wait {
    made_block block;
    uint64_t waiter;     ///< the task or block that waits
    const void *thread;  ///< the thread; NULL once the wait is over
} block_wait;

/// Records that the running task or block makes a block and waits until it has run. The wait ends when the block begins on the waiting
/// thread, or when its function returns.
void block_is_awaited(block_wait *wait, uint16_t executor, const void *frame);
void block_wait_ended(block_wait *wait);

/// Records that the running task or block waits for the run of a block that was made before.
void made_block_is_awaited(block_wait *wait, const made_block *block, const void *frame);

/// Begins the run of an awaited block.
void awaited_block_began(running_block *running, block_wait *wait, const dispatch_block *body);

/// Begins and ends the run of a block, around the call of its body.
void block_began(running_block *running, const made_block *block, const dispatch_block *body);
void block_ended(const running_block *running);

/// Records that the block will never run. `by` is the task or block that cancelled it, 0 if it is not known.
void block_dropped(const made_block *block, uint64_t by);

/// The number of the innermost task or block that the calling thread runs, 0 for none.
uint64_t block_maker(void);

/// The same, where `current` is the Swift task that the thread runs, NULL for none; see `task_running`.
uint64_t block_or_task_running(swift_task *current, bool *is_being_made);

/// The executor of the running block, 0 for none.
uint16_t block_running_executor(void);

#pragma GCC visibility pop

#endif
