// Dispatch: blocks and jobs are kept until it is their turn, and then given to their queue one at a time.

#define _GNU_SOURCE
#include "explore_choice.h"
#include "explore_players.h"
#include "explore_strands.h"
#include "explore_time.h"
#include "explore_turns.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DISPATCH extern __attribute__((weak))

DISPATCH void *dispatch_get_global_queue(intptr_t quality, uintptr_t flags);
extern __attribute__((weak)) char _dispatch_main_q[], _dispatch_queue_attr_concurrent[];
DISPATCH void dispatch_group_enter(void *group);
DISPATCH void *_Block_copy(const void *block);
DISPATCH void _Block_release(const void *block);
EXPORTED void *dispatch_queue_create(const char *label, void *attributes);
EXPORTED void dispatch_async_f(void *queue, void *context, void (*function)(void *));
EXPORTED void dispatch_async(void *queue, void *block);
EXPORTED void dispatch_barrier_async(void *queue, void *block);
EXPORTED void dispatch_after_f(uint64_t when, void *queue, void *context, void (*function)(void *));
EXPORTED void dispatch_after(uint64_t when, void *queue, void *block);
EXPORTED void dispatch_sync(void *queue, void *block);
EXPORTED void dispatch_barrier_sync(void *queue, void *block);
EXPORTED void dispatch_main(void);
EXPORTED intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t limit);
EXPORTED intptr_t dispatch_semaphore_signal(void *semaphore);
EXPORTED intptr_t dispatch_group_wait(void *group, uint64_t limit);
EXPORTED void dispatch_group_leave(void *group);
EXPORTED void dispatch_group_notify(void *group, void *queue, void *block);
EXPORTED void dispatch_group_async(void *group, void *queue, void *block);
EXPORTED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue);
EXPORTED void dispatch_apply(size_t count, void *queue, void *block);

typedef struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
} block;

static struct {
    void *of_swift[32], *concurrent[ROOM_FOR_QUEUES];
    int of_swift_count, concurrent_count;
} queues;

/// Blocks that wait for a group. Dispatch would submit them itself, past this library.
static struct {
    void *group;
    item *item;
} notified[256];
static int notified_count;

static bool is_listed(void *const *list, int count, const void *queue) {
    for (int index = 0; index < count; index++)
        if (list[index] == queue) return true;
    return false;
}

