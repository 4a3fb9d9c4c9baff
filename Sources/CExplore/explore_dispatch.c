// Dispatch: blocks and jobs are kept until it is their turn, and then given to their queue one at a time.

#define _GNU_SOURCE
#include "explore_dispatch.h"

#include "explore_choice.h"
#include "explore_functions.h"
#include "explore_players.h"
#include "explore_queues.h"
#include "explore_strands.h"
#include "explore_time.h"
#include "explore_turns.h"
#include "probe_ordered.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DISPATCH extern __attribute__((weak))

extern __attribute__((weak)) char _dispatch_main_q[];
DISPATCH void *dispatch_get_global_queue(intptr_t quality, uintptr_t flags);
DISPATCH void dispatch_retain(void *object);
DISPATCH void dispatch_group_enter(void *group);
DISPATCH void *_Block_copy(const void *block);
DISPATCH void _Block_release(const void *block);
EXPORTED void dispatch_main(void);
EXPORTED intptr_t dispatch_semaphore_signal(void *semaphore);
EXPORTED void dispatch_group_leave(void *group);

/// The last blocks that were made with the flag of a barrier, and their code: the block at such an address may be another one by now.
static struct {
    const block *made;
    void (*invoke)(void *);
} barriers[256];
static unsigned barrier_count;

/// Blocks that wait for a group. Dispatch would submit them itself, past this library.
static struct {
    void *group;
    item *item;
} notified[256];
static int notified_count;

bool dispatch_passes(uintptr_t caller) {
    return !explore.is_on || explore_this.is_inside || is_in(explore.dispatch, caller);
}

static void call_block(void *called) {
    ((block *)called)->invoke(called);
    turns_unblock(called, true);  // a thread may wait for a work item
    _Block_release(called);
}

static item *make_item(void *queue, void *context, void (*function)(void *), uint32_t strand, uintptr_t site) {
    item *made = calloc(1, sizeof *made);
    *made = (item){.kind = queue_kind(queue), .context = context, .function = function, .strand = strand, .site = site};
    if (made->kind == ITEM_QUEUE) {
        made->submitted = queue;
        dispatch_retain(queue);
        made->queue = queue_of_turns(queue);
        made->is_exclusive = queue_is_serial(made->queue);
    }
    return made;
}

static void *note_barrier(uintptr_t flags, void *made) {
    enum { BARRIER = 1 };
    if (!explore.is_on || (flags & BARRIER) == 0 || made == NULL) return made;
    unsigned index = __atomic_fetch_add(&barrier_count, 1, __ATOMIC_RELAXED) % (sizeof barriers / sizeof *barriers);
    barriers[index].made = made;
    barriers[index].invoke = ((block *)made)->invoke;
    return made;
}

void *ordered_dispatch_block_create(uintptr_t flags, void *block) {
    return note_barrier(flags, RECORDED(dispatch_block_create)(flags, block));
}

void *ordered_dispatch_block_create_with_qos_class(uintptr_t flags, unsigned quality, int relative, void *block) {
    return note_barrier(flags, RECORDED(dispatch_block_create_with_qos_class)(flags, quality, relative, block));
}

static bool has_barrier(const block *called) {
    for (size_t index = 0; index < sizeof barriers / sizeof *barriers; index++)
        if (barriers[index].made == called && barriers[index].invoke == called->invoke) return true;
    return false;
}

item *item_of_block(void *queue, void *copied, const void *frame, bool is_queued) {
    uintptr_t site = (uintptr_t)((block *)copied)->invoke;
    explore_lock();
    uint32_t strand = strand_make(EXPLORE_BLOCK, site);
    explore_unlock();
    item *made = make_item(queue, copied, call_block, strand, site);
    if (made->kind == ITEM_QUEUE && has_barrier(copied)) made->is_exclusive = made->is_barrier = true;
    made->made = kept_block_made(queue, frame, is_queued);
    return made;
}

