// Cancellation: the requests that reach a task, and the task's own looks at them.

#include "probe_cancellation.h"

#include "dispatch_blocks.h"
#include "probe_completion.h"
#include "probe_errors.h"
#include "probe_routes.h"
#include "probe_shields.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

// MARK: - Requests

static bool is_structured(const swift_task *task) {
    return (task->flags & (SWIFT_TASK_IS_ASYNC_LET | SWIFT_TASK_IS_GROUP_CHILD)) != 0;
}

/// The way in which the request reached the task, from the runtime's calls on the stack. `*code` becomes the program's calls that led to
/// them, of a request that code called for. The walk ends where the job begins: the calls outside of it did not ask.
static uint8_t request_of(const swift_task *task, const void *first, uint32_t *code) {
    enum { LONGEST_WALK = 64 };
    frame_walk walk = frames_from(first);
    const void *returns[TRACE_CODE_DEPTH];
    size_t count = 0;
    for (int steps = 0; steps < LONGEST_WALK && count < TRACE_CODE_DEPTH; steps++) {
        const void *address = next_return(&walk);
        if (address == NULL || is_in(probe_code.run_job, address)) break;
        // The innermost call is the task's own `cancel`, which may be a part of the function that visits the parent's children.
        bool is_visit = is_in(probe_code.cancel_child, address), is_cancel = is_visit || is_in(probe_code.cancel, address);
        if ((is_visit || is_cancel && steps > 0) && count == 0 && is_structured(task)) return TRACE_REQUEST_INHERITED;
        // Where the runtime is linked into the program, its calls are told from the program's by their names, which a reader looks up.
        bool is_runtime = !probe_has_hooks_only && is_in(probe_code.module, address);
        if (is_runtime && count > 0) break;
        if (!is_runtime && !is_cancel) returns[count++] = address;
    }
    if (count == 0) return TRACE_REQUEST_BY_SCOPE;
    *code = trace_code(TRACE_CODE_CALLS, returns, count);
    return TRACE_REQUEST_CALLED;
}

void task_was_cancelled(swift_task *task, const void *frame) {
    swift_task *current = swift_task_getCurrent();
    bool is_body = false;
    uint64_t by = block_or_task_running(current, &is_body);
    uint32_t code = 0;
    // The runtime cancels a new child before the probe sees the child. A child in its first slice looks as new.
    bool is_being_made = is_structured(task) && task_is_new(task) && !completion_is_observed(task);
    uint8_t request = is_being_made ? TRACE_REQUEST_AT_CREATION : request_of(task, frame, &code);
    shield_is_asked_for(task, task_number(task));
    if (!probe_has(TRACE_ROUTE_CANCELLATION)) return;
    trace_emit(TRACE_CANCELLATION_ASKED, request, 0, code != 0 ? trace_label_of_code(NULL, 0, code) : 0, task_number(task), by);
}

// MARK: - Looks

SWIFT_RUNTIME SWIFT_CC bool swift_task_isCancelled(swift_task *task);
/// The metadata of CancellationError.
SWIFT_RUNTIME char $sScEN[];

void cancellation_was_seen(void) {
    uint64_t number = task_number(probe_running());
    // A task that looks in a loop has one event, unless its thread runs another such task in between.
    if (number == 0 || probe_this.seen_cancelled == number) return;
    probe_this.seen_cancelled = number;
    trace_emit(TRACE_CANCELLATION_SEEN, 0, 0, 0, number, 0);
}

bool cancellation_errors_are_known(void) {
    return &$sScEN[0] != NULL && swift_task_isCancelled != NULL;
}

static bool is_cancellation(void *error, swift_task *task) {
    if (!cancellation_errors_are_known() || task == NULL) return false;
    return error_type(error) == (const void *)$sScEN && swift_task_isCancelled(task);
}

void cancellation_may_be_thrown(void *error) {
    if (is_cancellation(error, probe_running())) cancellation_was_seen();
}

void cancellation_arrives(swift_task *task, void *error) {
    if (is_cancellation(error, task)) trace_emit(TRACE_CANCELLATION_SEEN, 0, 0, 0, task_number(task), 0);
}
