// Drives the probe's own code from many threads over a simulated runtime, so that a sanitizer checks that code alone.
//
//   harness ROUNDS

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_cancellation.h"
#include "probe_creation.h"
#include "probe_errors.h"
#include "probe_executors.h"
#include "probe_hops.h"
#include "probe_outcome.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_thread.h"

enum { THREADS = 4, TYPES = 64, ADAPTER = 8 };

static char adapter[ADAPTER], other_adapter[ADAPTER];
void *_swift_concurrency_debug_future_adapter = adapter;
void *_swift_concurrency_debug_non_future_adapter = other_adapter;
uint32_t _swift_concurrency_debug_internal_layout_version = 1;

static __thread swift_task *current;
static __thread swift_executor executor;

/// The class of an executor or an error, and its name.
typedef struct made_up_type {
    char name[16];
} made_up_type;

static made_up_type types[TYPES];

typedef struct made_up_task {
    swift_task task;
    char room[160];
    swift_async_context context;
} made_up_task;

SWIFT_CC uint64_t swift_task_getJobTaskId(swift_task *task) { return task->id; }
SWIFT_CC swift_task *swift_task_getCurrent(void) { return current; }
SWIFT_CC swift_executor swift_task_getCurrentExecutor(void) { return executor; }
SWIFT_CC swift_executor swift_task_getPreferredTaskExecutor(bool evenIfDefault) {
    (void)evenIfDefault;
    return (swift_executor){0};
}
SWIFT_CC bool swift_task_isMainExecutor(void *identity, uintptr_t implementation) {
    return *(void **)identity == &types[0] && implementation == 0;
}
SWIFT_CC swift_type_name swift_getTypeName(const void *type, bool isQualified) {
    (void)isQualified;
    const made_up_type *made_up = type;
    return (swift_type_name){made_up->name, strlen(made_up->name)};
}
SWIFT_CC void swift_getErrorValue(const void *error, void **scratch, swift_error_value *value) {
    (void)scratch;
    *value = (swift_error_value){.value = (void *)error, .type = ((void *const *)error)[1]};
}

/// The metadata of error boxes. The probe hooks its destructor.
static SWIFT_CC void destroy_error(SWIFT_CONTEXT void *error) { (void)error; }
static struct {
    SWIFT_CC void (*destroy)(SWIFT_CONTEXT void *error);
    void *witnesses;
    uintptr_t kind;
} error_metadata = {destroy_error, NULL, 0x501};

/// The chain's task whose body this thread runs.
static __thread uint64_t chain;

static uint64_t running_chain(uintptr_t *frame) {
    *frame = (uintptr_t)PROBE_FRAME;
    return chain;
}

__attribute__((constructor(TRACE_REGISTRATION_PRIORITY))) static void register_chains(void) {
    trace_register(&(trace_parts){.running_chain = running_chain});
}

static SWIFT_ASYNC_CC void done(SWIFT_ASYNC_CONTEXT swift_async_context *context, SWIFT_CONTEXT void *error) {
    (void)context;
    (void)error;
}

static void live(uint32_t number, unsigned *random) {
    made_up_task *made_up = calloc(1, sizeof *made_up);
    swift_task *task = &made_up->task;
    task->id = number;
    task->resume_task = adapter;
    task->resume_context = &made_up->context;
    made_up->context.resume_parent = (void *)done;
    void *actor[2] = {&types[rand_r(random) % TYPES]}, *error[2] = {&error_metadata.kind, &types[rand_r(random) % TYPES]};
    chain = rand_r(random) % 2 == 0 ? trace_next_task() : 0;
    task_was_enqueued(task, PROBE_FRAME);
    current = task;
    executor = (swift_executor){0};
    task_slice_began(task);
    task->resume_task = (void *)live;
    for (int hop = 0; hop < 8; hop++) {
        hop_began(hop % 2 == 0 ? actor : NULL, 0, live);
        if (hop % 2 == 0) hop_was_inline();
    }
    uint64_t known = hopscope_swift_task();
    task_blocks(known, 0, PROBE_FRAME);
    task_goes_on(known, 0, false);
    task_was_suspended(task);
    task_was_enqueued(task, PROBE_FRAME);
    task_slice_began(task);
    task_was_cancelled(task, PROBE_FRAME);
    cancellation_was_seen();
    slice_ended(task, known);
    const void *returns[] = {(char *)live + rand_r(random) % 256, live};
    error_was_thrown(error, trace_code(TRACE_CODE_CALLS, returns, 2), false);
    if (chain != 0) hopscope_error_left(error, chain);
    if (hopscope_error_source(error) == UINT64_MAX) abort();
    error_was_thrown(error, trace_code(TRACE_CODE_CALLS, returns, 1), false);
    error_ended_task(error, task, known, 1);
    current = NULL;
    task_was_read(task);
    task_is_destroyed(task);
    error_metadata.destroy(error);
    if (hopscope_error_source(error) != 0) abort();
    free(made_up);
}

typedef struct work {
    uint32_t first;
    uint32_t rounds;
} work;

static void *run(void *argument) {
    work *work = argument;
    unsigned random = work->first;
    for (uint32_t round = 0; round < work->rounds; round++) live(work->first + round, &random);
    return NULL;
}

int main(int count, char **arguments) {
    uint32_t rounds = count > 1 ? (uint32_t)atoi(arguments[1]) : 1000;
    for (int type = 0; type < TYPES; type++) snprintf(types[type].name, sizeof types[type].name, "Type%d", type);
    trace_region_options options = {.lane_limit = 16, .lane_slots = 1 << 12, .entry_limit = 1 << 12, .entries_size = 1 << 20};
    trace_region *region = trace_region_create(&options);
    probe_is_installed = true;
    executors_prepare();
    trace_install(region);
    pthread_t threads[THREADS];
    work works[THREADS];
    for (int thread = 0; thread < THREADS; thread++) {
        works[thread] = (work){.first = 1 + (uint32_t)thread * rounds, .rounds = rounds};
        pthread_create(&threads[thread], NULL, run, &works[thread]);
    }
    for (int thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
    uint64_t records = 0;
    for (uint32_t lane = 0; lane < trace_lane_count(region); lane++) records += trace_lane_head(region, lane);
    printf("records %llu\n", (unsigned long long)records);
    return records > (uint64_t)rounds * THREADS ? 0 : 1;
}
