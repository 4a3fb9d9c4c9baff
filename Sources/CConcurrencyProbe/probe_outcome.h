// The acts of others on a task: they read its value, take its outcome, release it.

#ifndef PROBE_OUTCOME_H
#define PROBE_OUTCOME_H

#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Called when the current task reads the value of a finished task without suspending.
void task_was_read(swift_task *task);

/// Called when the current task takes the outcome of a child of its group that has ended.
void child_was_taken(swift_task *child);

/// Called when a child of a group, which has just ended on this thread, gives its outcome to the waiting parent.
void child_was_handed_over(swift_task *parent);

void task_is_destroyed(swift_task *task);

#pragma GCC visibility pop

#endif
