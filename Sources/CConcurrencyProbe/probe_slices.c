// The slices of a task: the times during which a thread runs it.

#include "probe_slices.h"

#include "probe_dependency.h"
#include "probe_errors.h"
#include "probe_executors.h"
#include "probe_hops.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

// MARK: - Slices

/// True if the thread took the task from a queue. Only a thread that begins to run a task acquires it and then enters it, so a version of
/// the runtime that begins a run in another place is understood too.
static bool was_dequeued(const swift_task *task) {
    return probe_this.dequeued == task || probe_this.acquired == task || !probe_sees_dequeuing;
}

void slice_began(swift_task *task) {
    bool is_inline = probe_this.unqueued == task, is_dequeued = was_dequeued(task);
    probe_this.unqueued = NULL;
    probe_this.dequeued = NULL;
    probe_this.acquired = NULL;
    probe_this.failed_child = 0;
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

uint16_t slice_ended(swift_task *task, uint64_t number) {
    // A hopping task leaves its previous executor only now.
    bool is_hopping = hop_is_dispatched(task);
    uint16_t executor = is_hopping ? hop_from(probe_this.hop) : probe_this.executor;
    if (!is_hopping) probe_this.hopping = NULL;
    if (!probe_this.knows_executor || probe_has_hooks_only) executor = 0;
    hops_flush(number);
    // If the awaited value arrives while the task is about to suspend, the task continues. With hooks only, no other event reports that.
    if (probe_has_hooks_only && probe_this.running != task && probe_has(TRACE_ROUTE_SLICES)) trace_emit(TRACE_RESUMED, 0, 0, 0, number, 0);
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
    uint16_t executor = slice_ended(task, number);
    if (!probe_has(TRACE_ROUTE_SLICES)) return;
    task_dependency dependency = dependency_of_suspending(task);
    if (dependency.kind == DEPENDENCY_EXECUTOR) {
        // A backtrace is not needed: the task continues as soon as the executor takes it.
        trace_emit(TRACE_SUSPENDED, TRACE_SUSPENDED_EXECUTOR, executor, 0, number, 0);
        return;
    }
    // With hooks only, the task may have taken a free actor unseen.
    if (probe_has_hooks_only) executor = executor_current();
    trace_emit(TRACE_SUSPENDED, reason_of(dependency.kind), executor, backtrace_of(task), number, task_number(dependency.task));
}

void *task_is_resumed_with_error(swift_task *task, const void *frame) {
    // The compiler writes and reads this context, so its layout is fixed.
    const struct {
        swift_async_context head;
        uintptr_t flags, state;
        void *error;
    } *continuation = (const void *)task->resume_context;
    if (continuation == NULL) return NULL;
    // Before the task awaits the continuation, the line that resumes it is the only place.
    uint32_t code = 0;
    if (__atomic_load_n(&continuation->state, __ATOMIC_ACQUIRE) != 0) {
        code = backtrace_of(task);
    } else {
        const void *returns[TRACE_CODE_DEPTH];
        code = trace_code(TRACE_CODE_CALLS, returns, probe_callers(frame, returns, TRACE_CODE_DEPTH));
    }
    return error_arrives(continuation->error, code) ? continuation->error : NULL;
}

void task_blocks(uint64_t task, uint64_t awaited, const void *frame) {
    const void *returns[TRACE_CODE_DEPTH];
    size_t depth = probe_callers(frame, returns, TRACE_CODE_DEPTH);
    depth = probe_add_hidden_caller(frame, returns, depth, TRACE_CODE_DEPTH);
    uint32_t code = trace_code(TRACE_CODE_CALLS, returns, depth);
    trace_emit(TRACE_WAIT_BEGAN, 0, 0, code != 0 ? trace_label_of_code(NULL, 0, code) : 0, awaited, task);
}

void task_goes_on(uint64_t task, uint64_t awaited, bool gave_up) {
    trace_emit(TRACE_WAIT_ENDED, gave_up ? 1 : 0, 0, 0, awaited, task);
}
