// Names of executors: "global", "main", and for an actor or a custom executor the name of its type.

#include "probe_executors.h"

#include "probe_routes.h"
#include "probe_runtime.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/// A program can make thousands of actors. Only the first few instances of a type get numbers of their own; all others share one number.
/// An actor at the address of an earlier actor of its type gets that actor's number.
enum { INSTANCES_OF_A_TYPE = 8 };

typedef struct known_type {
    const void *type;
    uint16_t rest;      ///< the number that further instances share, 0 before there is one
    uint16_t instances;
} known_type;

typedef struct known_executor {
    const void *identity;
    const void *type;
    uint16_t number;
} known_executor;

/// Sizes of the hash tables: powers of two, at most half used, so that a lookup ends after a few steps.
enum { KNOWN_TYPES = 2048, KNOWN_EXECUTORS = 4096 };

static known_type types[KNOWN_TYPES];
static known_executor executors[KNOWN_EXECUTORS];
static size_t type_count, executor_count;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
uint16_t executors_global, executors_main;

static uint16_t name_executor(const char *name, size_t length, uint8_t kind) {
    return trace_executor_register((const uint8_t *)name, length, kind);
}

void executors_prepare(void) {
    if (executors_global != 0) return;
    executors_global = name_executor("global", 6, TRACE_EXECUTOR_GLOBAL);
    executors_main = name_executor("main", 4, TRACE_EXECUTOR_MAIN);
}

