// The creation of tasks. The program's call tells of most tasks; the runtime's own tasks are first seen when they are enqueued or run.

#include "probe_creation.h"

#include "dispatch_blocks.h"
#include "probe_completion.h"
#include "probe_dependency.h"
#include "probe_executors.h"
#include "probe_hops.h"
#include "probe_routes.h"
#include "probe_slices.h"
#include "probe_statement.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

/// The kind of a task for which the probe saw no creating call of the program.
static uint8_t kind_by_flags(const swift_task *task) {
    if ((task->flags & SWIFT_TASK_IS_ASYNC_LET) != 0) return TRACE_TASK_ASYNC_LET;
    if ((task->flags & SWIFT_TASK_IS_GROUP_CHILD) != 0) return TRACE_TASK_GROUP_CHILD;
    return probe_has_hooks_only ? TRACE_TASK_UNSTRUCTURED : TRACE_TASK_INTERNAL;
}

void task_was_created(swift_task *task, const void *frame) {
    if (!completion_observe(task)) return;
    task_proves_word(task);
    statement_tell();
    swift_task *current = probe_running();
    bool is_body = false;
    uint64_t creator = block_or_task_running(current != task ? current : NULL, &is_body);
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
    if (creation->is_unqueued && creator == 0) kind = TRACE_TASK_MAIN;
    // A Swift task that runs the body of a chain's task is an implementation detail.
    if (is_body) kind = TRACE_TASK_INTERNAL;
    if (probe_has(TRACE_ROUTE_CREATED)) trace_emit(TRACE_CREATED, kind, 0, label, task_number(task), creator);
}

// MARK: - Events that can be the first sign of a task

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
    if (probe_has_hooks_only && probe_this.running == task) {
        probe_this.running = probe_this.outer;
        probe_this.outer = NULL;
        trace_emit(TRACE_SUSPENDED, TRACE_SUSPENDED_EXECUTOR, 0, 0, number, 0);
        if (executor != 0 && executor != probe_this.executor)
            trace_emit(TRACE_HOPPED, TRACE_HOP_DISPATCHED, executor, 0, number, probe_this.executor);
    }
    // A task that ends enqueues its waiters after its slice has ended, so only the runtime still names it.
    swift_task *current = is_new ? probe_running() : swift_task_getCurrent();
    bool is_body = false;
    uint64_t by = block_or_task_running(current != task ? current : NULL, &is_body);
    if (probe_has(TRACE_ROUTE_QUEUES)) trace_emit(TRACE_ENQUEUED, task_priority(task), executor, 0, number, by);
}

void task_slice_began(swift_task *task) {
    if (task_is_new(task)) task_was_created(task, NULL);
    else completion_observe_older(task);
    slice_began(task);
}
