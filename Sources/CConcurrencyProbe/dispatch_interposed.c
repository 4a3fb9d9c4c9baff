// Recording of the program's calls of Dispatch.
//
// A call that takes a block becomes one that takes a function and the probe's record of the block. So Dispatch keeps what it would keep,
// and nothing is wrapped around the program's block. Dispatch's calls of its own functions also pass through here, and are passed on, as
// those of the Swift runtime are.

#include "dispatch_interposed.h"

#include "interposition.h"

#include "dispatch_blocks.h"
#include "dispatch_groups.h"
#include "dispatch_items.h"
#include "dispatch_library.h"
#include "dispatch_linked.h"
#include "dispatch_queues.h"
#include "dispatch_records.h"

PROBE_SECTION

/// A block or a function that waits for its run.
typedef struct pending_block {
    made_block made;
    union {
        dispatch_block *block;
        dispatch_function *function;
    };
    void *context;
} pending_block;

_Static_assert(sizeof(pending_block) == BLOCK_RECORD_SIZE, "records are made for pending blocks");

// MARK: - Blocks that run later

static void run_block(void *record) {
    pending_block *pending = record;
    dispatch_block *block = pending->block;
    running_block running;
    block_began(&running, &pending->made, block);
    block->invoke(block);
    block_ended(&running);
    group_member_ends(pending->made.group_note);
    dispatch.release(block);
    block_record_give(pending);
}

static void run_function(void *record) {
    pending_block *pending = record;
    running_block running;
    block_began(&running, &pending->made, NULL);
    pending->function(pending->context);
    block_ended(&running);
    group_member_ends(pending->made.group_note);
    block_record_give(pending);
}

/// A record of the call, NULL if it is not recorded. A block of dispatch_block_create has been recorded where it was made; `queue` is told
/// of it.
static pending_block *pending_of(dispatch_block *block, void *queue, bool is_queued, const void *frame) {
    if (!blocks_are_recorded()) return NULL;
    if (item_is(block)) {
        item_was_queued(block, queue, is_queued);
        return NULL;
    }
    pending_block *pending = block_record_take();
    if (pending == NULL) return NULL;
    pending->made = block_made(queue_executor(queue), frame, is_queued);
    pending->block = dispatch.copy(block);
    return pending;
}

static pending_block *pending_function(
    dispatch_function *function, void *context, void *queue, bool is_queued, const void *frame
) {
    if (!blocks_are_recorded()) return NULL;
    pending_block *pending = block_record_take();
    if (pending == NULL) return NULL;
    pending->made = block_made(queue_executor(queue), frame, is_queued);
    pending->function = function;
    pending->context = context;
    return pending;
}

