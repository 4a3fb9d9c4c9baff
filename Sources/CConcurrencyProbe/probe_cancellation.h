// Cancellation: the requests that reach a task, and the task's own looks at them.

#ifndef PROBE_CANCELLATION_H
#define PROBE_CANCELLATION_H

#include "swift_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Records that the runtime has set the task's cancellation. `frame` leads to the runtime's calls that did.
void task_was_cancelled(swift_task *task, const void *frame);

/// Records that the current task has found that it is cancelled.
void cancellation_was_seen(void);

/// Called for every throw: one of `CancellationError` by a cancelled task shows that the task knows.
void cancellation_may_be_thrown(void *error);

/// Called for every continuation that is resumed with an error. `CancellationError` for a cancelled task comes from its cancellation
/// handler, as that of a sleep.
void cancellation_arrives(swift_task *task, void *error);

/// True if throws of `CancellationError` can be told from others.
bool cancellation_errors_are_known(void);

#pragma GCC visibility pop

#endif
