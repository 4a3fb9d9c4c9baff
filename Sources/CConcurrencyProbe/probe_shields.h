// Cancellation shields of Swift 6.4: a task in one goes on as if it were not cancelled.

#ifndef PROBE_SHIELDS_H
#define PROBE_SHIELDS_H

#include "swift_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// True if the runtime has shields. With hooks only, the probe does not see them.
bool shields_are_there(void);

/// Starts to observe the runtime's shields.
void shields_watch(void);

/// Called for a request to cancel a task. Records that the task is in a shield, which the probe may not have seen begin.
void shield_is_asked_for(const swift_task *task, uint64_t number);

#pragma GCC visibility pop

#endif
