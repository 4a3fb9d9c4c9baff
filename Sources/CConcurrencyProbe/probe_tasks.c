// The events of a task's life cycle.

#include "probe.h"

bool task_is_new(const swift_task *task) {
    return task->resume_task == _swift_concurrency_debug_future_adapter
        || task->resume_task == _swift_concurrency_debug_non_future_adapter;
}

/// The kind of a task for which the probe saw no creating call of the program.
static uint8_t kind_by_flags(const swift_task *task) {
    if ((task->flags & SWIFT_TASK_IS_ASYNC_LET) != 0) return TRACE_TASK_ASYNC_LET;
    if ((task->flags & SWIFT_TASK_IS_GROUP_CHILD) != 0) return TRACE_TASK_GROUP_CHILD;
    return hooks_are_alone ? TRACE_TASK_UNSTRUCTURED : TRACE_TASK_INTERNAL;
}

// MARK: - A task's reserved word
//
// The runtime reserves one word in a task for future use and clears it in a new task. The probe stores the task's number in the word's
// lower bits, and in the highest bit whether the task has failed. It stops doing so if it finds that the runtime uses the word.
//
// The word is read and written with relaxed order: only the word itself matters, and its writes are ordered by the runtime's own hand-over
// of the task, by which a thread comes to know the task or its end.

/// A task without a usable word gets its runtime id with this bit set. The shared sequence of numbers never reaches it.
enum { UNKNOWN_LAYOUT_BIT = 35 };

#define FAILED ((uint64_t)1 << 63)

static bool is_word_taken;

static uint64_t *word_of(const swift_task *task) {
    return (uint64_t *)&task->reserved;
}

/// Reads the word. False if the layout is unknown or the runtime uses the word.
static bool read_word(const swift_task *task, uint64_t *content) {
    if (!layout_is_known() || __atomic_load_n(&is_word_taken, __ATOMIC_RELAXED)) return false;
    *content = __atomic_load_n(word_of(task), __ATOMIC_RELAXED);
    if (__builtin_expect((*content & ~FAILED) >> UNKNOWN_LAYOUT_BIT == 0, 1)) return true;
    __atomic_store_n(&is_word_taken, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_READ | TRACE_ROUTE_RELEASED);
    return false;
}

uint64_t task_shared_number(swift_task *task) {
    uint64_t known;
    if (!read_word(task, &known)) return swift_task_getJobTaskId(task) | (uint64_t)1 << UNKNOWN_LAYOUT_BIT;
    if ((known & ~FAILED) != 0) return known & ~FAILED;
    uint64_t next = trace_next_task();
    bool is_mine = __atomic_compare_exchange_n(word_of(task), &known, known | next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return is_mine ? next : known & ~FAILED;
}

void task_set_failed(swift_task *task) {
    uint64_t known;
    if (read_word(task, &known)) __atomic_fetch_or(word_of(task), FAILED, __ATOMIC_RELAXED);
}

bool task_has_failed(const swift_task *task) {
    uint64_t known;
    return read_word(task, &known) && (known & FAILED) != 0;
}

// MARK: - The running task

/// The innermost task, a chain's or Swift's, whose body the calling thread runs. `*is_being_made` is true if it is a chain's task whose
/// body is just being started as a Swift task.
static uint64_t running_task(swift_task *current, bool *is_being_made) {
    *is_being_made = false;
    if (__atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED)) {
        uintptr_t frame = 0;
        uint64_t chain = trace_chain_running(&frame);
        if (chain != 0 && (current == NULL || frame < probe_this.slice)) {
            *is_being_made = frame == 0;
            return chain;
        }
    }
    return task_number(current);
}

uint64_t hopscope_swift_task(void) {
    return probe_is_recording() ? task_number(swift_task_getCurrent()) : 0;
}

uint64_t hopscope_error_source(const void *box) {
    return probe_is_recording() ? error_source(box) : 0;
}

void hopscope_error_left(const void *box, uint64_t task) {
    uint64_t reader = hopscope_swift_task();
    if (reader != 0) error_is_of_chain(box, task, reader);
}

// MARK: - Creation

