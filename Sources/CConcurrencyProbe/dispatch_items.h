// Work items: blocks that dispatch_block_create made, which can be cancelled, awaited and run more than once. Foundation's operations are
// work items, too.

#ifndef DISPATCH_ITEMS_H
#define DISPATCH_ITEMS_H

#include "dispatch_abi.h"
#include "dispatch_blocks.h"
#include "dispatch_library.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// The probe's block around one of the program's, which it calls. It begins with the fields of every block.
typedef struct keeping_block {
    void *isa;
    int32_t flags;
    int32_t reserved;
    void (*invoke)(dispatch_block *block);
    const block_descriptor *descriptor;
    dispatch_block *kept;
    void *source;       ///< the source whose handler it is, NULL for a block that runs once
    made_block made;    ///< the first run; of a handler, what each of its runs has in common
    uint64_t maker;
    uint32_t state;     ///< a keeping_state, of a block that runs once
    uint16_t executor;  ///< the executor of the queue that an item was given to; 0 for none
} keeping_block;

/// A block that a run loop is to run. `executor` is 0 for a run loop of another thread.
keeping_block block_performed(dispatch_block *block, uint16_t executor, const void *frame);

/// True for a block that dispatch_block_create made.
static inline bool item_is(const dispatch_block *block) {
    return (const void *)block->invoke == dispatch.item_invoke;
}

/// The program gives an item to a queue; `is_queued` is false if the item waits for a time or for a group first.
void item_was_queued(const dispatch_block *item, void *queue, bool is_queued);

/// A thread's wait for an item's run.
typedef struct item_wait {
    block_wait wait;
    struct block_wait *outer;
} item_wait;

/// The thread waits until an item has run, or runs it itself. Nothing is recorded of an item that has begun to run, unless `may_run` is set,
/// and of one that has ended.
void item_is_awaited(item_wait *wait, const dispatch_block *item, bool may_run, const void *frame);
void item_wait_ended(item_wait *wait);

/// Lets the program's calls that make items and handlers pass through the probe.
void items_watch(void);

#pragma GCC visibility pop

#endif
