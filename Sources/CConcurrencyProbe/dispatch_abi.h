// The parts of Dispatch's ABI that the probe relies on: blocks, and the functions that take them.

#ifndef DISPATCH_ABI_H
#define DISPATCH_ABI_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct block_descriptor {
    uintptr_t reserved;
    uintptr_t size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
} block_descriptor;

/// The fields with which every block begins. The compiler and the blocks runtime fix them.
typedef struct dispatch_block {
    void *isa;
    int32_t flags;
    int32_t reserved;
    void (*invoke)(struct dispatch_block *block);
    const block_descriptor *descriptor;
    const void *captured[];
} dispatch_block;

enum { BLOCK_HAS_COPY = 1 << 25, BLOCK_IS_GLOBAL = 1 << 28 };

typedef void dispatch_function(void *context);
typedef void dispatch_iteration(void *context, uintptr_t index);

/// Rows of functions with the same parameters, for `INTERPOSED_FUNCTIONS`.
#define ON_QUEUE(ROW, name) ROW(name, name, false, void, (void *queue, dispatch_block *block), (queue, block))
#define ON_QUEUE_F(ROW, name) \
    ROW(name, name, false, void, (void *queue, void *context, dispatch_function *function), (queue, context, function))
#define IN_GROUP(ROW, name) ROW(name, name, false, void, (void *group, void *queue, dispatch_block *block), (group, queue, block))
#define IN_GROUP_F(ROW, name) \
    ROW(name, name, false, void, (void *group, void *queue, void *context, dispatch_function *function), (group, queue, context, function))

/// The functions of Dispatch that take a block or a function, and that the probe stands before. Of each pair, the second form takes a
/// function and its context. A call of the first form becomes one of the second, so that no block is made around the program's.
#define DISPATCH_FUNCTIONS(ROW)                                                                                                        \
    ON_QUEUE(ROW, dispatch_async)                                                                                                      \
    ON_QUEUE_F(ROW, dispatch_async_f)                                                                                                  \
    ON_QUEUE(ROW, dispatch_barrier_async)                                                                                              \
    ON_QUEUE_F(ROW, dispatch_barrier_async_f)                                                                                          \
    ON_QUEUE(ROW, dispatch_sync)                                                                                                       \
    ON_QUEUE_F(ROW, dispatch_sync_f)                                                                                                   \
    ON_QUEUE(ROW, dispatch_barrier_sync)                                                                                               \
    ON_QUEUE_F(ROW, dispatch_barrier_sync_f)                                                                                           \
    ON_QUEUE(ROW, dispatch_async_and_wait)                                                                                             \
    ON_QUEUE_F(ROW, dispatch_async_and_wait_f)                                                                                         \
    ON_QUEUE(ROW, dispatch_barrier_async_and_wait)                                                                                     \
    ON_QUEUE_F(ROW, dispatch_barrier_async_and_wait_f)                                                                                 \
    ROW(dispatch_after, dispatch_after, false, void, (uint64_t when, void *queue, dispatch_block *block), (when, queue, block))        \
    ROW(dispatch_after_f, dispatch_after_f, false, void,                                                                               \
        (uint64_t when, void *queue, void *context, dispatch_function *function), (when, queue, context, function))                    \
    IN_GROUP(ROW, dispatch_group_async)                                                                                                \
    IN_GROUP_F(ROW, dispatch_group_async_f)                                                                                            \
    IN_GROUP(ROW, dispatch_group_notify)                                                                                               \
    IN_GROUP_F(ROW, dispatch_group_notify_f)                                                                                           \
    ROW(dispatch_apply, dispatch_apply, false, void, (uintptr_t count, void *queue, dispatch_block *block), (count, queue, block))     \
    ROW(dispatch_apply_f, dispatch_apply_f, false, void,                                                                               \
        (uintptr_t count, void *queue, void *context, dispatch_iteration *function), (count, queue, context, function))

/// The functions by which Dispatch keeps a block.
#define KEEPS_HANDLER(ROW, name) ROW(name, name, false, void, (void *source, dispatch_block *block), (source, block))
#define DISPATCH_ITEM_FUNCTIONS(ROW)                                                                                                   \
    ROW(dispatch_block_create, dispatch_block_create, false, dispatch_block *, (uintptr_t flags, dispatch_block *block), (flags, block)) \
    ROW(dispatch_block_create_with_qos_class, dispatch_block_create_with_qos_class, false, dispatch_block *,                           \
        (uintptr_t flags, unsigned qos, int priority, dispatch_block *block), (flags, qos, priority, block))                           \
    ROW(dispatch_block_cancel, dispatch_block_cancel, false, void, (dispatch_block *item), (item))                                     \
    ROW(dispatch_block_wait, dispatch_block_wait, false, intptr_t, (dispatch_block *item, uint64_t timeout), (item, timeout))          \
    KEEPS_HANDLER(ROW, dispatch_source_set_event_handler)                                                                              \
    KEEPS_HANDLER(ROW, dispatch_source_set_cancel_handler)                                                                             \
    KEEPS_HANDLER(ROW, dispatch_source_set_registration_handler)

#pragma GCC visibility pop

#endif
