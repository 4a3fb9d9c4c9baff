// The acts of others on a task: they cancel it, read its value, release it.

#include "probe_outcome.h"

#include "probe_tasks.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

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
    task_is_gone(task);
}
