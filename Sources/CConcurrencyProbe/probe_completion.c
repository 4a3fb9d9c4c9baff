// The end of a task. The probe replaces the function to which the task's first frame returns, and so sees the end and the error.

#include "probe_completion.h"

#include "probe_errors.h"
#include "probe_routes.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <pthread.h>

/// The functions in which tasks end. The wrapper with the same index replaces each.
enum { COMPLETIONS = 8 };
static void *completions[COMPLETIONS];
static uint32_t completion_count;
static pthread_mutex_t completion_lock = PTHREAD_MUTEX_INITIALIZER;

typedef SWIFT_ASYNC_CC void completion_function(SWIFT_ASYNC_CONTEXT swift_async_context *context, SWIFT_CONTEXT void *error);

static void task_ends(void *error) {
    if (probe_this.is_busy || !probe_is_recording()) {
        probe_forget_slice();
        return;
    }
    probe_this.is_busy = true;
    swift_task *current = probe_running();
    uint64_t task = task_number(current);
    // The task has arrived where it hopped to last. Its function to resume may still be that of the hop, as if it waited for an executor.
    probe_this.hopping = NULL;
    uint16_t executor = slice_ended(current, task);
    probe_this.failed_child = error != NULL && current != NULL && (current->flags & SWIFT_TASK_IS_GROUP_CHILD) != 0 ? task : 0;
    if (probe_has(TRACE_ROUTE_ENDS)) {
        if (error != NULL) error_ended_task(error, current, task, executor);
        else trace_emit(TRACE_COMPLETED, 0, executor, 0, task, 0);
    }
    probe_this.is_busy = false;
}

void main_failed(void *error) {
    swift_task *task = probe_running();
    if (task == NULL) return;
    task_ends(error);
    if (probe_has(TRACE_ROUTE_ENDS)) trace_emit(TRACE_ERROR_READ, 0, 0, 0, task_number(task), 0);
    // From here on the thread acts for the crash, not for the task: it may wait for a backtrace.
    probe_this.is_busy = true;
}

#define WRAPPER(number)                                                                                              \
    static SWIFT_ASYNC_CC void completes_##number(SWIFT_ASYNC_CONTEXT swift_async_context *context, SWIFT_CONTEXT void *error) { \
        task_ends(error);                                                                                            \
        SWIFT_TAIL_CALL return ((completion_function *)completions[number])(context, error);                         \
    }
WRAPPER(0) WRAPPER(1) WRAPPER(2) WRAPPER(3) WRAPPER(4) WRAPPER(5) WRAPPER(6) WRAPPER(7)
static void *const wrappers[COMPLETIONS] = {
    completes_0, completes_1, completes_2, completes_3, completes_4, completes_5, completes_6, completes_7,
};

/// The function's index in `completions`; `COMPLETIONS` if it is not there.
static uint32_t place_of_completion(const void *function) {
    uint32_t count = __atomic_load_n(&completion_count, __ATOMIC_ACQUIRE);
    for (uint32_t place = 0; place < count; place++) if (completions[place] == function) return place;
    return COMPLETIONS;
}

static uint32_t learn_completion(void *function) {
    pthread_mutex_lock(&completion_lock);
    uint32_t place = place_of_completion(function);
    if (place == COMPLETIONS && completion_count < COMPLETIONS) {
        place = completion_count;
        completions[place] = function;
        __atomic_store_n(&completion_count, place + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&completion_lock);
    return place;
}

static bool is_wrapper(const void *function) {
    for (int place = 0; place < COMPLETIONS; place++) if (function == wrappers[place]) return true;
    return false;
}

/// Wraps the completion function to which a task's first frame returns. False if it was wrapped before.
static bool observe(swift_async_context *context) {
    void *function = context->resume_parent;
    uint32_t place = place_of_completion(function);
    if (place == COMPLETIONS) {
        if (is_wrapper(function)) return false;
        place = learn_completion(function);
    }
    if (place < COMPLETIONS) {
        context->resume_parent = wrappers[place];
        return true;
    }
    __atomic_store_n(&probe_misses_ends, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_ENDS);
    return true;
}

// MARK: - Tasks that are older than the hooks

static bool has_older_tasks;
/// The runtime numbers tasks in the order of their creation. Above this number, each was seen when it was new.
static uint64_t last_older_task;

void completion_expect_older_tasks(void) {
    __atomic_store_n(&has_older_tasks, true, __ATOMIC_RELEASE);
}

/// Notes the number of a task that was seen when it was new. Others that are older may have somewhat higher numbers, because a task gets its
/// number before it can be seen.
static void note_new_task(swift_task *task) {
    enum { ROOM = 1 << 16 };
    if (__atomic_load_n(&last_older_task, __ATOMIC_RELAXED) != 0) return;
    uint64_t last = swift_task_getJobTaskId(task) + ROOM, none = 0;
    __atomic_compare_exchange_n(&last_older_task, &none, last, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void completion_observe_older(swift_task *task) {
    enum { DEEPEST = 1 << 16 };
    if (__builtin_expect(!__atomic_load_n(&has_older_tasks, __ATOMIC_ACQUIRE), 1)) return;
    uint64_t last = __atomic_load_n(&last_older_task, __ATOMIC_RELAXED);
    if (last != 0 && swift_task_getJobTaskId(task) > last) return;
    // This thread has just taken the task from its queue, so no other one changes its frames.
    swift_async_context *context = task->resume_context;
    for (int depth = 0; context != NULL && context->parent != NULL && depth < DEEPEST; depth++) context = context->parent;
    if (context == NULL || context->parent != NULL || !is_in(probe_code.module, context->resume_parent)) return;
    observe(context);
}

bool completion_observe(swift_task *task) {
    if (__builtin_expect(__atomic_load_n(&has_older_tasks, __ATOMIC_RELAXED), 0)) note_new_task(task);
    return observe(task->resume_context);
}

bool completion_is_observed(const swift_task *task) {
    enum { LARGEST_TASK = 1 << 10 };
    // The first context is a part of the task. Any other one may be freed by the thread on which the task runs.
    const swift_async_context *context = __atomic_load_n(&task->resume_context, __ATOMIC_RELAXED);
    if ((uintptr_t)context - (uintptr_t)task >= LARGEST_TASK) return true;
    return is_wrapper(__atomic_load_n(&context->resume_parent, __ATOMIC_RELAXED)) || __atomic_load_n(&probe_misses_ends, __ATOMIC_RELAXED);
}
