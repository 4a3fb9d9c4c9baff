// Continuations that are released without being resumed. The task that awaits such a continuation never continues.
//
// A `Continuation` of Swift 6.4 is a value that must be resumed. Its end without that ends the program. Optimized code calls the end by its name,
// which passes through the probe. Other code calls a function of the type's value witness table, in which the probe replaces it.
//
// A checked continuation owns a guard object. If the guard is destroyed before the continuation is resumed, Swift's library logs a line.
// The guard's destructor is in its class's metadata, found by symbol; the probe replaces it as it replaces the destructor of tasks.

#define _GNU_SOURCE
#include "probe_continuations.h"

#include "probe_memory.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "process_symbol.h"
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

void continuation_was_dropped(swift_task *awaiting, const void *frame) {
    if (awaiting == NULL || !probe_has(TRACE_ROUTE_CONTINUATIONS) || !is_known_task(awaiting)) return;
    const void *returns[TRACE_CODE_DEPTH];
    probe_this.is_busy = true;
    // The compiler's function that ends a value keeps no frame.
    size_t count = probe_callers(frame, returns, TRACE_CODE_DEPTH);
    count = probe_add_hidden_caller(frame, returns, count, TRACE_CODE_DEPTH);
    uint32_t code = trace_code(TRACE_CODE_CALLS, returns, count);
    trace_emit(TRACE_RELEASED, TRACE_RELEASED_CONTINUATION, 0, code, task_number(awaiting), 0);
    probe_this.is_busy = false;
}

// MARK: - The value witness of Swift 6.4's continuation

typedef void destroy_value(swift_task **continuation, const void *type);
static destroy_value *next_destroy_value;

static void on_destroy_value(swift_task **continuation, const void *type) {
    if (!probe_this.is_busy && probe_is_recording()) continuation_was_dropped(*continuation, PROBE_FRAME);
    slot_was_reached();
    next_destroy_value(continuation, type);
}

/// The offsets in the descriptor of a generic type and in its pattern, which are part of the ABI, and the place of `destroy` in the table. A
/// field holds the distance from itself to its object; an odd one leads to the object's address.
enum { DESCRIPTOR_KIND = 0x1F, IS_STRUCT = 17, IS_GENERIC = 0x80, PATTERN = 32, WITNESSES = 12, DESTROY = 1 };

static const char *object_of(const char *field) {
    int32_t distance = *(const int32_t *)field;
    if (distance == 0) return NULL;
    return (distance & 1) != 0 ? *(const char *const *)(field + (distance & ~1)) : field + distance;
}

static void **destroy_slot(void) {
    const char *descriptor = SYMBOL($ss12ContinuationVMn);
    if (descriptor == NULL) return NULL;
    uint32_t flags = *(const uint32_t *)descriptor;
    if ((flags & DESCRIPTOR_KIND) != IS_STRUCT || (flags & IS_GENERIC) == 0) return NULL;
    const char *pattern = object_of(descriptor + PATTERN);
    const char *table = pattern != NULL ? object_of(pattern + WITNESSES) : NULL;
    // Another layout of the descriptor would lead elsewhere.
    if (table == NULL || (uintptr_t)table % sizeof(void *) != 0 || !memory_is_of_one_file(descriptor, table)) return NULL;
    void **slot = (void **)table + DESTROY;
    return memory_is_mapped(slot, sizeof *slot) && memory_is_of_one_file(descriptor, *slot) ? slot : NULL;
}

static void watch_values(void) {
    void **slot = destroy_slot();
    if (slot == NULL) return;
    next_destroy_value = (destroy_value *)*slot;
    slot_set(slot, (void *)on_destroy_value);
}

// MARK: - Installation

bool continuations_install(void) {
    watch_values();

    if (&_swift_concurrency_debug_asyncTaskMetadata == NULL || probe_code.continuation_guard.first == 0) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = (void **)probe_code.continuation_guard.first - 2;
    if (!is_in(probe_code.destroy_continuation_guard, *slot)) return false;
    next_destroy = (destroy_function *)*slot;
    return slot_set(slot, (void *)on_destroy);
}