item *item_of_call(void *queue, void *context, void (*function)(void *), uintptr_t site) {
    explore_lock();
    uint32_t strand = strand_make(EXPLORE_BLOCK, site);
    explore_unlock();
    return make_item(queue, context, function, strand, site);
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

void ordered_dispatch_async_f(void *queue, void *context, void (*function)(void *)) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_async_f)(queue, context, function);
        return;
    }
    bool is_job = is_from_runtime(CALLER);
    item *added = item_of_function(queue, context, function, is_job);
    if (!is_job) added->made = kept_block_made(queue, FRAME, true);
    turns_add(added);
}

void ordered_dispatch_async(void *queue, void *block) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_async)(queue, block);
        return;
    }
    turns_add(item_of_block(queue, _Block_copy(block), FRAME, true));
    offer(EXPLORE_AT_DISPATCH, CALLER);
}

void ordered_dispatch_barrier_async(void *queue, void *block) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_barrier_async)(queue, block);
        return;
    }
    item *added = item_of_block(queue, _Block_copy(block), FRAME, true);
    if (added->kind == ITEM_QUEUE) added->is_exclusive = added->is_barrier = true;
    turns_add(added);
    offer(EXPLORE_AT_DISPATCH, CALLER);
}

void ordered_dispatch_after_f(uint64_t when, void *queue, void *context, void (*function)(void *)) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_after_f)(when, queue, context, function);
        return;
    }
    item *timer = item_of_function(queue, context, function, false);
    if (!is_from_runtime(CALLER)) timer->made = kept_block_made(queue, FRAME, false);
    turns_add_timer(timer, time_of_dispatch(when));
}

void ordered_dispatch_after(uint64_t when, void *queue, void *block) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_after)(when, queue, block);
        return;
    }
    turns_add_timer(item_of_block(queue, _Block_copy(block), FRAME, false), time_of_dispatch(when));
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
static void run_on_main_thread(void *block, const void *frame) {
    waited_block waited = {block, false};
    explore_lock();
    uint32_t strand = strand_make(EXPLORE_BLOCK, (uintptr_t)waited.block->invoke);
    explore_unlock();
    item *added = make_item(_dispatch_main_q, &waited, call_waited, strand, (uintptr_t)waited.block->invoke);
    added->made = kept_block_made(_dispatch_main_q, frame, true);
    uint64_t awaited = added->made.number;
    turns_add(added);
    while (!waited.has_run) turns_wait(&waited, INT64_MAX, awaited);
}

static void acquire(void *asked) {
    const busy_queue *turn = asked;
    if (turn->queue != NULL) turns_acquire(turn->queue, turn->is_exclusive);
}

static void run_sync(void *queue, void *block, bool is_barrier, const void *frame, uintptr_t caller) {
    offer(EXPLORE_AT_DISPATCH, caller);
    item_kind kind = queue_kind(queue);
    if (kind == ITEM_MAIN && explore_this.player != &explore.main) {
        run_on_main_thread(block, frame);
        return;
    }
    busy_queue turn = {0};
    if (kind == ITEM_QUEUE) {
        turn.queue = queue_of_turns(queue);
        turn.is_exclusive = is_barrier || has_barrier(block) || queue_is_serial(turn.queue);
    }
    kept_block_is_called(queue, block, is_barrier, frame, acquire, &turn);
    if (turn.queue != NULL) turns_release(turn.queue, turn.is_exclusive);
}

void ordered_dispatch_sync(void *queue, void *block) {
    if (dispatch_passes(CALLER) || !has_turn()) RECORDED(dispatch_sync)(queue, block);
    else run_sync(queue, block, false, FRAME, CALLER);
}

void ordered_dispatch_barrier_sync(void *queue, void *block) {
    if (dispatch_passes(CALLER) || !has_turn()) RECORDED(dispatch_barrier_sync)(queue, block);
    else run_sync(queue, block, true, FRAME, CALLER);
}

void dispatch_main(void) {
    if (!explore.is_on) NEXT(dispatch_main)();
    turns_run_main();
}

// MARK: - Iterations

typedef struct iterations {
    block *block;
    size_t left;
} iterations;

typedef struct iteration {
    iterations *all;
    size_t index;
} iteration;

static void call_iteration(void *argument) {
    iteration one = *(iteration *)argument;
    free(argument);
    ((void (*)(void *, size_t))one.all->block->invoke)(one.all->block, one.index);
    if (--one.all->left == 0) turns_unblock(one.all, true);
}