void task_was_created(swift_task *task, const void *frame) {
    if (!completion_observe(task)) return;
    probe_tell_missing();
    swift_task *current = probe_running();
    bool is_body = false;
    uint64_t creator = running_task(current != task ? current : NULL, &is_body);
    task_creation *creation = probe_this.creation;
    probe_this.creation = NULL;
    task_creation internal;
    if (creation == NULL) {
        // The runtime created the task on its own.
        internal = (task_creation){.kind = kind_by_flags(task)};
        if (frame != NULL) internal.depth = probe_callers(frame, internal.returns, TRACE_CODE_DEPTH);
        creation = &internal;
    }
    uint32_t code = trace_code(TRACE_CODE_CALLS, creation->returns, creation->depth);
    const char *name = probe_has(TRACE_ROUTE_NAMES) ? creation->name : NULL;
    uint32_t label = trace_label_of_code(name, name != NULL ? __builtin_strlen(name) : 0, code);
    uint8_t kind = creation->kind;
    // A task without a creator that is never enqueued is the program's main function.
    if (creation->is_unqueued && creator == 0) kind = TRACE_TASK_ROOT;
    // A Swift task that runs the body of a chain's task is an implementation detail.
    if (is_body) kind = TRACE_TASK_INTERNAL;
    if (probe_has(TRACE_ROUTE_CREATED)) trace_emit(TRACE_CREATED, kind, 0, label, task_number(task), creator);
}

// MARK: - Slices

void task_was_enqueued(swift_task *task, const void *frame) {
    bool is_new = task_is_new(task);
    if (is_new) task_was_created(task, frame);
    if (probe_this.unqueued == task) probe_this.unqueued = NULL;
    uint64_t number = task_number(task);
    task_dependency dependency = dependency_of(task);
    uint16_t executor = 0;
    if (probe_this.hopping == task) {
        executor = hop_to(probe_this.hop);
        hop_was_dispatched(number);
    } else if (dependency.kind == DEPENDENCY_EXECUTOR) {
        executor = dependency.executor.identity != NULL
            ? executor_number(dependency.executor.identity, dependency.executor.implementation)
            : executor_preferred(task);
    }
    // The task enqueues itself. With hooks only, no other event reports that suspension.
    if (hooks_are_alone && probe_this.running == task) {
        probe_this.running = probe_this.outer;
        probe_this.outer = NULL;
        trace_emit(TRACE_SUSPENDED, TRACE_SUSPENDED_EXECUTOR, 0, 0, number, 0);
        if (executor != 0 && executor != probe_this.executor)
            trace_emit(TRACE_HOPPED, TRACE_HOP_DISPATCHED, executor, 0, number, probe_this.executor);
    }
    // A task that ends enqueues its waiters after its slice has ended, so only the runtime still names it.
    swift_task *current = is_new ? probe_running() : swift_task_getCurrent();
    bool is_body = false;
    uint64_t by = running_task(current != task ? current : NULL, &is_body);
    if (probe_has(TRACE_ROUTE_QUEUES)) trace_emit(TRACE_ENQUEUED, task_priority(task), executor, 0, number, by);
}

void task_slice_began(swift_task *task) {
    if (task_is_new(task)) task_was_created(task, NULL);
    bool is_inline = probe_this.unqueued == task, is_dequeued = probe_this.dequeued == task || !hooks_see_dequeuing();
    probe_this.unqueued = NULL;
    probe_this.dequeued = NULL;
    probe_this.hopping = NULL;
    probe_this.outer = probe_this.running;
    // The task begins inside another one's slice. The hops so far are that task's.
    if (probe_this.outer != NULL && probe_this.has_hops) hops_flush(task_number(probe_this.outer));
    probe_this.running = task;
    probe_this.slice = (uintptr_t)PROBE_FRAME;
    probe_this.executor = executor_current();
    probe_this.knows_executor = true;
    uint64_t number = task_number(task);
    typed_error_goes_on(number);
    if (!probe_has(TRACE_ROUTE_SLICES)) {
        hops_begin(0);
        return;
    }
    // If the awaited value arrives while the task is about to suspend, the task continues on the same thread.
    uint8_t kind = is_inline || is_dequeued ? TRACE_STARTED : TRACE_RESUMED;
    uint8_t manner = is_inline ? TRACE_START_INLINE : is_dequeued ? TRACE_START_SLICE : 0;
    hops_begin(trace_emit(kind, manner, probe_this.executor, 0, number, 0));
}

