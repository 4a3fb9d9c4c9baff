// The end of a task: the probe replaces the function to which the task's first frame returns.

#ifndef PROBE_COMPLETION_H
#define PROBE_COMPLETION_H

#include <stdbool.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Replaces the function that ends a new task, so that the probe sees the end. False if it was already replaced.
bool completion_observe(swift_task *task);

/// Whether the probe has seen the task before, which has not waited yet and may be in its first slice on another thread. True, too, if that
/// is not known.
bool completion_is_observed(const swift_task *task);

/// An error has left the program's `main`, and the runtime is about to print it and to end the program. Records that the task of an async
/// `main`, which does not return, ends with it, and that the error was read. The calling thread records nothing more.
void main_failed(void *error);

/// Tells that tasks exist which the probe has not seen when they were new. Called before the hooks are set.
void completion_expect_older_tasks(void);

/// Observes a task that began to run before the hooks were set, once a thread has taken it from its queue and before it runs.
void completion_observe_older(swift_task *task);

#pragma GCC visibility pop

#endif
