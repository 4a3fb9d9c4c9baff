// Executors by name: the global one, the main one, an actor by its type, a custom one by its own.

#include "probe.h"

#include <pthread.h>
#include <string.h>

/// The executors of one class have one number: actors come and go, and their addresses come again.
typedef struct known_executor {
    const void *type;
    uint16_t number;
} known_executor;

enum { KNOWN_EXECUTORS = 2048 };

static known_executor known[KNOWN_EXECUTORS];
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static uint16_t global_executor;

static uint16_t name_executor(const char *name, size_t length, uint8_t kind) {
    return trace_executor_register((const uint8_t *)name, length, kind);
}

void executors_prepare(void) {
    if (global_executor == 0) global_executor = name_executor("global", 6, TRACE_EXECUTOR_GLOBAL);
}

static size_t place_of(const void *type) {
    return ((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u >> 32;
}

static uint16_t register_type(const void *type, void *identity, uintptr_t implementation) {
    if (swift_task_isMainExecutor != NULL && swift_task_isMainExecutor(identity, implementation))
        return name_executor("main", 4, TRACE_EXECUTOR_MAIN);
    // The lowest bits are flags.
    uint8_t kind = (implementation & ~(uintptr_t)7) != 0 ? TRACE_EXECUTOR_CUSTOM : TRACE_EXECUTOR_ACTOR;
    swift_type_name name = {"actor", 5};
    if (swift_getTypeName != NULL) name = swift_getTypeName(type, false);
    return name_executor(name.bytes, name.length, kind);
}

static __attribute__((noinline)) uint16_t learn(const void *type, void *identity, uintptr_t implementation) {
    uint16_t number = UINT16_MAX;
    pthread_mutex_lock(&known_lock);
    for (size_t step = 0; step < KNOWN_EXECUTORS; step++) {
        known_executor *place = &known[(place_of(type) + step) % KNOWN_EXECUTORS];
        if (place->type == NULL) {
            place->number = register_type(type, identity, implementation);
            __atomic_store_n(&place->type, type, __ATOMIC_RELEASE);
        }
        if (place->type != type) continue;
        number = place->number;
        break;
    }
    pthread_mutex_unlock(&known_lock);
    return number;
}

uint16_t executor_number(void *identity, uintptr_t implementation) {
    if (identity == NULL) return global_executor;
    const void *type = *(const void *const *)identity;
    for (size_t step = 0; step < KNOWN_EXECUTORS; step++) {
        const known_executor *place = &known[(place_of(type) + step) % KNOWN_EXECUTORS];
        const void *found = __atomic_load_n(&place->type, __ATOMIC_ACQUIRE);
        if (found == type) return place->number;
        if (found == NULL) break;
    }
    return learn(type, identity, implementation);
}

bool executors_are_preferred;

uint16_t executor_current(void) {
    swift_executor current = swift_task_getCurrentExecutor();
    probe_this.executor_object = current.identity;
    if (current.identity == NULL && __atomic_load_n(&executors_are_preferred, __ATOMIC_RELAXED)) {
        swift_executor preferred = swift_task_getPreferredTaskExecutor(false);
        if (preferred.identity != NULL) return executor_number(preferred.identity, preferred.implementation);
    }
    return executor_number(current.identity, current.implementation);
}