uint16_t task_slice_ended(swift_task *task, uint64_t number) {
    // A hopping task leaves its previous executor only now.
    bool is_hopping = hop_is_dispatched(task);
    uint16_t executor = is_hopping ? hop_from(probe_this.hop) : probe_this.executor;
    if (!is_hopping) probe_this.hopping = NULL;
    if (!probe_this.knows_executor || hooks_are_alone) executor = 0;
    hops_flush(number);
    // If the awaited value arrives while the task is about to suspend, the task continues. With hooks only, no other event reports that.
    if (hooks_are_alone && probe_this.running != task && probe_has(TRACE_ROUTE_SLICES)) trace_emit(TRACE_RESUMED, 0, 0, 0, number, 0);
    else probe_this.running = probe_this.outer;
    // The outer task continues on its executor. Its stay there does not include the inner task's slice.
    if (probe_this.outer != NULL) hops_begin(trace_ticks());
    probe_this.outer = NULL;
    probe_this.knows_executor = false;
    return executor;
}

/// The entry for the task's async calls, from the suspending call outwards.
static uint32_t backtrace_of(const swift_task *task) {
    const void *returns[TRACE_CODE_DEPTH];
    size_t count = 0;
    if (task->resume_task != NULL) returns[count++] = task->resume_task;
    const swift_async_context *context = task->resume_context;
    while (context != NULL && context->resume_parent != NULL && count < TRACE_CODE_DEPTH) {
        returns[count++] = context->resume_parent;
        context = context->parent;
    }
    return trace_code(TRACE_CODE_RESUMES, returns, count);
}

static uint8_t reason_of(dependency_kind kind) {
    switch (kind) {
    case DEPENDENCY_NONE: return TRACE_SUSPENDED_AWAITING;
    case DEPENDENCY_TASK: return TRACE_SUSPENDED_TASK;
    case DEPENDENCY_CONTINUATION: return TRACE_SUSPENDED_CONTINUATION;
    case DEPENDENCY_GROUP: return TRACE_SUSPENDED_GROUP;
    case DEPENDENCY_EXECUTOR: return TRACE_SUSPENDED_EXECUTOR;
    }
    return TRACE_SUSPENDED_AWAITING;
}

void task_was_suspended(swift_task *task) {
    uint64_t number = task_number(task);
    typed_error_is_kept(number);
    uint16_t executor = task_slice_ended(task, number);
    if (!probe_has(TRACE_ROUTE_SLICES)) return;
    task_dependency dependency = dependency_of(task);
    if (dependency.kind == DEPENDENCY_EXECUTOR) {
        // A backtrace is not needed: the task continues as soon as the executor takes it.
        trace_emit(TRACE_SUSPENDED, TRACE_SUSPENDED_EXECUTOR, executor, 0, number, 0);
        return;
    }
    // With hooks only, the task may have taken a free actor unseen.
    if (hooks_are_alone) executor = executor_current();
    trace_emit(TRACE_SUSPENDED, reason_of(dependency.kind), executor, backtrace_of(task), number, task_number(dependency.task));
}

void task_blocks(uint64_t task, const void *frame) {
    const void *returns[TRACE_CODE_DEPTH];
    size_t depth = probe_callers(frame, returns, TRACE_CODE_DEPTH);
    depth = probe_add_hidden_caller(frame, returns, depth, TRACE_CODE_DEPTH);
    uint32_t code = trace_code(TRACE_CODE_CALLS, returns, depth);
    trace_emit(TRACE_WAIT_BEGAN, 0, 0, code != 0 ? trace_label_of_code(NULL, 0, code) : 0, 0, task);
}

void task_goes_on(uint64_t task, bool gave_up) {
    trace_emit(TRACE_WAIT_ENDED, gave_up ? 1 : 0, 0, 0, 0, task);
}

void task_was_cancelled(swift_task *task) {
    swift_task *current = swift_task_getCurrent();
    trace_emit(TRACE_CANCELLATION_ASKED, 0, 0, 0, task_number(task), task_number(current));
}

void task_was_read(swift_task *task) {
    swift_task *current = swift_task_getCurrent();
    if (current == task) return;
    uint64_t number = task_number(task), reader = task_number(current);
    bool is_child = (task->flags & (SWIFT_TASK_IS_ASYNC_LET | SWIFT_TASK_IS_GROUP_CHILD)) != 0;
    // A reader that finds the value ready does not suspend, so this event is the only sign of the wait. A child is always awaited by its
    // parent and needs no event.
    if (reader != 0 && !is_child) trace_emit(TRACE_ANTECEDENT, TRACE_ANTECEDENT_AWAITED, 0, 0, reader, number);
    if (task_has_failed(task)) trace_emit(TRACE_ERROR_READ, 0, 0, 0, number, reader);
}

void task_is_destroyed(swift_task *task) {
    if (task_has_failed(task)) trace_emit(TRACE_RELEASED, 0, 0, 0, task_number(task), 0);
}
