// Isolated deinits. The last release of an object may come on any executor, and the runtime then gives the deinit to the executor of the
// object's class, in a job that is no task. In the trace such a job is a block with the deinit's name and place, made by what released the
// object.

#define _GNU_SOURCE
#include "probe_deinit.h"

#include "dispatch_blocks.h"
#include "interposition.h"
#include "probe_executors.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <stdio.h>
#include <unistd.h>

/// A deinit that waits for its run. The object is NULL while the place is free, and FILLING while the rest is stored.
typedef struct pending_deinit {
    const void *object;
    isolated_deinit *deinit;
    made_block made;
} pending_deinit;

enum { DEINIT_LISTS = 64, DEINITS_OF_A_LIST = 16 };
#define FILLING ((const void *)1)

/// Objects share lists by their addresses. With more waiting deinits than a list has room for, the later ones are not recorded.
static pending_deinit pending[DEINIT_LISTS][DEINITS_OF_A_LIST];

static pending_deinit *list_of(const void *object) {
    return pending[((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15u >> 40 & (DEINIT_LISTS - 1)];
}

static pending_deinit *take_place(const void *object) {
    pending_deinit *list = list_of(object);
    for (size_t index = 0; index < DEINITS_OF_A_LIST; index++) {
        const void *expected = NULL;
        if (__atomic_load_n(&list[index].object, __ATOMIC_RELAXED) != NULL) continue;
        if (__atomic_compare_exchange_n(&list[index].object, &expected, FILLING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &list[index];
    }
    return NULL;
}

/// Runs in the place of the object's deinit, as a job of the executor.
static SWIFT_CC void run(void *object) {
    pending_deinit *list = list_of(object);
    for (size_t index = 0; index < DEINITS_OF_A_LIST; index++) {
        // Only the one run of an object's deinit frees its place.
        if (__atomic_load_n(&list[index].object, __ATOMIC_ACQUIRE) != object) continue;
        pending_deinit found = list[index];
        __atomic_store_n(&list[index].object, NULL, __ATOMIC_RELEASE);
        running_block running;
        block_began(&running, &found.made, NULL);
        found.deinit(object);
        block_ended(&running);
        return;
    }
}

/// True if it is certain that the runtime gives the deinit to the executor. The runtime runs three kinds of deinits within the release: an
/// actor's own, one of the executor that the thread runs, and one of main on main's thread. Whether a custom executor has the thread, only
/// the runtime may ask it.
static bool is_given(const void *object, void *identity, uintptr_t implementation, uint16_t executor) {
    if (identity == object || swift_task_getCurrentExecutor().identity == identity) return false;
    return executor == executors_main ? gettid() != getpid() : !executor_is_custom(implementation);
}

/// The entry for the deinit's name and its own place. The call that released the object may be anywhere.
static uint32_t label_of(const void *object, isolated_deinit *deinit) {
    swift_type_name type = swift_getTypeName(*(const void *const *)object, false);
    char name[256];
    int length = snprintf(name, sizeof name, "%.*s.deinit", (int)(type.length < 240 ? type.length : 240), type.bytes);
    const void *code = (const char *)deinit + 1;
    return trace_label_of_code(name, (size_t)length, trace_code(TRACE_CODE_CALLS, &code, 1));
}

/// Records the deinit if it becomes a job, and returns the function that runs it; else the deinit itself.
static isolated_deinit *record(void *object, isolated_deinit *deinit, void *identity, uintptr_t implementation) {
    probe_this.is_busy = true;
    uint16_t executor = executor_number(identity, implementation);
    pending_deinit *place = is_given(object, identity, implementation, executor) ? take_place(object) : NULL;
    uint32_t label = place != NULL ? label_of(object, deinit) : 0;
    probe_this.is_busy = false;
    if (place == NULL) return deinit;
    place->deinit = deinit;
    place->made = block_made_with_label(executor, label);
    __atomic_store_n(&place->object, object, __ATOMIC_RELEASE);
    return run;
}

static SWIFT_CC void watch_deinit(
    void *object, isolated_deinit *deinit, void *identity, uintptr_t implementation, uintptr_t flags
) {
    if (is_watched() && identity != NULL && blocks_are_recorded())
        deinit = record(object, deinit, identity, implementation);
    SWIFT_TAIL_CALL return RUNTIMES(deinit)(object, deinit, identity, implementation, flags);
}

void deinits_watch(void) {
    TAKE_CALLS(deinit, watch_deinit);
}