void ordered_dispatch_apply(size_t count, void *queue, void *called) {
    if (dispatch_passes(CALLER) || !has_turn()) {
        RECORDED(dispatch_apply)(count, queue, called);
        return;
    }
    iterations all = {called, count};
    void *runs_on = queue != NULL ? queue : dispatch_get_global_queue(0, 0);
    for (size_t index = 0; index < count; index++) {
        iteration *one = malloc(sizeof *one);
        *one = (iteration){&all, index};
        item *added = item_of_call(runs_on, one, call_iteration, (uintptr_t)all.block->invoke);
        added->made = kept_block_made(queue, FRAME, true);
        turns_add(added);
    }
    while (all.left > 0) turns_block(&all, INT64_MAX);
}

// MARK: - Semaphores and groups

/// Tries until it succeeds or the limit is reached. Returns what Dispatch's function would.
static intptr_t wait_for(void *object, uint64_t limit, intptr_t (*next)(void *, uint64_t), bool is_group) {
    int64_t deadline = limit == UINT64_MAX ? INT64_MAX : time_of_dispatch(limit);
    while (next(object, 0) != 0) {
        if (deadline <= time_now()) return 1;
        turns_wait(object, deadline, is_group ? kept_group_awaits(object) : 0);
    }
    return 0;
}

intptr_t ordered_dispatch_semaphore_wait(void *semaphore, uint64_t limit) {
    if (dispatch_passes(CALLER) || !has_turn()) return RECORDED(dispatch_semaphore_wait)(semaphore, limit);
    offer(EXPLORE_AT_WAIT, CALLER);
    return wait_for(semaphore, limit, RECORDED(dispatch_semaphore_wait), false);
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    intptr_t woke = NEXT(dispatch_semaphore_signal)(semaphore);
    turns_unblock(semaphore, false);
    if (!dispatch_passes(CALLER)) offer(EXPLORE_AT_WAIT, CALLER);
    return woke;
}

intptr_t ordered_dispatch_block_wait(void *block, uint64_t limit) {
    if (dispatch_passes(CALLER) || !has_turn()) return RECORDED(dispatch_block_wait)(block, limit);
    offer(EXPLORE_AT_WAIT, CALLER);
    return wait_for(block, limit, RECORDED(dispatch_block_wait), false);
}

intptr_t ordered_dispatch_group_wait(void *group, uint64_t limit) {
    if (dispatch_passes(CALLER) || !has_turn()) return RECORDED(dispatch_group_wait)(group, limit);
    offer(EXPLORE_AT_WAIT, CALLER);
    return wait_for(group, limit, RECORDED(dispatch_group_wait), true);
}

void dispatch_group_leave(void *group) {
    NEXT(dispatch_group_leave)(group);
    turns_unblock(group, true);
    if (!explore.is_on || notified_count == 0 || RECORDED(dispatch_group_wait)(group, 0) != 0) return;
    for (int index = 0; index < notified_count;) {
        if (notified[index].group != group) {
            index++;
            continue;
        }
        item *due = notified[index].item;
        TAKE_OUT(notified, notified_count, index);
        turns_add(due);
    }
}

void ordered_dispatch_group_notify(void *group, void *queue, void *block) {
    if (dispatch_passes(CALLER) || notified_count == sizeof notified / sizeof *notified) {
        RECORDED(dispatch_group_notify)(group, queue, block);
        return;
    }
    item *due = item_of_block(queue, _Block_copy(block), FRAME, false);
    if (RECORDED(dispatch_group_wait)(group, 0) == 0) {
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

void ordered_dispatch_group_async(void *group, void *queue, void *called) {
    if (dispatch_passes(CALLER)) {
        RECORDED(dispatch_group_async)(group, queue, called);
        return;
    }
    dispatch_group_enter(group);
    grouped_block *grouped = malloc(sizeof *grouped);
    *grouped = (grouped_block){group, _Block_copy(called)};
    item *added = item_of_block(queue, grouped->block, FRAME, true);
    kept_block_joins(&added->made, group);
    added->function = call_grouped;
    added->context = grouped;
    turns_add(added);
    offer(EXPLORE_AT_DISPATCH, CALLER);
}
