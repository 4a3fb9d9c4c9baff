// Continuations that are released without being resumed. The task that awaits such a continuation never continues.
//
// A checked continuation owns a guard object. If the guard is destroyed before the continuation is resumed, Swift's library logs a line.
// The guard's destructor is in its class's metadata, found by symbol; the probe replaces it as it replaces the destructor of tasks.

#include "probe_continuations.h"

#include "probe_memory.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

/// The first fields of the guard object. `awaiting` is the awaiting task, NULL once the continuation is resumed.
typedef struct continuation_guard {
    void *isa;
    uintptr_t reference_count;
    swift_task *awaiting;
} continuation_guard;

typedef SWIFT_CC void destroy_function(SWIFT_CONTEXT continuation_guard *guard);
static destroy_function *next_destroy;

/// True if the object is a task of the class that the probe knows.
static bool is_known_task(const swift_task *task) {
    return task->isa == _swift_concurrency_debug_asyncTaskMetadata && is_task(task);
}

static SWIFT_CC void on_destroy(SWIFT_CONTEXT continuation_guard *guard) {
    swift_task *task = guard->awaiting;
    bool is_seen = task != NULL && !probe_this.is_busy && probe_is_recording() && probe_has(TRACE_ROUTE_CONTINUATIONS);
    if (is_seen && is_known_task(task))
        trace_emit(TRACE_RELEASED, 0, 0, 0, task_number(task), 0);
    slot_was_reached();
    next_destroy(guard);
}

bool continuations_install(void) {
    if (&_swift_concurrency_debug_asyncTaskMetadata == NULL || probe_code.continuation_guard.first == 0) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = (void **)probe_code.continuation_guard.first - 2;
    if (!is_in(probe_code.destroy_continuation_guard, *slot)) return false;
    next_destroy = (destroy_function *)*slot;
    return slot_set(slot, (void *)on_destroy);
}