static bool is_global(void *queue) {
    static const int qualities[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
    if (is_listed(queues.of_swift, queues.of_swift_count, queue)) return true;
    for (size_t index = 0; index < sizeof qualities / sizeof *qualities; index++)
        if (dispatch_get_global_queue(qualities[index], 0) == queue) return true;
    return false;
}

static item_kind kind_of(void *queue) {
    return queue == (void *)_dispatch_main_q ? ITEM_MAIN : is_global(queue) ? ITEM_GLOBAL : ITEM_QUEUE;
}

static bool is_serial(void *queue) {
    return !is_listed(queues.concurrent, queues.concurrent_count, queue);
}

/// True for calls that pass: those of Dispatch itself and of this library.
static bool passes(uintptr_t caller) {
    return !explore.is_on || explore_this.is_inside || is_in(explore.dispatch, caller);
}

static void call_block(void *called) {
    ((block *)called)->invoke(called);
    _Block_release(called);
}

static item *make_item(void *queue, void *context, void (*function)(void *), uint32_t strand, uintptr_t site) {
    item *made = calloc(1, sizeof *made);
    *made = (item){.kind = kind_of(queue), .context = context, .function = function, .strand = strand, .site = site};
    if (made->kind == ITEM_QUEUE) {
        made->queue = queue;
        made->is_exclusive = is_serial(queue);
    }
    return made;
}

static item *item_of_block(void *queue, void *copied) {
    uintptr_t site = (uintptr_t)((block *)copied)->invoke;
    explore_lock();
    uint32_t strand = strand_make(EXPLORE_BLOCK, site);
    explore_unlock();
    return make_item(queue, copied, call_block, strand, site);
}

static item *item_of_function(void *queue, void *context, void (*function)(void *), bool is_job) {
    swift_task *job = context;
    bool is_task = is_job && (job->flags & SWIFT_JOB_KIND_MASK) == SWIFT_JOB_IS_TASK;
    uintptr_t site = is_task ? (uintptr_t)job->resume_task : (uintptr_t)function;
    explore_lock();
    uint32_t strand = is_task ? strand_of_task(job, site) : strand_make(EXPLORE_BLOCK, site);
    explore_unlock();
    return make_item(queue, context, function, strand, site);
}

static bool is_from_runtime(uintptr_t caller) {
    Dl_info info;
    return dladdr((void *)caller, &info) != 0 && strstr(info.dli_fname, "libswift_Concurrency") != NULL;
}

/// The call comes from the program, or from Dispatch's Swift interface, which only programs call.
static void offer(uint32_t place, uintptr_t caller) {
    if (is_in(explore.overlay, caller)) turns_offer(place, caller);
    else turns_offer_own(place, caller);
}

// MARK: - Queues

void *dispatch_queue_create(const char *label, void *attributes) {
    void *queue = NEXT(dispatch_queue_create)(label, attributes);
    bool is_swifts = label != NULL && strncmp(label, "Swift global", 12) == 0;
    if (is_swifts && queues.of_swift_count < 32) queues.of_swift[queues.of_swift_count++] = queue;
    else if (attributes == (void *)_dispatch_queue_attr_concurrent && queues.concurrent_count < ROOM_FOR_QUEUES)
        queues.concurrent[queues.concurrent_count++] = queue;
    return queue;
}

void dispatch_async_f(void *queue, void *context, void (*function)(void *)) {
    if (passes(CALLER)) {
        NEXT(dispatch_async_f)(queue, context, function);
        return;
    }
    turns_add(item_of_function(queue, context, function, is_from_runtime(CALLER)));
}

void dispatch_async(void *queue, void *block) {
    if (passes(CALLER)) {
        NEXT(dispatch_async)(queue, block);
        return;
    }
    turns_add(item_of_block(queue, _Block_copy(block)));
    offer(EXPLORE_AT_DISPATCH, CALLER);
}

void dispatch_barrier_async(void *queue, void *block) {
    if (passes(CALLER)) {
        NEXT(dispatch_barrier_async)(queue, block);
        return;
    }
    item *added = item_of_block(queue, _Block_copy(block));
    if (added->kind == ITEM_QUEUE) added->is_exclusive = true;
    turns_add(added);
    offer(EXPLORE_AT_DISPATCH, CALLER);
}

void dispatch_after_f(uint64_t when, void *queue, void *context, void (*function)(void *)) {
    if (passes(CALLER)) {
        NEXT(dispatch_after_f)(when, queue, context, function);
        return;
    }
    turns_add_timer(item_of_function(queue, context, function, false), time_of_dispatch(when));
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    if (passes(CALLER)) {
        NEXT(dispatch_after)(when, queue, block);
        return;
    }
    turns_add_timer(item_of_block(queue, _Block_copy(block)), time_of_dispatch(when));
}

typedef struct waited_block {
    block *block;
    bool has_run;
} waited_block;

static void call_waited(void *argument) {
    waited_block *waited = argument;
    waited->block->invoke(waited->block);
    waited->has_run = true;
    turns_unblock(waited, true);
}

/// A thread has the main thread run a block, and waits.
static void run_on_main_thread(void *block) {
    waited_block waited = {block, false};
    explore_lock();
    uint32_t strand = strand_make(EXPLORE_BLOCK, (uintptr_t)waited.block->invoke);
    explore_unlock();
    turns_add(make_item(_dispatch_main_q, &waited, call_waited, strand, (uintptr_t)waited.block->invoke));
    while (!waited.has_run) turns_block(&waited, INT64_MAX);
}

static void run_sync(void *queue, void *block, bool is_barrier, void (*next)(void *, void *), uintptr_t caller) {
    offer(EXPLORE_AT_DISPATCH, caller);
    item_kind kind = kind_of(queue);
    if (kind == ITEM_MAIN && explore_this.player != &explore.main) {
        run_on_main_thread(block);
        return;
    }
    if (kind != ITEM_QUEUE) {
        next(queue, block);
        return;
    }
    bool is_exclusive = is_barrier || is_serial(queue);
    turns_acquire(queue, is_exclusive);
    next(queue, block);
    turns_release(queue, is_exclusive);
}

void dispatch_sync(void *queue, void *block) {
    if (passes(CALLER) || !has_turn()) NEXT(dispatch_sync)(queue, block);
    else run_sync(queue, block, false, NEXT(dispatch_sync), CALLER);
}

void dispatch_barrier_sync(void *queue, void *block) {
    if (passes(CALLER) || !has_turn()) NEXT(dispatch_barrier_sync)(queue, block);
    else run_sync(queue, block, true, NEXT(dispatch_barrier_sync), CALLER);
}

void dispatch_main(void) {
    if (!explore.is_on) NEXT(dispatch_main)();
    turns_run_main();
}

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    if (!passes(CALLER)) explore.record->saw |= EXPLORE_SAW_SOURCES;
    return NEXT(dispatch_source_create)(type, handle, mask, queue);
}

