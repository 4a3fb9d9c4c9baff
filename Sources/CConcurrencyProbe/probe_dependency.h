// The dependency of a suspended or queued task.

#ifndef PROBE_DEPENDENCY_H
#define PROBE_DEPENDENCY_H

#include "swift_abi.h"

#pragma GCC visibility push(hidden)

typedef enum dependency_kind {
    DEPENDENCY_NONE = 0,
    DEPENDENCY_TASK = 1,
    DEPENDENCY_CONTINUATION = 2,
    DEPENDENCY_GROUP = 3,
    DEPENDENCY_EXECUTOR = 4,
} dependency_kind;

typedef struct task_dependency {
    dependency_kind kind;
    swift_task *task;         ///< for DEPENDENCY_TASK
    swift_executor executor;  ///< for DEPENDENCY_EXECUTOR
} task_dependency;

/// The dependency of a suspended or queued task; DEPENDENCY_NONE if it is not known.
task_dependency dependency_of(swift_task *task);

/// The dependency of a task that suspends: it has one. If many are not known, the routes that rest on them are taken away.
task_dependency dependency_of_suspending(swift_task *task);

#pragma GCC visibility pop

#endif
