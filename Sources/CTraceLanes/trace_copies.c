// A program with lanes of its own, under a probe that has lanes too: the program's copy gives way.

#define _GNU_SOURCE
#include "trace_region.h"

#include <dlfcn.h>

const trace_lanes_table *trace_other_lanes;

/// Whether another copy of the lanes tells of tasks with numbers of its own.
static bool numbers_are_shared;

/// What Swift does once the environment's region is there: where it is linked, there are chains.
extern void hopscope_region_published(void) __attribute__((weak));

static trace_region *current_region(void) {
    return trace_recorded_into();
}

static void share_numbers(void) {
    numbers_are_shared = true;
}

const trace_lanes_table *trace_lanes_own_table(void) {
    static const trace_lanes_table table = {
        .version = TRACE_REGION_VERSION, .region = current_region, .install = trace_install, .uninstall = trace_uninstall,
        .register_executor = trace_executor_register, .share_numbers = share_numbers,
    };
    return &table;
}

void trace_find_other_lanes(void) {
    const trace_lanes_table *(*find)(void) = (const trace_lanes_table *(*)(void))dlsym(RTLD_DEFAULT, "hopscope_probe_lanes");
    const trace_lanes_table *table = find != NULL ? find() : NULL;
    if (table == NULL || table == trace_lanes_own_table() || table->version != TRACE_REGION_VERSION) return;
    trace_other_lanes = table;
    numbers_are_shared = true;
    table->share_numbers();
}

uint64_t trace_task_stride(void) {
    return numbers_are_shared || (hopscope_recording_began != NULL && hopscope_region_published != NULL) ? 2 : 1;
}
