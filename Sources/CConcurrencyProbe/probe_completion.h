// The end of a task: the probe replaces the function to which the task's first frame returns.

#ifndef PROBE_COMPLETION_H
#define PROBE_COMPLETION_H

#include <stdbool.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Replaces the function that ends a new task, so that the probe sees the end. False if it was already replaced.
bool completion_observe(swift_task *task);

#pragma GCC visibility pop

#endif
