// The identity of a task: its number in the trace, its priority, whether it is new and whether it has failed.

#ifndef PROBE_TASKS_H
#define PROBE_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include "probe_state.h"
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

static inline bool is_task(const swift_task *job) {
    return (job->flags & SWIFT_JOB_KIND_MASK) == SWIFT_JOB_IS_TASK;
}

/// The task's number in the sequence that chains share.
uint64_t task_shared_number(swift_task *task);

/// The task's number in the trace. Without chains it is the runtime's own task id.
static inline uint64_t task_number(swift_task *task) {
    if (task == NULL) return 0;
    return __atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED) ? task_shared_number(task) : swift_task_getJobTaskId(task);
}

static inline uint8_t task_priority(const swift_task *task) {
    return (uint8_t)(task->flags >> 8);
}

/// Marks the task as ended with an error, and reads that mark. If the task has no room for the mark, it counts as not failed.
void task_set_failed(swift_task *task);
bool task_has_failed(const swift_task *task);

/// True if the task has its number in the trace. A task without one was never recorded.
bool task_has_number(const swift_task *task);

/// Called when the task is destroyed: another one may get its memory.
void task_is_gone(const swift_task *task);

/// Called for a new task, before anything is marked on it: the runtime clears the word for the marks in a new task, or it uses the word.
void task_proves_word(const swift_task *task);

/// Finds the functions by which `task_is_new` recognizes a new task. Returns the name of one that the runtime lacks, NULL if it has all.
const char *tasks_find_adapters(void);

/// True if the task has not waited yet: it has not run, or it is in its first slice.
bool task_is_new(const swift_task *task);

/// The innermost task, a chain's or Swift's, whose body the calling thread runs. `*is_being_made` is true if it is a chain's task whose
/// body is just being started as a Swift task.
uint64_t task_running(swift_task *current, bool *is_being_made);

/// The number of the Swift task that the calling thread runs, 0 for none or if nothing is recorded. For chains in the same process.
uint64_t hopscope_swift_task(void);

#pragma GCC visibility pop

#endif
