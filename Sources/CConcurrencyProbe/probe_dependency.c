// A task's dependency, which the runtime keeps in a private record. The record's layout may change between versions of the runtime, so
// this file checks every field before it uses it.

#include "probe_dependency.h"

#include "probe_memory.h"
#include "probe_routes.h"
#include "probe_runtime.h"

/// The runtime's dependency record in layout version 1.
typedef struct dependency_record {
    uintptr_t flags;
    void *next;
    void *object;
    uintptr_t implementation;
    uint32_t kind;
    uint32_t padding;
    swift_task *waiting;
} dependency_record;

/// The kernel confirms that memory is mapped for this many valid records; later records are read without asking.
enum { CAREFUL_READS = 32 };

static uint32_t careful_reads;
static bool is_unknown;

bool dependencies_are_known(void) {
    return !__atomic_load_n(&is_unknown, __ATOMIC_RELAXED) && layout_is_known();
}

static bool is_careful(const dependency_record *record) {
    if (__atomic_load_n(&careful_reads, __ATOMIC_RELAXED) >= CAREFUL_READS) return true;
    if ((uintptr_t)record % sizeof(void *) == 0 && memory_is_mapped(record, sizeof *record)) return true;
    __atomic_store_n(&is_unknown, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_WAITS | TRACE_ROUTE_QUEUES | TRACE_ROUTE_READ);
    return false;
}

task_dependency dependency_of(swift_task *task) {
    task_dependency none = {.kind = DEPENDENCY_NONE};
    const runtime_layout *layout = runtime_known_layout;
    if (layout == NULL || !dependencies_are_known() || !probe_has(TRACE_ROUTE_WAITS)) return none;
    const dependency_record *record = *(dependency_record *const *)((const char *)task + layout->dependency);
    if (record == NULL || !is_careful(record)) return none;
    if (record->waiting != task || record->kind < DEPENDENCY_TASK || record->kind > DEPENDENCY_EXECUTOR) return none;
    if (careful_reads < CAREFUL_READS) __atomic_add_fetch(&careful_reads, 1, __ATOMIC_RELAXED);
    task_dependency dependency = {.kind = (dependency_kind)record->kind};
    if (dependency.kind == DEPENDENCY_TASK) dependency.task = record->object;
    if (dependency.kind == DEPENDENCY_EXECUTOR)
        dependency.executor = (swift_executor){.identity = record->object, .implementation = record->implementation};
    return dependency;
}
