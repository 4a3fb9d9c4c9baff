// Chains and Swift's tasks in one process share one trace and one sequence of task numbers, and each kind can refer to the other.
//
// A program with its own copy of the lanes may run under a probe with another copy. The program's copy then forwards to the probe's copy.

#define _GNU_SOURCE
#include "trace_region.h"

#include <dlfcn.h>

const trace_lanes_table *trace_other_lanes;
bool trace_both_worlds;
trace_parts trace_registered;

/// The latest task number of this copy. `latest` points to it, or to the counter of the copy that this one forwards to.
static uint64_t own_latest;
static uint64_t *latest = &own_latest;

/// The running-chain function of a program whose copy forwards to this one.
static trace_running_chain *guest_chain;

void trace_register(const trace_parts *part) {
    if (part->recording_began != NULL) trace_registered.recording_began = part->recording_began;
    if (part->swift_task != NULL) trace_registered.swift_task = part->swift_task;
    if (part->error_left != NULL) trace_registered.error_left = part->error_left;
    if (part->error_source != NULL) trace_registered.error_source = part->error_source;
    if (part->region_published != NULL) trace_registered.region_published = part->region_published;
    if (part->flight_asked != NULL) trace_registered.flight_asked = part->flight_asked;
    if (part->running_chain != NULL) trace_registered.running_chain = part->running_chain;
    if (trace_registered.swift_task != NULL && trace_registered.running_chain != NULL)
        __atomic_store_n(&trace_both_worlds, true, __ATOMIC_RELAXED);
}

static trace_region *current_region(void) {
    return trace_recorded_into();
}

static uint64_t *share_numbers(trace_running_chain *chain) {
    guest_chain = chain;
    if (chain != NULL) __atomic_store_n(&trace_both_worlds, true, __ATOMIC_RELAXED);
    return &own_latest;
}

const trace_lanes_table *trace_lanes_own_table(void) {
    static const trace_lanes_table table = {
        .version = TRACE_LANES_TABLE_VERSION, .region = current_region, .install = trace_install, .uninstall = trace_uninstall,
        .register_executor = trace_executor_register, .end_executor = trace_executor_end, .share_numbers = share_numbers,
        .swift_task = trace_swift_task, .error_left = trace_error_left, .error_source = trace_error_source,
    };
    return &table;
}

#ifdef HOPSCOPE_PRELOADED

/// The preloaded copy is the one that others forward to. If it looked as well, two copies could forward to each other.
static const trace_lanes_table *other_table(void) {
    return NULL;
}

#else

static const trace_lanes_table *table_found(void *from) {
    const trace_lanes_table *(*find)(void) = (const trace_lanes_table *(*)(void))dlsym(from, "hopscope_probe_lanes");
    return find != NULL ? find() : NULL;
}

/// The table of the first other copy. A program that exports its symbols hides the functions of the libraries behind it.
static const trace_lanes_table *other_table(void) {
    const trace_lanes_table *table = table_found(RTLD_DEFAULT);
    return table == trace_lanes_own_table() ? table_found(RTLD_NEXT) : table;
}

#endif

void trace_find_other_lanes(void) {
    const trace_lanes_table *table = other_table();
    if (table == NULL || table == trace_lanes_own_table() || table->version != TRACE_LANES_TABLE_VERSION) return;
    trace_other_lanes = table;
    latest = table->share_numbers(trace_registered.running_chain);
    __atomic_store_n(&trace_both_worlds, true, __ATOMIC_RELAXED);
}

uint64_t trace_next_task(void) {
    return __atomic_add_fetch(latest, 1, __ATOMIC_RELAXED);
}

uint64_t trace_swift_task(void) {
    if (trace_other_lanes != NULL) return trace_other_lanes->swift_task();
    return trace_registered.swift_task != NULL ? trace_registered.swift_task() : 0;
}

uint64_t trace_chain_running(uintptr_t *frame) {
    if (guest_chain != NULL) return guest_chain(frame);
    return trace_registered.running_chain != NULL ? trace_registered.running_chain(frame) : 0;
}

void trace_error_left(const void *box, uint64_t task) {
    if (trace_other_lanes != NULL) trace_other_lanes->error_left(box, task);
    else if (trace_registered.error_left != NULL) trace_registered.error_left(box, task);
}

uint64_t trace_error_source(const void *box) {
    if (trace_other_lanes != NULL) return trace_other_lanes->error_source(box);
    return trace_registered.error_source != NULL ? trace_registered.error_source(box) : 0;
}
