// Continuations that are let go of without having been resumed: the task that awaits one never goes on.
//
// Of a checked continuation Swift's own library finds that out, when the object that goes along with it is destroyed, and writes a line about
// it. Its destructor is in the class's metadata, found by symbol, and can be set as that of tasks is.

#include "probe.h"

/// The front of that object: behind it is the task that awaits, until it has been resumed.
typedef struct continuation_guard {
    void *isa;
    uintptr_t reference_count;
    swift_task *awaiting;
} continuation_guard;

typedef SWIFT_CC void destroy_function(SWIFT_CONTEXT continuation_guard *guard);
static destroy_function *next_destroy;

/// Whether it is one of the tasks that the probe knows the class of.
static bool is_known_task(const swift_task *task) {
    return task->isa == _swift_concurrency_debug_asyncTaskMetadata && is_task(task);
}

static SWIFT_CC void on_destroy(SWIFT_CONTEXT continuation_guard *guard) {
    swift_task *task = guard->awaiting;
    bool is_seen = task != NULL && !probe_this.is_busy && probe_is_recording() && probe_has(TRACE_ROUTE_CONTINUATIONS);
    if (is_seen && is_known_task(task))
        trace_emit(TRACE_RELEASED, 0, 0, 0, task_number(task), 0);
    next_destroy(guard);
}

bool continuations_install(void) {
    if (&_swift_concurrency_debug_asyncTaskMetadata == NULL || probe_code.continuation_guard.first == 0) return false;
    // The destructor stands before the witness table, which stands before the metadata.
    void **slot = (void **)probe_code.continuation_guard.first - 2;
    if (!is_in(probe_code.destroy_continuation_guard, *slot)) return false;
    next_destroy = (destroy_function *)*slot;
    return hooks_set(slot, (void *)on_destroy);
}
