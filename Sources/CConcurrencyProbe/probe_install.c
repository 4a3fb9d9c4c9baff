// Finds the runtime and sets the hooks.

#define _GNU_SOURCE
#include "probe_install.h"

#include "concurrency_probe.h"
#include "dispatch_interposed.h"
#include "dispatch_items.h"
#include "dispatch_library.h"
#include "dispatch_linked.h"
#include "interposition.h"
#include "probe_cancellation.h"
#include "probe_deinit.h"
#include "probe_errors.h"
#include "probe_executors.h"
#include "probe_hooks.h"
#include "probe_interposed.h"
#include "probe_memory.h"
#include "probe_reader.h"
#include "probe_routes.h"
#include "probe_runtime.h"
#include "probe_shields.h"
#include "probe_state.h"
#include "probe_statement.h"
#include "probe_tasks.h"
#include "run_loops.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static hopscope_probe_state state;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

hopscope_probe_state hopscope_probe_current_state(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE) ? state : HOPSCOPE_PROBE_IDLE;
}

/// True once this copy of the probe is installed. A function, because the linker would merge the variables of two copies into one.
__attribute__((visibility("default"))) bool hopscope_probe_is_recording_tasks(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE);
}

/// A program with a linked probe may run under a preloaded one; only one of them installs. The preloaded one is asked first.
static bool is_another_at_work(void) {
    bool (*other)(void) = (bool (*)(void))dlsym(RTLD_NEXT, "hopscope_probe_is_recording_tasks");
    return other != NULL && other != hopscope_probe_is_recording_tasks && other();
}

#ifdef HOPSCOPE_PRELOADED

typedef struct probe_search {
    uintptr_t address;  ///< an address in the searched program or library
    bool is_found;
} probe_search;

/// Searches one library for the note of a probe.
static int search(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    probe_search *search = argument;
    bool is_searched = false;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type == PT_LOAD) is_searched |= search->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
    }
    for (int index = 0; index < info->dlpi_phnum && is_searched; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        static const probe_note note = PROBE_NOTE;
        if (segment->p_type != PT_NOTE) continue;
        const void *start = (const void *)(info->dlpi_addr + segment->p_vaddr);
        search->is_found |= memmem(start, segment->p_filesz, &note, sizeof note) != NULL;
    }
    return is_searched;
}

bool probe_leaves_tasks_to_another(void) {
    const void *reached = dlsym(RTLD_DEFAULT, "swift_task_enterThreadLocalContext");
    if (reached == NULL || memory_is_of_one_file(reached, (const void *)probe_install)) return false;
    probe_search found = {.address = (uintptr_t)reached};
    dl_iterate_phdr(search, &found);
    return found.is_found;
}

#else

/// The program's own copy of the probe leaves nothing to a preloaded one that does not record.
bool probe_leaves_tasks_to_another(void) {
    return false;
}

#endif

/// True if the program's calls of Dispatch pass through this probe, and it can tell whose they are.
static bool sees_blocks(bool is_part_of_program) {
#ifdef HOPSCOPE_PRELOADED
    return !is_part_of_program;
#else
    return is_part_of_program && interposed_wraps_library_functions() && linked_code_learn();
#endif
}

/// The routes that the runtime offers when the given hooks are set.
static uint32_t routes_offered(unsigned hooks) {
    uint32_t routes = TRACE_ROUTES_ALL;
    bool hand_overs = (hooks & HOOK_HAND_OVERS) != 0;
    if (!hand_overs || !code_is_found(probe_code.enqueue)) routes &= ~TRACE_ROUTE_QUEUES;
    if (!hand_overs || !(code_is_found(probe_code.wait_for_future) || reader_can_be_tried())) routes &= ~TRACE_ROUTE_READ;
    if (!hand_overs || !code_is_found(probe_code.cancel) || !code_is_found(probe_code.cancel_child)
        || !code_is_found(probe_code.cancel_group))
        routes &= ~TRACE_ROUTE_CANCELLATION;
    if (!hand_overs || probe_has_hooks_only || !code_is_found(probe_code.switch_executor)) routes &= ~TRACE_ROUTE_HOPS;
    if ((hooks & HOOK_THROWS) == 0) routes &= ~TRACE_ROUTE_THROWN;
    if ((hooks & HOOK_DESTROY) == 0) routes &= ~(TRACE_ROUTE_RELEASED | TRACE_ROUTE_CHILDREN);
    if ((hooks & HOOK_CONTINUATIONS) == 0) routes &= ~TRACE_ROUTE_CONTINUATIONS;
    if (probe_has_hooks_only || (hooks & HOOK_THROWS) == 0 || !interposed_sees_looks() || !cancellation_errors_are_known())
        routes &= ~TRACE_ROUTE_LOOKS;
    // A request to cancel a task in a shield is none yet, and hooks tell of no shield.
    if (shields_are_there() && probe_has_hooks_only) routes &= ~TRACE_ROUTE_CANCELLATION;
    if (probe_has_hooks_only) {
        routes &= ~(TRACE_ROUTE_NAMES | TRACE_ROUTE_BLOCKING);
        if (!probe_sees_dequeuing || !code_is_found(probe_code.add_status_record)) routes &= ~TRACE_ROUTE_SLICES;
    }
    if (!sees_blocks(probe_has_hooks_only)) routes &= ~TRACE_ROUTE_BLOCKS;
    return routes;
}

static void install(void) {
    if (!runtime_is_there() || is_another_at_work() || probe_leaves_tasks_to_another()) return;
    bool is_alone = !interposed_is_reached();
    const char *without = is_alone ? NULL : interposed_missing();
    if (!runtime_is_usable(without, statement_idle_reason, STATEMENT_REASON_ROOM)) return;
    probe_is_in_listed_runtime = runtime_is_listed();
    runtime_code_find();
    const char *adapter = tasks_find_adapters();
    if (adapter != NULL) {
        runtime_lacks(adapter, statement_idle_reason, STATEMENT_REASON_ROOM);
        return;
    }
    executors_prepare();
    dispatch_find_libraries();
    unsigned hooks = hooks_install(is_alone);
    probe_routes = routes_offered(hooks) & ~routes_taken_away();
    statement_prepare();
    state = is_alone ? HOPSCOPE_PROBE_HOOKS_ONLY : HOPSCOPE_PROBE_COMPLETE;
    if (!is_alone) interposed_watch();
    if (probe_has(TRACE_ROUTE_BLOCKS)) {
        dispatch_watch();
        items_watch();
        run_loops_watch();
        if (!is_alone) deinits_watch();
    }
    __atomic_store_n(&probe_is_installed, true, __ATOMIC_RELEASE);
}

void probe_install(void) {
    pthread_mutex_lock(&install_lock);
    static bool was_tried;
    if (!was_tried) install();
    was_tried = true;
    pthread_mutex_unlock(&install_lock);
    if (statement_idle_reason[0] != 0 && trace_is_recording()) statement_tell_idle();
}

__attribute__((constructor(TRACE_REGISTRATION_PRIORITY))) static void register_probe(void) {
    trace_register(&(trace_parts){
        .recording_began = probe_install, .swift_task = hopscope_swift_task, .error_left = hopscope_error_left,
        .error_source = hopscope_error_source});
}

/// A program with its own copy of the lanes looks this function up. A probe that does not see the program's runtime, because that is part
/// of the program, and one that leaves the tasks to the program's own probe have nothing to share: the program's own records.
__attribute__((visibility("default"))) const trace_lanes_table *hopscope_probe_lanes(void) {
    return runtime_is_there() && !probe_leaves_tasks_to_another() ? trace_lanes_own_table() : NULL;
}
