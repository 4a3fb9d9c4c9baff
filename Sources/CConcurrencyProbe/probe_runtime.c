// The runtimes that the probe knows, and the routes of each version on each architecture. At its start, the probe verifies the facts that
// it relies on. In a process with an unknown runtime it stays idle.

#include "probe_runtime.h"

#include "probe_state.h"
#include "runtime_code.h"
#include "swift_abi.h"

#include <stdio.h>

/// The runtimes with one layout on one architecture.
typedef struct known_runtime {
    uint32_t version;          ///< the value of `_swift_concurrency_debug_internal_layout_version`
    uint64_t task_size;        ///< the value of `_swift_concurrency_debug_asyncTaskSize`
    runtime_layout layout;
} known_runtime;

/// Docs/Install.md names the runtimes on which the probe's tests have run. A runtime offers all routes, with these exceptions, which the
/// probe finds out at its start:
/// - Swift 6.0 states no layout version: the probe is idle.
/// - A runtime without `.symtab`, as in distributions, shows no cancellation of children and no abandoned continuation.
/// - A runtime that is part of the program shows no names of tasks, no hops to free actors and no blocking calls.
static const known_runtime known[] = {
#if defined(__x86_64__)
    {.version = 1, .task_size = 208, .layout = {.dependency = 0xA0}},  // Swift 6.2 and 6.3
#elif defined(__aarch64__)
    {.version = 1, .task_size = 224, .layout = {.dependency = 0xA0}},  // Swift 6.2 and 6.3
#endif
    {.version = 0},
};

#define KNOWN_VERSIONS "Known are the runtimes of Swift 6.2 and 6.3 on x86-64 and aarch64."

// MARK: - Layout

static uint32_t version_of_runtime(void) {
    return &_swift_concurrency_debug_internal_layout_version != NULL ? _swift_concurrency_debug_internal_layout_version : 0;
}

static uint64_t task_size_of_runtime(void) {
    return &_swift_concurrency_debug_asyncTaskSize != NULL ? _swift_concurrency_debug_asyncTaskSize : 0;
}

const runtime_layout *runtime_known_layout;

void runtime_find_layout(void) {
    for (const known_runtime *row = known; row->version != 0; row++)
        if (row->version == version_of_runtime() && row->task_size == task_size_of_runtime()) runtime_known_layout = &row->layout;
}

static bool version_is_known(void) {
    for (const known_runtime *row = known; row->version != 0; row++) if (row->version == version_of_runtime()) return true;
    return false;
}

// MARK: - Symbols

typedef struct required_symbol {
    const char *name;
    const void *address;
} required_symbol;

#define REQUIRED(name) {#name, (const void *)name}
#define REQUIRED_VARIABLE(name) {#name, (const void *)&name}

/// The symbols without which the probe sees no task at all.
static const required_symbol required[] = {
    REQUIRED(swift_task_getJobTaskId), REQUIRED(swift_task_getCurrent), REQUIRED(swift_task_getCurrentExecutor),
    REQUIRED(swift_getTypeName), REQUIRED(swift_getErrorValue),
    REQUIRED_VARIABLE(_swift_concurrency_debug_future_adapter), REQUIRED_VARIABLE(_swift_concurrency_debug_non_future_adapter),
};

static const char *missing_symbol(const char *interposed) {
    for (size_t index = 0; index < sizeof required / sizeof *required; index++)
        if (required[index].address == NULL) return required[index].name;
    return interposed;
}

bool runtime_is_there(void) {
    return &swift_task_enqueue[0] != NULL;
}

bool runtime_is_known(const char *missing, char *reason, size_t room) {
    const char *symbol = missing_symbol(missing);
    reason[0] = 0;
    if (version_of_runtime() == 0) {
        snprintf(reason, room, "The Swift runtime of this program does not state its layout, so the probe records none of its Swift tasks. "
            KNOWN_VERSIONS);
    } else if (!version_is_known()) {
        snprintf(reason, room, "The Swift runtime of this program has layout version %u, which the probe does not know, so it records none "
            "of its Swift tasks. " KNOWN_VERSIONS, version_of_runtime());
    } else if (symbol != NULL) {
        snprintf(reason, room, "The Swift runtime of this program has no %s, which the probe relies on, so it records none of its Swift "
            "tasks. " KNOWN_VERSIONS, symbol);
    }
    return reason[0] == 0;
}

void runtime_describe(int file) {
    dprintf(file, "layout %u\ntask-size %llu\n", version_of_runtime(), (unsigned long long)task_size_of_runtime());
    if (probe_is_installed)
        dprintf(file, "symbols %s\n", probe_code.wait_for_future.end > probe_code.wait_for_future.first ? "all" : "exported");
}
