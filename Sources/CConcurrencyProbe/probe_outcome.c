// The acts of others on a task: they read its value, take its outcome, release it.

#include "probe_outcome.h"

#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

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

/// True if the task takes a child's outcome only because its group's scope ends. The runtime notes the function that gets the outcome
/// before it looks for a child.
static bool is_leaving_group(const swift_task *parent) {
    if (!is_task(parent)) return false;
    // The end of the scope takes the outcomes as any code does, by next().
    const swift_async_context *context = parent->resume_context;
    for (int calls = 0; calls < 2 && context != NULL; calls++, context = context->parent) {
        const void *taker = context->resume_parent;
        if (is_in(probe_code.group_scope[0], taker) || is_in(probe_code.group_scope[1], taker)) return true;
    }
    return false;
}

static void error_was_dropped(uint64_t child, swift_task *parent) {
    if (probe_has(TRACE_ROUTE_READ)) trace_emit(TRACE_RELEASED, TRACE_RELEASED_BY_GROUP, 0, 0, child, task_number(parent));
}

void child_was_taken(swift_task *child) {
    swift_task *parent = swift_task_getCurrent();
    if (parent == NULL || parent == child || !is_task(child) || (child->flags & SWIFT_TASK_IS_GROUP_CHILD) == 0) return;
    if (task_has_failed(child) && is_leaving_group(parent)) error_was_dropped(task_number(child), parent);
}

void child_was_handed_over(swift_task *parent) {
    uint64_t child = probe_this.failed_child;
    probe_this.failed_child = 0;
    if (child != 0 && is_leaving_group(parent)) error_was_dropped(child, parent);
}

void task_is_destroyed(swift_task *task) {
    // A group keeps an ended child until its outcome is taken.
    bool is_child = (task->flags & SWIFT_TASK_IS_GROUP_CHILD) != 0 && probe_has(TRACE_ROUTE_CHILDREN) && task_has_number(task);
    bool has_failed = task_has_failed(task) && probe_has(TRACE_ROUTE_RELEASED);
    uint8_t manner = has_failed ? TRACE_RELEASED_UNREFERENCED : TRACE_RELEASED_TAKEN;
    if (is_child || has_failed) trace_emit(TRACE_RELEASED, manner, 0, 0, task_number(task), 0);
    task_is_gone(task);
}
