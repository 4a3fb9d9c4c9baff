// Work items and handlers: blocks that Dispatch keeps, and runs any number of times. The probe gives Dispatch a block of its own that calls
// the program's.
//
// A work item has data of Dispatch's own, by which it is cancelled and awaited. So the item itself stays as it is, and the probe's block
// becomes the one that the item is made of.

#include "dispatch_items.h"

#include "interposition.h"

#include "dispatch_blocks.h"
#include "dispatch_operations.h"
#include "dispatch_queues.h"
#include "probe_tasks.h"
#include "trace_vocabulary.h"

PROBE_SECTION

typedef enum keeping_state { KEPT_UNRUN = 0, KEPT_RUN = 1, KEPT_DROPPED = 2, KEPT_ENDED = 3 } keeping_state;

// MARK: - The probe's block

static void copy_kept(void *to, const void *from) {
    ((keeping_block *)to)->kept = dispatch.copy(((const keeping_block *)from)->kept);
}

static bool leaves(keeping_block *keeping, keeping_state next) {
    uint32_t unrun = KEPT_UNRUN;
    return __atomic_compare_exchange_n(&keeping->state, &unrun, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void dispose_kept(const void *block) {
    keeping_block *keeping = (keeping_block *)block;
    if (keeping->source == NULL && leaves(keeping, KEPT_DROPPED)) block_dropped(&keeping->made, 0);
    dispatch.release(keeping->kept);
}

static const block_descriptor descriptor = {.size = sizeof(keeping_block), .copy = copy_kept, .dispose = dispose_kept};

static void run(keeping_block *keeping, const made_block *made) {
    running_block running;
    block_began(&running, made, keeping->kept);
    keeping->kept->invoke(keeping->kept);
    block_ended(&running);
}

static void run_item(dispatch_block *block) {
    keeping_block *keeping = (keeping_block *)block;
    made_block made = keeping->made;
    made.executor = __atomic_load_n(&keeping->executor, __ATOMIC_RELAXED);
    if (made.executor == 0) made.executor = block_running_executor();
    // A thread that waits for the item may run it itself.
    if (probe_this.awaited_item != NULL && probe_this.awaited_item->block.number == made.number) block_wait_ended(probe_this.awaited_item);
    bool is_first = leaves(keeping, KEPT_RUN);
    if (!is_first) made = block_made_again(&made, keeping->maker);
    run(keeping, &made);
    if (is_first) __atomic_store_n(&keeping->state, KEPT_ENDED, __ATOMIC_RELAXED);
}

static void run_handler(dispatch_block *block) {
    keeping_block *keeping = (keeping_block *)block;
    made_block made = keeping->made;
    made.executor = queue_executor(queue_of(keeping->source));
    made = block_made_again(&made, keeping->maker);
    run(keeping, &made);
}

static keeping_block keep(dispatch_block *block, void (*invoke)(dispatch_block *), void *source) {
    return (keeping_block){
        .isa = dispatch.stack_block, .flags = BLOCK_HAS_COPY, .invoke = invoke, .descriptor = &descriptor, .kept = block,
        .source = source};
}

static void run_performed(dispatch_block *block) {
    keeping_block *keeping = (keeping_block *)block;
    made_block made = keeping->made;
    made.executor = run_loop_executor();
    leaves(keeping, KEPT_RUN);
    run(keeping, &made);
}

keeping_block block_performed(dispatch_block *block, uint16_t executor, const void *frame) {
    keeping_block keeping = keep(block, run_performed, NULL);
    keeping.made = block_made(executor, frame, executor != 0);
    return keeping;
}

// MARK: - Items

/// The probe's block of which an item was made, NULL for an item that was made before the recording.
static keeping_block *keeping_in(const dispatch_block *item) {
    if (dispatch.item_inner == 0) return NULL;
    dispatch_block *inner = *(dispatch_block *const *)((const char *)item + dispatch.item_inner);
    return inner != NULL && inner->invoke == run_item ? (keeping_block *)inner : NULL;
}

void item_was_queued(const dispatch_block *item, void *queue, bool is_queued) {
    keeping_block *keeping = keeping_in(item);
    if (keeping == NULL) return;
    uint16_t executor = queue_executor(queue);
    __atomic_store_n(&keeping->executor, executor, __ATOMIC_RELAXED);
    if (is_queued && __atomic_load_n(&keeping->state, __ATOMIC_RELAXED) == KEPT_UNRUN) block_was_queued(&keeping->made, executor);
}

void item_is_awaited(item_wait *wait, const dispatch_block *item, bool may_run, const void *frame) {
    *wait = (item_wait){.outer = probe_this.awaited_item};
    const keeping_block *keeping = keeping_in(item);
    if (keeping == NULL) return;
    uint32_t state = __atomic_load_n(&keeping->state, __ATOMIC_RELAXED);
    if (state != KEPT_UNRUN && !(may_run && state == KEPT_RUN)) return;
    made_block_is_awaited(&wait->wait, &keeping->made, frame);
    probe_this.awaited_item = &wait->wait;
}

void item_wait_ended(item_wait *wait) {
    block_wait_ended(&wait->wait);
    probe_this.awaited_item = wait->outer;
}

static intptr_t record_dispatch_block_wait(dispatch_block *item, uint64_t timeout) {
    enum { NOT_AT_ALL = 0 };
    intptr_t result;
    if (timeout == NOT_AT_ALL || !blocks_are_recorded() || !item_is(item)) {
        result = RUNTIMES(dispatch_block_wait)(item, timeout);
    } else {
        item_wait wait;
        item_is_awaited(&wait, item, true, PROBE_FRAME);
        // Dispatch waits for the item's group, which is no wait of its own.
        bool was_blocked = probe_this.is_blocked;
        probe_this.is_blocked = was_blocked || wait.wait.thread != NULL;
        result = RUNTIMES(dispatch_block_wait)(item, timeout);
        probe_this.is_blocked = was_blocked;
        item_wait_ended(&wait);
    }
    PROBE_KEEP_FRAME();
    return result;
}

static keeping_block item_around(dispatch_block *block, const void *frame) {
    keeping_block keeping = keep(block, run_item, NULL);
    keeping.maker = block_maker();
    char name[OPERATION_NAME_ROOM];
    probe_this.is_busy = true;
    bool is_operation = operation_name(block, name);
    probe_this.is_busy = false;
    keeping.made = is_operation ? block_made_with_name(name, frame) : block_made(0, frame, false);
    return keeping;
}

static dispatch_block *record_dispatch_block_create(uintptr_t flags, dispatch_block *block) {
    dispatch_block *item;
    if (!blocks_are_recorded() || item_is(block)) {
        item = RUNTIMES(dispatch_block_create)(flags, block);
    } else {
        keeping_block keeping = item_around(block, PROBE_FRAME);
        item = RUNTIMES(dispatch_block_create)(flags, (dispatch_block *)&keeping);
    }
    PROBE_KEEP_FRAME();
    return item;
}

static dispatch_block *record_dispatch_block_create_with_qos_class(
    uintptr_t flags, unsigned qos, int priority, dispatch_block *block
) {
    dispatch_block *item;
    if (!blocks_are_recorded() || item_is(block)) {
        item = RUNTIMES(dispatch_block_create_with_qos_class)(flags, qos, priority, block);
    } else {
        keeping_block keeping = item_around(block, PROBE_FRAME);
        item = RUNTIMES(dispatch_block_create_with_qos_class)(flags, qos, priority, (dispatch_block *)&keeping);
    }
    PROBE_KEEP_FRAME();
    return item;
}

/// If a thread has begun to run the item and its body just follows, the body is recorded as another run.
static void record_dispatch_block_cancel(dispatch_block *item) {
    bool is_recorded = blocks_are_recorded() && item_is(item);
    RUNTIMES(dispatch_block_cancel)(item);
    keeping_block *keeping = is_recorded ? keeping_in(item) : NULL;
    if (keeping != NULL && leaves(keeping, KEPT_DROPPED)) block_dropped(&keeping->made, block_maker());
}

// MARK: - Handlers of sources

#define WATCH_HANDLER(name)                                                                            \
    static void record_##name(void *source, dispatch_block *block) {                                    \
        if (block == NULL || !blocks_are_recorded() || queue_of(source) == NULL) {                \
            RUNTIMES(name)(source, block);                                                             \
        } else if (item_is(block)) {                                                                   \
            item_was_queued(block, queue_of(source), false);                                           \
            RUNTIMES(name)(source, block);                                                             \
        } else {                                                                                       \
            keeping_block keeping = keep(block, run_handler, source);                                  \
            keeping.maker = block_maker();                                                             \
            keeping.made = block_to_make(0, PROBE_FRAME);                                              \
            RUNTIMES(name)(source, (dispatch_block *)&keeping);                                        \
        }                                                                                              \
        PROBE_KEEP_FRAME();                                                                            \
    }
WATCH_HANDLER(dispatch_source_set_event_handler)
WATCH_HANDLER(dispatch_source_set_cancel_handler)
WATCH_HANDLER(dispatch_source_set_registration_handler)

DISPATCH_ITEM_FUNCTIONS(PASS_ROW)

void items_watch(void) {
    DISPATCH_ITEM_FUNCTIONS(WATCH_ROW)
}
