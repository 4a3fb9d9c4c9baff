// A task's dependency, which the runtime keeps in a private record. The record's layout may change between versions of the runtime, so
// this file proves each record before it uses it: the record is among its task's records, and its object is of the kind that it states.

#include "probe_dependency.h"

#include "probe_memory.h"
#include "probe_routes.h"
#include "probe_runtime.h"

#include <stdbool.h>

/// A status record of a task. The lowest byte of its flags is its kind.
typedef struct status_record {
    uintptr_t flags;
    const struct status_record *next;
} status_record;

/// The runtime's dependency record.
typedef struct dependency_record {
    status_record head;
    void *object;
    uintptr_t implementation;
    uint32_t kind;
} dependency_record;

enum {
    RECORD_KIND_MASK = 0xFF,
    RECORD_IS_DEPENDENCY = 0,
    RECORD_IS_GROUP = 2,
    MOST_RECORDS = 64,
    /// A task that says that it waits for a group may have made many children since it made the group.
    MOST_RECORDS_TO_GROUP = 1 << 16,
    /// A group's record lies at most this far behind the group's beginning.
    MOST_TO_GROUP_RECORD = 64,
};

enum {
    /// The kernel confirms that memory is mapped for this many valid records; later records are read without asking.
    CAREFUL_READS = 32,
    /// The probe tolerates one suspension without a known dependency in this many.
    SUSPENSIONS_FOR_ONE_UNKNOWN = 16,
    LEAST_UNKNOWN = 4,
};

static uint32_t careful_reads;
static uint32_t suspensions, unknown_suspensions;
static bool is_unknown;

static void forgo_dependencies(void) {
    __atomic_store_n(&is_unknown, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_WAITS | TRACE_ROUTE_QUEUES | TRACE_ROUTE_READ);
}

static bool is_readable(const void *address, size_t length) {
    if ((uintptr_t)address % sizeof(void *) != 0) return false;
    return __atomic_load_n(&careful_reads, __ATOMIC_RELAXED) >= CAREFUL_READS || memory_is_mapped(address, length);
}

/// True if the object is of the class of tasks, as `task` is.
static bool is_task_object(const void *object, const swift_task *task) {
    return object != NULL && is_readable(object, sizeof(void *)) && *(void *const *)object == task->isa;
}

/// True if a group of the task has this address. A group holds its record.
static bool is_group(const void *object, const status_record *record, int most) {
    for (int count = 0; record != NULL && count < most; count++) {
        if (!is_readable(record, sizeof *record)) return false;
        if ((record->flags & RECORD_KIND_MASK) == RECORD_IS_GROUP
            && (uintptr_t)record - (uintptr_t)object <= MOST_TO_GROUP_RECORD) return true;
        record = record->next;
    }
    return false;
}

/// True if the object is what a record of this kind refers to. Another version may number the kinds otherwise. No object is of two kinds:
/// a continuation is the frame in which its task goes on, and an executor is none of the others.
static bool is_of_its_kind(const dependency_record *record, const swift_task *task) {
    const void *object = record->object;
    switch (record->kind) {
    case DEPENDENCY_TASK: return is_task_object(object, task);
    case DEPENDENCY_CONTINUATION: return object == task->resume_context;
    case DEPENDENCY_GROUP: return is_group(object, record->head.next, MOST_RECORDS_TO_GROUP);
    case DEPENDENCY_EXECUTOR:
        return object == NULL
            || object != task->resume_context && !is_task_object(object, task) && !is_group(object, record->head.next, MOST_RECORDS);
    default: return false;
    }
}

/// `*contradicts` becomes true if the task has a record that is not what it should be.
static inline task_dependency read_dependency(swift_task *task, bool *contradicts) {
    task_dependency none = {.kind = DEPENDENCY_NONE};
    if (__atomic_load_n(&is_unknown, __ATOMIC_RELAXED) || !probe_has(TRACE_ROUTE_WAITS)) return none;
    const dependency_record *record = *(dependency_record *const *)((const char *)task + TASK_DEPENDENCY);
    if (record == NULL || !is_readable(record, sizeof *record)) return none;
    if ((record->head.flags & RECORD_KIND_MASK) != RECORD_IS_DEPENDENCY) return none;
    // A suspending task adds the record to its other ones only after it has left its thread.
    const void *innermost = *(void *const *)((const char *)task + TASK_RECORDS);
    if ((const void *)record != innermost && record->head.next != innermost) return none;
    if (!is_of_its_kind(record, task)) {
        *contradicts = true;
        return none;
    }
    if (careful_reads < CAREFUL_READS) __atomic_add_fetch(&careful_reads, 1, __ATOMIC_RELAXED);
    task_dependency dependency = {.kind = (dependency_kind)record->kind};
    if (dependency.kind == DEPENDENCY_TASK) dependency.task = record->object;
    if (dependency.kind == DEPENDENCY_EXECUTOR)
        dependency.executor = (swift_executor){.identity = record->object, .implementation = record->implementation};
    return dependency;
}

task_dependency dependency_of(swift_task *task) {
    bool contradicts = false;
    return read_dependency(task, &contradicts);
}

task_dependency dependency_of_suspending(swift_task *task) {
    bool contradicts = false;
    task_dependency dependency = read_dependency(task, &contradicts);
    if (__builtin_expect(dependency.kind != DEPENDENCY_NONE && unknown_suspensions == 0, 1)) return dependency;
    if (__atomic_load_n(&is_unknown, __ATOMIC_RELAXED) || !probe_has(TRACE_ROUTE_WAITS)) return dependency;
    // No other thread can change the record of a task that suspends. So this runtime's records have other kinds.
    if (contradicts) forgo_dependencies();
    uint32_t all = __atomic_add_fetch(&suspensions, 1, __ATOMIC_RELAXED);
    if (dependency.kind != DEPENDENCY_NONE) return dependency;
    uint32_t unknown = __atomic_add_fetch(&unknown_suspensions, 1, __ATOMIC_RELAXED);
    if (unknown >= LEAST_UNKNOWN && unknown > all / SUSPENSIONS_FOR_ONE_UNKNOWN) forgo_dependencies();
    return dependency;
}