static size_t place_of(const void *address) {
    return ((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15u >> 32;
}

// MARK: - Lookup
//
// Readers take no lock. A place is filled before its key, `identity` or `type`, is stored with release order, and is never emptied; a
// reader that loads the key with acquire order sees the rest of the place.

static known_executor *find_executor(const void *identity, const void *type) {
    for (size_t step = 0;; step++) {
        known_executor *place = &executors[(place_of(identity) + step) % KNOWN_EXECUTORS];
        const void *found = __atomic_load_n(&place->identity, __ATOMIC_ACQUIRE);
        if (found == NULL || (found == identity && place->type == type)) return place;
    }
}

static known_type *find_type(const void *type) {
    for (size_t step = 0;; step++) {
        known_type *place = &types[(place_of(type) + step) % KNOWN_TYPES];
        const void *found = __atomic_load_n(&place->type, __ATOMIC_ACQUIRE);
        if (found == NULL || found == type) return place;
    }
}

// MARK: - Registration

/// Registers an executor and returns its number. Of a type `Counter`, the first instance is named `Counter`, the second `Counter#2`, and
/// the instances that share one number `Counter#9…`.
static uint16_t register_executor(void *identity, uintptr_t implementation, bool is_serial, unsigned instance, bool is_told_apart) {
    // The runtime's function takes serial executors only.
    if (is_serial && swift_task_isMainExecutor(identity, implementation)) return executors_main;
    swift_type_name type = swift_getTypeName(*(const void *const *)identity, false);
    uint8_t kind = executor_is_custom(implementation) ? TRACE_EXECUTOR_CUSTOM : TRACE_EXECUTOR_ACTOR;
    if (instance == 1) return name_executor(type.bytes, type.length, kind);
    char name[256];
    int room = (int)sizeof name - 16, length = type.length < (size_t)room ? (int)type.length : room;
    int written = snprintf(name, sizeof name, "%.*s#%u%s", length, type.bytes, instance, is_told_apart ? "" : "…");
    return name_executor(name, (size_t)written, kind);
}

static uint16_t learn_locked(const void *key, void *identity, uintptr_t implementation, bool is_serial) {
    known_executor *known = find_executor(identity, key);
    if (known->identity != NULL) return known->number;
    known_type *type = find_type(key);
    if (type->type == NULL && type_count >= KNOWN_TYPES / 2) return UINT16_MAX;
    bool is_told_apart = type->instances < INSTANCES_OF_A_TYPE && executor_count < KNOWN_EXECUTORS / 2;
    if (!is_told_apart && type->rest != 0) return type->rest;
    uint16_t number = register_executor(identity, implementation, is_serial, type->instances + 1u, is_told_apart);
    if (is_told_apart) {
        type->instances++;
        executor_count++;
        known->type = key;
        known->number = number;
        __atomic_store_n(&known->identity, identity, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(&type->rest, number, __ATOMIC_RELEASE);
    }
    if (type->type == NULL) {
        type_count++;
        __atomic_store_n(&type->type, key, __ATOMIC_RELEASE);
    }
    return number;
}

static __attribute__((noinline)) uint16_t learn(const void *type, void *identity, uintptr_t implementation, bool is_serial) {
    const known_type *known = find_type(type);
    if (__atomic_load_n(&known->type, __ATOMIC_ACQUIRE) == type) {
        uint16_t rest = __atomic_load_n(&known->rest, __ATOMIC_ACQUIRE);
        if (rest != 0) return rest;
    }
    pthread_mutex_lock(&known_lock);
    uint16_t number = learn_locked(type, identity, implementation, is_serial);
    pthread_mutex_unlock(&known_lock);
    return number;
}

static inline uint16_t number_of(void *identity, uintptr_t implementation, bool is_serial) {
    if (identity == NULL) return executors_global;
    const void *type = *(const void *const *)identity;
    // A place that was free when it was found may have been taken for another executor since, so the identity is compared.
    const known_executor *known = find_executor(identity, type);
    if (__atomic_load_n(&known->identity, __ATOMIC_ACQUIRE) == identity && known->type == type) return known->number;
    return learn(type, identity, implementation, is_serial);
}

uint16_t executor_number(void *identity, uintptr_t implementation) {
    return number_of(identity, implementation, true);
}

// MARK: - Preferred executors

/// The task's status in the listed runtimes. `withTaskExecutorPreference` is part of the runtime, so no interposed function sees its call.
enum {
    STATUS_OFFSET = 0x60,
    STATUS_HAS_DEPENDENCY = 1 << 14,
    STATUS_HAS_PREFERENCE = 1 << 15,
    RECORD_KIND = 0xFF,
    RECORD_IS_PREFERENCE = 5,
};

/// A record of the task's status in the listed runtimes, the innermost first. Those of a preference name the executor. The task itself adds and
/// removes records, so none changes while the task is about to be enqueued.
typedef struct status_record {
    uintptr_t flags;
    const struct status_record *outer;
    uintptr_t is_retained;
    swift_executor preferred;
} status_record;

bool executors_may_prefer(const swift_task *task) {
    if (probe_has_hooks_only || !probe_is_in_listed_runtime) return true;
    if (task == NULL) return false;
    const uint16_t *status = (const uint16_t *)((const char *)task + STATUS_OFFSET);
    return (task->flags & SWIFT_TASK_BEGAN_WITH_PREFERENCE) != 0
        || (__atomic_load_n(status, __ATOMIC_RELAXED) & STATUS_HAS_PREFERENCE) != 0;
}

uint16_t executor_preferred(swift_task *task) {
    if (!executors_may_prefer(task)) return executors_global;
    const status_record *record = *(const status_record *const *)((const char *)task + TASK_RECORDS);
    while (record != NULL && (record->flags & RECORD_KIND) != RECORD_IS_PREFERENCE) record = record->outer;
    // The flags and the records must agree on a task that has a dependency, and has its flag.
    uint16_t status = __atomic_load_n((const uint16_t *)((const char *)task + STATUS_OFFSET), __ATOMIC_RELAXED);
    bool is_consistent = (status & STATUS_HAS_DEPENDENCY) != 0 && ((status & STATUS_HAS_PREFERENCE) != 0) == (record != NULL);
    if (!probe_is_in_listed_runtime && !is_consistent) {
        routes_lose(TRACE_ROUTE_QUEUES);
        return 0;
    }
    return record != NULL ? number_of(record->preferred.identity, record->preferred.implementation, false) : executors_global;
}

uint16_t executor_generic(void) {
    if (!executors_may_prefer(probe_running())) return executors_global;
    swift_executor preferred = swift_task_getPreferredTaskExecutor(false);
    return number_of(preferred.identity, preferred.implementation, false);
}

uint16_t executor_current(void) {
    swift_executor current = swift_task_getCurrentExecutor();
    probe_this.executor_object = current.identity;
    if (current.identity == NULL) return executor_generic();
    return executor_number(current.identity, current.implementation);
}
