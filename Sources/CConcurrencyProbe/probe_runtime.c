// Decides whether the probe can observe the process's runtime at all. In a process with a runtime that it cannot observe it stays idle.
//
// The layout version is no proof: fields have moved while it stayed the same, and it rises for changes that move none. So a runtime of any
// version is observed, and each private fact is proven where it is used.

#include "probe_runtime.h"

#include "probe_state.h"
#include "runtime_code.h"
#include "swift_abi.h"

#include <stdio.h>

/// Docs/Install.md names the runtimes on which the probe's tests have run, all of this layout version. A runtime offers all routes, with
/// these exceptions, which the probe finds out:
/// - Swift 6.0 states no layout version: the probe is idle.
/// - A runtime without `.symtab`, as in distributions, shows no cancellation of children and no abandoned continuation.
/// - A runtime that is part of the program shows no names of tasks, no hops to free actors and no blocking calls.
enum { LISTED_VERSION = 1 };

#define TESTED_VERSIONS "The probe is tested with Swift 6.2 and 6.3 on x86-64 and aarch64."

// MARK: - Layout

/// The version without its top byte, which tells how the runtime stores the current task. 0 if the runtime states none.
static uint32_t version_of_runtime(void) {
    const uint32_t version = 0xFFFFFF;
    return &_swift_concurrency_debug_internal_layout_version != NULL ? _swift_concurrency_debug_internal_layout_version & version : 0;
}

static uint64_t task_size_of_runtime(void) {
    return &_swift_concurrency_debug_asyncTaskSize != NULL ? _swift_concurrency_debug_asyncTaskSize : 0;
}

bool runtime_is_listed(void) {
    return version_of_runtime() == LISTED_VERSION;
}

/// With priority escalation a task's status has another layout. Swift on Linux is built without it.
static bool escalates_priority(void) {
    return &_swift_concurrency_debug_supportsPriorityEscalation != NULL && _swift_concurrency_debug_supportsPriorityEscalation != 0;
}

// MARK: - Symbols

typedef struct required_symbol {
    const char *name;
    const void *address;
} required_symbol;

#define REQUIRED(name) {#name, (const void *)name}

/// The symbols without which the probe sees no task at all.
static const required_symbol required[] = {
    REQUIRED(swift_task_getJobTaskId), REQUIRED(swift_task_getCurrent), REQUIRED(swift_task_getCurrentExecutor),
    REQUIRED(swift_task_isMainExecutor), REQUIRED(swift_task_getPreferredTaskExecutor), REQUIRED(swift_getTypeName),
    REQUIRED(swift_getErrorValue),
};

static const char *missing_symbol(const char *interposed) {
    for (size_t index = 0; index < sizeof required / sizeof *required; index++)
        if (required[index].address == NULL) return required[index].name;
    return interposed;
}

bool runtime_is_there(void) {
    return &swift_task_enqueue[0] != NULL;
}

bool runtime_is_usable(const char *missing, char *reason, size_t room) {
    const char *symbol = missing_symbol(missing);
    reason[0] = 0;
    if (version_of_runtime() == 0) {
        snprintf(reason, room, "The Swift runtime of this program does not state its layout, so the probe records none of its Swift tasks. "
            TESTED_VERSIONS);
    } else if (escalates_priority()) {
        snprintf(reason, room, "The Swift runtime of this program has priority escalation, which changes the layout of tasks, so the probe "
            "records none of its Swift tasks. " TESTED_VERSIONS);
    } else if (symbol != NULL) {
        runtime_lacks(symbol, reason, room);
    }
    return reason[0] == 0;
}

void runtime_lacks(const char *symbol, char *reason, size_t room) {
    snprintf(reason, room, "The Swift runtime of this program has no %s, which the probe relies on, so it records none of its Swift tasks. "
        TESTED_VERSIONS, symbol);
}

void runtime_describe(int file) {
    dprintf(file, "layout %u\nlisted %d\ntask-size %llu\n", version_of_runtime(), runtime_is_listed(),
            (unsigned long long)task_size_of_runtime());
    if (probe_is_installed)
        dprintf(file, "symbols %s\n", probe_code.wait_for_future.end > probe_code.wait_for_future.first ? "all" : "exported");
}
