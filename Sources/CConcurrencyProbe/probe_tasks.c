// A task's life, as the trace tells it.

#include "probe.h"

bool task_is_new(const swift_task *task) {
    return task->resume_task == _swift_concurrency_debug_future_adapter
        || task->resume_task == _swift_concurrency_debug_non_future_adapter;
}

/// How a task came to be that the program did not make by a call which the probe sees.
static uint8_t kind_by_flags(const swift_task *task) {
    if ((task->flags & SWIFT_TASK_IS_ASYNC_LET) != 0) return TRACE_TASK_ASYNC_LET;
    if ((task->flags & SWIFT_TASK_IS_GROUP_CHILD) != 0) return TRACE_TASK_GROUP_CHILD;
    return hooks_are_alone ? TRACE_TASK_UNSTRUCTURED : TRACE_TASK_INTERNAL;
}

void task_was_created(swift_task *task, const void *frame) {
    if (!completion_observe(task)) return;
    probe_tell_missing();
    swift_task *current = swift_task_getCurrent();
    uint64_t creator = current != task ? task_number(current) : 0;
    task_creation *creation = probe_this.creation;
    probe_this.creation = NULL;
    task_creation internal;
    if (creation == NULL) {
        // The runtime made it itself.
        internal = (task_creation){.kind = kind_by_flags(task)};
        if (frame != NULL) internal.depth = probe_callers(frame, internal.returns, TRACE_CODE_DEPTH);
        creation = &internal;
    }
    uint32_t code = trace_code(TRACE_CODE_CALLS, creation->returns, creation->depth);
    size_t length = creation->name != NULL ? __builtin_strlen(creation->name) : 0;
    uint32_t label = trace_label_of_code(creation->name, length, code);
    uint8_t kind = creation->kind;
    // Nobody made the program's first task: its main function is it.
    if (creation->is_unqueued && creator == 0) kind = TRACE_TASK_ROOT;
    trace_emit(TRACE_CREATED, kind, 0, label, task_number(task), creator);
}

void task_was_enqueued(swift_task *task, const void *frame) {
    if (task_is_new(task)) task_was_created(task, frame);
    if (probe_this.unqueued == task) probe_this.unqueued = NULL;
    uint64_t number = task_number(task);
    task_dependency dependency = dependency_of(task);
    uint16_t executor = 0;
    if (probe_this.hopping == task) {
        executor = probe_this.hop_to;
        hop_was_dispatched(number);
    } else if (dependency.kind == DEPENDENCY_EXECUTOR) {
        executor = executor_number(dependency.executor.identity, dependency.executor.implementation);
    }
    // It puts itself into a queue: nothing else tells that it suspends for that.
    if (hooks_are_alone && probe_this.running == task) {
        probe_this.running = probe_this.outer;
        probe_this.outer = NULL;
        trace_emit(TRACE_SUSPENDED, TRACE_SUSPENDED_EXECUTOR, 0, 0, number, 0);
        if (executor != 0 && executor != probe_this.executor)
            trace_emit(TRACE_HOPPED, TRACE_HOP_DISPATCHED, executor, 0, number, probe_this.executor);
    }
    swift_task *current = swift_task_getCurrent();
    trace_emit(TRACE_ENQUEUED, 0, executor, 0, number, current != task ? task_number(current) : 0);
}

void task_slice_began(swift_task *task) {
    if (task_is_new(task)) task_was_created(task, NULL);
    bool is_inline = probe_this.unqueued == task, is_dequeued = probe_this.dequeued == task || !hooks_see_dequeuing();
    probe_this.unqueued = NULL;
    probe_this.dequeued = NULL;
    probe_this.hopping = NULL;
    probe_this.outer = probe_this.running;
    probe_this.running = task;
    probe_this.executor = executor_current();
    probe_this.knows_executor = true;
    uint64_t number = task_number(task);
    if (is_inline) trace_emit(TRACE_STARTED, TRACE_START_INLINE, probe_this.executor, 0, number, 0);
    else if (is_dequeued) trace_emit(TRACE_STARTED, TRACE_START_SLICE, probe_this.executor, 0, number, 0);
    // What it awaited came while it was about to suspend: it goes on where it is.
    else trace_emit(TRACE_RESUMED, 0, 0, 0, number, 0);
}

void task_slice_ended(swift_task *task, uint64_t number) {
    hops_flush(number);
    // What it awaited came while it was about to suspend; where there are only hooks, nothing else tells of that.
    if (hooks_are_alone && probe_this.running != task) trace_emit(TRACE_RESUMED, 0, 0, 0, number, 0);
    else probe_this.running = probe_this.outer;
    probe_this.outer = NULL;
    probe_this.knows_executor = false;
}

/// The task's asynchronous calls, from the one that suspends outwards.
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
    task_slice_ended(task, number);
    task_dependency dependency = dependency_of(task);
    // One that only changes executors says where it goes; what it calls is of no interest.
    uint32_t code = dependency.kind == DEPENDENCY_EXECUTOR ? 0 : backtrace_of(task);
    trace_emit(TRACE_SUSPENDED, reason_of(dependency.kind), 0, code, number, task_number(dependency.task));
}

void task_was_cancelled(swift_task *task) {
    swift_task *current = swift_task_getCurrent();
    trace_emit(TRACE_CANCELLATION_ASKED, 0, 0, 0, task_number(task), task_number(current));
}

void task_was_read(swift_task *task) {
    swift_task *current = swift_task_getCurrent();
    uint64_t number = task_number(task);
    if (current != task && error_is_of(number)) trace_emit(TRACE_ERROR_READ, 0, 0, 0, number, task_number(current));
}

void task_is_destroyed(swift_task *task) {
    uint64_t number = task_number(task);
    if (error_forget(number)) trace_emit(TRACE_RELEASED, 0, 0, 0, number, 0);
}