#define WATCH_ASYNC(name)                                                                                     \
    static void record_##name(void *queue, dispatch_block *block) {                                            \
        pending_block *pending = pending_of(block, queue, true, PROBE_FRAME);                         \
        if (pending != NULL) RUNTIMES(name##_f)(queue, pending, run_block);                                   \
        else RUNTIMES(name)(queue, block);                                                                    \
        PROBE_KEEP_FRAME();                                                                                   \
    }                                                                                                         \
    static void record_##name##_f(void *queue, void *context, dispatch_function *function) {                   \
        pending_block *pending = pending_function(function, context, queue, true, PROBE_FRAME);       \
        if (pending != NULL) RUNTIMES(name##_f)(queue, pending, run_function);                                \
        else RUNTIMES(name##_f)(queue, context, function);                                                    \
        PROBE_KEEP_FRAME();                                                                                   \
    }
WATCH_ASYNC(dispatch_async)
WATCH_ASYNC(dispatch_barrier_async)

static void record_dispatch_after(uint64_t when, void *queue, dispatch_block *block) {
    pending_block *pending = pending_of(block, queue, false, PROBE_FRAME);
    if (pending != NULL) RUNTIMES(dispatch_after_f)(when, queue, pending, run_block);
    else RUNTIMES(dispatch_after)(when, queue, block);
    PROBE_KEEP_FRAME();
}

static void record_dispatch_after_f(uint64_t when, void *queue, void *context, dispatch_function *function) {
    pending_block *pending = pending_function(function, context, queue, false, PROBE_FRAME);
    if (pending != NULL) RUNTIMES(dispatch_after_f)(when, queue, pending, run_function);
    else RUNTIMES(dispatch_after_f)(when, queue, context, function);
    PROBE_KEEP_FRAME();
}

/// Notes that the group waits for the block.
static void join_group(const void *group, pending_block *pending) {
    if (pending != NULL) pending->made.group_note = group_member_begins(group, pending->made.number);
}

#define WATCH_GROUP(name, is_queued)                                                                              \
    static void record_##name(void *group, void *queue, dispatch_block *block) {                                   \
        pending_block *pending = pending_of(block, queue, is_queued, PROBE_FRAME);                        \
        if (is_queued) join_group(group, pending);                                                                \
        if (pending != NULL) RUNTIMES(name##_f)(group, queue, pending, run_block);                                \
        else RUNTIMES(name)(group, queue, block);                                                                 \
        PROBE_KEEP_FRAME();                                                                                       \
    }                                                                                                             \
    static void record_##name##_f(void *group, void *queue, void *context, dispatch_function *function) {          \
        pending_block *pending = pending_function(function, context, queue, is_queued, PROBE_FRAME);      \
        if (is_queued) join_group(group, pending);                                                                \
        if (pending != NULL) RUNTIMES(name##_f)(group, queue, pending, run_function);                             \
        else RUNTIMES(name##_f)(group, queue, context, function);                                                 \
        PROBE_KEEP_FRAME();                                                                                       \
    }
WATCH_GROUP(dispatch_group_async, true)
WATCH_GROUP(dispatch_group_notify, false)

// MARK: - Blocks that the caller waits for

/// A block or a function that runs before the call returns.
typedef struct awaited_block {
    block_wait wait;
    dispatch_block *block;
    dispatch_function *function;
    void *context;
} awaited_block;

static void run_awaited_block(void *record) {
    awaited_block *awaited = record;
    running_block running;
    awaited_block_began(&running, &awaited->wait, awaited->block);
    awaited->block->invoke(awaited->block);
    block_ended(&running);
}

static void run_awaited_function(void *record) {
    awaited_block *awaited = record;
    running_block running;
    awaited_block_began(&running, &awaited->wait, NULL);
    awaited->function(awaited->context);
    block_ended(&running);
}

#define WATCH_SYNC(name)                                                                                \
    static void record_##name(void *queue, dispatch_block *block) {                                      \
        if (!blocks_are_recorded()) {                                                              \
            RUNTIMES(name)(queue, block);                                                               \
        } else if (item_is(block)) {                                                                    \
            item_wait wait;                                                                             \
            item_was_queued(block, queue, true);                                                        \
            item_is_awaited(&wait, block, false, PROBE_FRAME);                                          \
            RUNTIMES(name)(queue, block);                                                               \
            item_wait_ended(&wait);                                                                     \
        } else {                                                                                        \
            awaited_block awaited = {.block = block};                                                   \
            block_is_awaited(&awaited.wait, queue_executor(queue), PROBE_FRAME);                        \
            RUNTIMES(name##_f)(queue, &awaited, run_awaited_block);                                     \
            block_wait_ended(&awaited.wait);                                                            \
        }                                                                                               \
        PROBE_KEEP_FRAME();                                                                             \
    }                                                                                                   \
    static void record_##name##_f(void *queue, void *context, dispatch_function *function) {             \
        if (!blocks_are_recorded()) {                                                              \
            RUNTIMES(name##_f)(queue, context, function);                                               \
        } else {                                                                                        \
            awaited_block awaited = {.function = function, .context = context};                         \
            block_is_awaited(&awaited.wait, queue_executor(queue), PROBE_FRAME);                        \
            RUNTIMES(name##_f)(queue, &awaited, run_awaited_function);                                  \
            block_wait_ended(&awaited.wait);                                                            \
        }                                                                                               \
        PROBE_KEEP_FRAME();                                                                             \
    }
WATCH_SYNC(dispatch_sync)
WATCH_SYNC(dispatch_barrier_sync)
WATCH_SYNC(dispatch_async_and_wait)
WATCH_SYNC(dispatch_barrier_async_and_wait)

// MARK: - Iterations

/// A call of dispatch_apply, each of whose iterations is a block.
typedef struct applied_block {
    made_block made;
    uint64_t maker;
    dispatch_block *block;
    dispatch_iteration *function;
    void *context;
} applied_block;

typedef void iterate_block(dispatch_block *block, uintptr_t index);

static void run_applied_block(void *record, uintptr_t index) {
    applied_block *applied = record;
    made_block made = block_made_again(&applied->made, applied->maker);
    running_block running;
    block_began(&running, &made, applied->block);
    ((iterate_block *)(void *)applied->block->invoke)(applied->block, index);
    block_ended(&running);
}

static void run_applied_function(void *record, uintptr_t index) {
    applied_block *applied = record;
    made_block made = block_made_again(&applied->made, applied->maker);
    running_block running;
    block_began(&running, &made, NULL);
    applied->function(applied->context, index);
    block_ended(&running);
}

static void record_dispatch_apply(uintptr_t count, void *queue, dispatch_block *block) {
    if (blocks_are_recorded()) {
        applied_block applied = {.block = block, .made = block_to_make(queue_executor(queue), PROBE_FRAME), .maker = block_maker()};
        RUNTIMES(dispatch_apply_f)(count, queue, &applied, run_applied_block);
    } else {
        RUNTIMES(dispatch_apply)(count, queue, block);
    }
    PROBE_KEEP_FRAME();
}

static void record_dispatch_apply_f(uintptr_t count, void *queue, void *context, dispatch_iteration *function) {
    if (blocks_are_recorded()) {
        applied_block applied = {
            .function = function, .context = context, .made = block_to_make(queue_executor(queue), PROBE_FRAME), .maker = block_maker()};
        RUNTIMES(dispatch_apply_f)(count, queue, &applied, run_applied_function);
    } else {
        RUNTIMES(dispatch_apply_f)(count, queue, context, function);
    }
    PROBE_KEEP_FRAME();
}

// MARK: - Installation

DISPATCH_FUNCTIONS(PASS_ROW)

void dispatch_watch(void) {
    DISPATCH_FUNCTIONS(WATCH_ROW)
}