void dispatch_apply(size_t count, void *queue, void *block) {
    if (!passes(CALLER)) explore.record->saw |= EXPLORE_SAW_APPLY;
    NEXT(dispatch_apply)(count, queue, block);
}

// MARK: - Semaphores and groups

/// Tries until it succeeds or the limit is reached. Returns what Dispatch's function would.
static intptr_t wait_for(void *object, uint64_t limit, intptr_t (*next)(void *, uint64_t)) {
    int64_t deadline = limit == UINT64_MAX ? INT64_MAX : time_of_dispatch(limit);
    while (next(object, 0) != 0) {
        if (deadline <= time_now()) return 1;
        turns_block(object, deadline);
    }
    return 0;
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t limit) {
    if (passes(CALLER) || !has_turn()) return NEXT(dispatch_semaphore_wait)(semaphore, limit);
    offer(EXPLORE_AT_WAIT, CALLER);
    return wait_for(semaphore, limit, NEXT(dispatch_semaphore_wait));
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    intptr_t woke = NEXT(dispatch_semaphore_signal)(semaphore);
    turns_unblock(semaphore, false);
    if (!passes(CALLER)) offer(EXPLORE_AT_WAIT, CALLER);
    return woke;
}

intptr_t dispatch_group_wait(void *group, uint64_t limit) {
    if (passes(CALLER) || !has_turn()) return NEXT(dispatch_group_wait)(group, limit);
    offer(EXPLORE_AT_WAIT, CALLER);
    return wait_for(group, limit, NEXT(dispatch_group_wait));
}

void dispatch_group_leave(void *group) {
    NEXT(dispatch_group_leave)(group);
    turns_unblock(group, true);
    if (!explore.is_on || notified_count == 0 || NEXT(dispatch_group_wait)(group, 0) != 0) return;
    for (int index = 0; index < notified_count;) {
        if (notified[index].group != group) {
            index++;
            continue;
        }
        item *due = notified[index].item;
        memmove(notified + index, notified + index + 1, sizeof *notified * (size_t)(notified_count - index - 1));
        notified_count--;
        turns_add(due);
    }
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    if (passes(CALLER) || notified_count == sizeof notified / sizeof *notified) {
        NEXT(dispatch_group_notify)(group, queue, block);
        return;
    }
    item *due = item_of_block(queue, _Block_copy(block));
    if (NEXT(dispatch_group_wait)(group, 0) == 0) {
        turns_add(due);
        return;
    }
    notified[notified_count].group = group;
    notified[notified_count++].item = due;
}

typedef struct grouped_block {
    void *group, *block;
} grouped_block;

static void call_grouped(void *argument) {
    grouped_block *grouped = argument;
    call_block(grouped->block);
    dispatch_group_leave(grouped->group);
    free(grouped);
}

void dispatch_group_async(void *group, void *queue, void *called) {
    if (passes(CALLER)) {
        NEXT(dispatch_group_async)(group, queue, called);
        return;
    }
    dispatch_group_enter(group);
    grouped_block *grouped = malloc(sizeof *grouped);
    *grouped = (grouped_block){group, _Block_copy(called)};
    item *added = item_of_block(queue, grouped->block);
    added->function = call_grouped;
    added->context = grouped;
    turns_add(added);
    offer(EXPLORE_AT_DISPATCH, CALLER);
}
