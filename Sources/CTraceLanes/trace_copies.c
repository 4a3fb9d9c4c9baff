// Chains and Swift's tasks in one process: told of in one trace, counted together, and known to each other.
//
// A program with lanes of its own may run under a probe that has lanes too: then the program's copy gives way.

#define _GNU_SOURCE
#include "trace_region.h"

#include <dlfcn.h>

const trace_lanes_table *trace_other_lanes;
bool trace_both_worlds;

/// What Swift does once the environment's region is there: where it is linked, there are chains.
extern void hopscope_region_published(void) __attribute__((weak));

/// The runtime's of chains, where it is linked.
extern trace_running_chain hopscope_running_chain __attribute__((weak));

/// The probe's, where it is linked.
extern uint64_t hopscope_swift_task(void) __attribute__((weak));
extern void hopscope_error_left(const void *box, uint64_t task) __attribute__((weak));
extern uint64_t hopscope_error_source(const void *box) __attribute__((weak));

/// The latest number of a task, in the copy that the other gives way to.
static uint64_t own_latest;
static uint64_t *latest = &own_latest;

/// Those of a program that has given way to this copy.
static trace_running_chain *guest_chain;

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
        .register_executor = trace_executor_register, .share_numbers = share_numbers, .swift_task = trace_swift_task,
        .error_left = trace_error_left, .error_source = trace_error_source,
    };
    return &table;
}

static bool is_probe_linked(void) {
    return hopscope_recording_began != NULL && hopscope_region_published != NULL;
}

void trace_find_other_lanes(void) {
    if (is_probe_linked()) __atomic_store_n(&trace_both_worlds, true, __ATOMIC_RELAXED);
    const trace_lanes_table *(*find)(void) = (const trace_lanes_table *(*)(void))dlsym(RTLD_DEFAULT, "hopscope_probe_lanes");
    const trace_lanes_table *table = find != NULL ? find() : NULL;
    if (table == NULL || table == trace_lanes_own_table() || table->version != TRACE_LANES_TABLE_VERSION) return;
    trace_other_lanes = table;
    latest = table->share_numbers(hopscope_running_chain);
    __atomic_store_n(&trace_both_worlds, true, __ATOMIC_RELAXED);
}

uint64_t trace_next_task(void) {
    return __atomic_add_fetch(latest, 1, __ATOMIC_RELAXED);
}

uint64_t trace_swift_task(void) {
    if (trace_other_lanes != NULL) return trace_other_lanes->swift_task();
    return hopscope_swift_task != NULL ? hopscope_swift_task() : 0;
}

uint64_t trace_chain_running(uintptr_t *frame) {
    if (guest_chain != NULL) return guest_chain(frame);
    return hopscope_running_chain != NULL ? hopscope_running_chain(frame) : 0;
}

void trace_error_left(const void *box, uint64_t task) {
    if (trace_other_lanes != NULL) trace_other_lanes->error_left(box, task);
    else if (hopscope_error_left != NULL) hopscope_error_left(box, task);
}

uint64_t trace_error_source(const void *box) {
    if (trace_other_lanes != NULL) return trace_other_lanes->error_source(box);
    return hopscope_error_source != NULL ? hopscope_error_source(box) : 0;
}
