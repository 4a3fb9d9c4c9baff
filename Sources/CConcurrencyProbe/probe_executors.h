// The numbers of executors.

#ifndef PROBE_EXECUTORS_H
#define PROBE_EXECUTORS_H

#include <stdbool.h>
#include <stdint.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// The executor's number in the trace. The caller keeps the executor object alive.
uint16_t executor_number(void *identity, uintptr_t implementation);

/// True for an executor with code of its own: a custom one, or main. The lowest three bits of `implementation` are flags.
static inline bool executor_is_custom(uintptr_t implementation) {
    return (implementation & ~(uintptr_t)7) != 0;
}

/// The number of the executor whose job the calling thread runs.
uint16_t executor_current(void);

void executors_prepare(void);

/// The numbers of the global executor, and of main: the executor of Swift's main actor, and Dispatch's main queue.
extern uint16_t executors_global, executors_main;

/// True if the runtime may know an executor that the task prefers.
bool executors_may_prefer(const swift_task *task);

/// The number of the executor that the current task hops to when it leaves an actor: its preferred executor, or the global one.
uint16_t executor_generic(void);

/// The number of the executor that runs a task enqueued on the global executor: the task's preferred executor, or the global one.
/// For use while the runtime enqueues the task.
uint16_t executor_preferred(swift_task *task);

#pragma GCC visibility pop

#endif
