// The creation of tasks, and the events that can be the first sign of a task.

#ifndef PROBE_CREATION_H
#define PROBE_CREATION_H

#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Records a task's creation, once per task, before another thread can run the task.
/// `frame` is the frame of the probe's function that the runtime called, NULL if it is not known.
void task_was_created(swift_task *task, const void *frame);
void task_was_enqueued(swift_task *task, const void *frame);
void task_slice_began(swift_task *task);

#pragma GCC visibility pop

#endif
