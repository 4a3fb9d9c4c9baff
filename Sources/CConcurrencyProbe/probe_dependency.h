// The dependency of a suspended or queued task.

#ifndef PROBE_DEPENDENCY_H
#define PROBE_DEPENDENCY_H

#include <stdbool.h>
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

/// True if the probe knows the layout of this runtime's dependency records.
bool dependencies_are_known(void);

#pragma GCC visibility pop

#endif
