// Errors: their types, the code that throws them, and the task that each comes from.
//
// A box identifies an error from the first throw until the box is destroyed. Swift's standard library destroys all boxes with one function,
// which the probe hooks. If a second task ends with the same box, the error came from the first task.

#define _GNU_SOURCE
#include "probe_errors.h"

#include "probe_memory.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// A Swift task to which a task of a chain handed an error.
typedef struct chain_reader {
    struct chain_reader *next;
    uint64_t chain;  ///< the chain's task
    uint64_t task;   ///< the Swift task
} chain_reader;

typedef struct error_record {
    struct error_record *next;  ///< in the same bucket
    const void *box;
    uint64_t recording;
    uint64_t task;  ///< the latest task that ended with it, 0 for none
    chain_reader *readers;
    uint32_t throws[THROWS_KEPT];
    uint32_t throw_count;
    uint32_t arrival;  ///< the code that awaits a continuation which was resumed with the error, until it is thrown; 0 for none
} error_record;

/// A bucket is read and changed under its lock. Only on_destroy looks first whether it is empty, without the lock: the thread that destroys
/// a box got it from the thread that recorded it, by the reference count's release and acquire, and so sees the record.
enum { BUCKETS = 4096, LOCKS = 64 };

static error_record *buckets[BUCKETS];
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static size_t bucket_of(const void *box) {
    return (((uintptr_t)box >> 4) * 0x9E3779B97F4A7C15u >> 40) % BUCKETS;
}

static void lock(size_t bucket) {
    pthread_mutex_lock(&locks[bucket % LOCKS]);
}

static void unlock(size_t bucket) {
    pthread_mutex_unlock(&locks[bucket % LOCKS]);
}

/// Removes the task from the error's readers. Returns the chain's task that handed the error to it, 0 for none.
static uint64_t forget_reader(error_record *record, uint64_t task) {
    for (chain_reader **link = &record->readers; *link != NULL; link = &(*link)->next) {
        chain_reader *reader = *link;
        if (reader->task != task) continue;
        uint64_t chain = reader->chain;
        *link = reader->next;
        free(reader);
        return chain;
    }
    return 0;
}

static void add_reader(error_record *record, uint64_t task, uint64_t chain) {
    enum { READERS_KEPT = 64 };
    chain_reader *reader = malloc(sizeof *reader);
    if (reader == NULL) return;
    *reader = (chain_reader){.next = record->readers, .chain = chain, .task = task};
    record->readers = reader;
    // Readers that handle the error leave no sign of it, so the oldest are forgotten.
    for (int count = 1; count < READERS_KEPT && reader != NULL; count++) reader = reader->next;
    if (reader == NULL || reader->next == NULL) return;
    chain_reader *oldest = reader->next;
    reader->next = NULL;
    free(oldest);
}

static void forget_readers(error_record *record) {
    while (record->readers != NULL) {
        chain_reader *reader = record->readers;
        record->readers = reader->next;
        free(reader);
    }
}

// MARK: - Destruction of a box

typedef SWIFT_CC void destroy_function(SWIFT_CONTEXT void *box);
static destroy_function *next_destroy;

/// The metadata kind of an error box.
enum { ERROR_METADATA = 0x501 };

static SWIFT_CC void on_destroy(SWIFT_CONTEXT void *box) {
    size_t bucket = bucket_of(box);
    if (__atomic_load_n(&buckets[bucket], __ATOMIC_ACQUIRE) != NULL) {
        lock(bucket);
        for (error_record **link = &buckets[bucket]; *link != NULL; link = &(*link)->next) {
            error_record *record = *link;
            if (record->box != box) continue;
            __atomic_store_n(link, record->next, __ATOMIC_RELEASE);
            forget_readers(record);
            free(record);
            break;
        }
        unlock(bucket);
    }
    slot_was_reached();
    next_destroy(box);
}

/// Runs in a forked child. The threads that held the locks are the parent's. A list changes by one store, so it is whole.
static void child_begins(void) {
    for (size_t index = 0; index < LOCKS; index++) locks[index] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/// Hooks the function that destroys boxes. All boxes share their metadata, so any box leads to that function.
static bool hook_destroy(const void *box) {
    void **metadata = *(void **const *)box;
    if (metadata == NULL || (uintptr_t)*metadata != ERROR_METADATA) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = metadata - 2;
    if (!memory_is_of_one_file(*slot, (const void *)swift_getErrorValue)) return false;
    next_destroy = (destroy_function *)*slot;
    // A child destroys the boxes that it got, although it records nothing.
    pthread_atfork(NULL, NULL, child_begins);
    return slot_set(slot, (void *)on_destroy);
}

/// True if the probe sees boxes end, and so can distinguish an error from a later one at the same address.
static bool knows_ends(const void *box) {
    enum { UNTRIED, KNOWN, UNKNOWN };
    static int state = UNTRIED;
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(now != UNTRIED, 1)) return now == KNOWN;
    static pthread_mutex_t trying = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&trying);
    if (state == UNTRIED) {
        bool is_known = hook_destroy(box);
        if (!is_known) routes_lose(TRACE_ROUTE_THROWN | TRACE_ROUTE_READ);
        __atomic_store_n(&state, is_known ? KNOWN : UNKNOWN, __ATOMIC_RELEASE);
    }
    now = state;
    pthread_mutex_unlock(&trying);
    return now == KNOWN;
}

// MARK: - Records of boxes

/// The error's record, or NULL. The caller holds the bucket's lock.
static error_record *find(const void *box, size_t bucket) {
    error_record *record = buckets[bucket];
    while (record != NULL && record->box != box) record = record->next;
    if (record == NULL || record->recording == trace_recording()) return record;
    forget_readers(record);
    *record = (error_record){.next = record->next, .box = box, .recording = trace_recording()};
    return record;
}

/// The error's record, made if it is missing. NULL if the probe cannot see boxes end or if memory is short.
/// The caller holds the bucket's lock.
static error_record *find_or_make(const void *box, size_t bucket) {
    error_record *record = find(box, bucket);
    if (record != NULL || !knows_ends(box)) return record;
    record = calloc(1, sizeof *record);
    if (record == NULL) return NULL;
    record->box = box;
    record->recording = trace_recording();
    record->next = buckets[bucket];
    __atomic_store_n(&buckets[bucket], record, __ATOMIC_RELEASE);
    return record;
}

void error_is_of_chain(const void *box, uint64_t task, uint64_t reader) {
    size_t bucket = bucket_of(box);
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) {
        forget_reader(record, reader);
        add_reader(record, reader, task);
    }
    unlock(bucket);
}

uint64_t error_source(const void *box) {
    size_t bucket = bucket_of(box);
    lock(bucket);
    const error_record *record = find(box, bucket);
    uint64_t source = record != NULL ? record->task : 0;
    unlock(bucket);
    return source;
}

// MARK: - Types

static bool is_called(swift_type_name name, const char *text) {
    size_t length = strlen(text);
    return name.length == length && memcmp(name.bytes, text, length) == 0;
}

const void *error_type(void *box) {
    swift_error_value value = {0};
    void *scratch = NULL;
    for (int depth = 0; depth < 4; depth++) {
        swift_getErrorValue(box, &scratch, &value);
        if (value.type == NULL || !is_called(swift_getTypeName(value.type, true), "Swift.Error")) break;
        box = *(void **)value.value;
    }
    return value.type;
}

// MARK: - Typed throws
//
// A typed error has no box until it leaves the functions with typed throws. The thread therefore keeps the latest typed error: its type,
// value and throws.

/// The value of an error in a box, and its size.
static const void *value_of(void *box, size_t *size) {
    swift_error_value value = {0};
    void *scratch = NULL;
    swift_getErrorValue(box, &scratch, &value);
    // The word before a type's metadata points to its value witness table; the size is the ninth entry.
    *size = value.type != NULL ? ((const size_t *const *)value.type)[-1][8] : 0;
    return value.value;
}

/// A small value can be that of another error, so it is not kept.
enum { SMALLEST_KEPT = 4, SUSPENSIONS_KEPT = 8, ERRORS_KEPT = 256 };

typedef struct kept_error {
    uint64_t task;  ///< 0 if the place is free
    typed_throw typed;
} kept_error;

static kept_error kept[ERRORS_KEPT];
static uint32_t kept_count;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

void typed_error_is_kept(uint64_t task) {
    typed_throw *latest = &probe_this.typed;
    if (latest->type == NULL || task == 0) return;
    if (latest->size >= SMALLEST_KEPT && latest->suspensions < SUSPENSIONS_KEPT) {
        pthread_mutex_lock(&kept_lock);
        // An older error of a task that never went on makes room.
        kept_error *place = &kept[task % ERRORS_KEPT];
        if (place->task == 0) __atomic_fetch_add(&kept_count, 1, __ATOMIC_RELEASE);
        *place = (kept_error){.task = task, .typed = *latest};
        // The next slice has frames of its own.
        place->typed.frame = 0;
        place->typed.suspensions++;
        pthread_mutex_unlock(&kept_lock);
    }
    latest->type = NULL;
}

void typed_error_goes_on(uint64_t task) {
    probe_this.typed.type = NULL;
    if (__atomic_load_n(&kept_count, __ATOMIC_ACQUIRE) == 0) return;
    pthread_mutex_lock(&kept_lock);
    kept_error *place = &kept[task % ERRORS_KEPT];
    if (task != 0 && place->task == task) {
        probe_this.typed = place->typed;
        place->task = 0;
        __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&kept_lock);
}

/// True if the error is the thread's latest typed error: the same type with the same value.
static bool is_latest_typed(void *box) {
    const typed_throw *latest = &probe_this.typed;
    if (latest->type == NULL || latest->recording != trace_recording() || latest->type != error_type(box)) return false;
    size_t size = 0;
    const void *value = value_of(box, &size);
    return latest->size == size && size <= sizeof latest->value && memcmp(latest->value, value, size) == 0;
}

/// True if the same value, thrown in the frame, is the latest typed error, caught by an outer function and thrown again. An optimized
/// function without a frame of its own throws in its caller's.
static bool can_be_again(const typed_throw *latest, uint32_t code, uintptr_t frame) {
    if (latest->frame != frame) return latest->frame < frame;
    return latest->size >= SMALLEST_KEPT && latest->count > 0 && latest->throws[latest->count - 1] != code;
}

void typed_error_was_thrown(void *box, uint32_t code, uintptr_t frame) {
    typed_throw *latest = &probe_this.typed;
    if (!can_be_again(latest, code, frame) || !is_latest_typed(box)) {
        size_t size = 0;
        const void *value = value_of(box, &size);
        *latest = (typed_throw){.type = error_type(box), .size = size, .recording = trace_recording()};
        if (size <= sizeof latest->value) memcpy(latest->value, value, size);
    }
    latest->frame = frame;
    if (latest->count < THROWS_KEPT) latest->throws[latest->count++] = code;
}

/// Begins the throws of a box with those of the typed error that it holds. The caller holds the bucket's lock.
static void take_typed_throws(error_record *record, void *box) {
    if (record->throw_count > 0 || !is_latest_typed(box)) return;
    memcpy(record->throws, probe_this.typed.throws, sizeof record->throws);
    record->throw_count = probe_this.typed.count;
    probe_this.typed.type = NULL;
}

void error_was_thrown(void *box, uint32_t code, bool is_runtime) {
    size_t bucket = bucket_of(box);
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) {
        take_typed_throws(record, box);
        if (is_runtime && record->arrival != 0) code = record->arrival;
        record->arrival = 0;
        if (record->throw_count < THROWS_KEPT) record->throws[record->throw_count++] = code;
    }
    unlock(bucket);
}

/// True if the address is that of a box.
static bool is_box(const void *address) {
    if (address == NULL || (uintptr_t)address % sizeof(void *) != 0 || !memory_is_mapped(address, sizeof(void *))) return false;
    const uintptr_t *metadata = *(const uintptr_t *const *)address;
    return (uintptr_t)metadata % sizeof(void *) == 0 && memory_is_mapped(metadata, sizeof *metadata) && *metadata == ERROR_METADATA;
}

bool error_arrives(void *box, uint32_t code) {
    if (!is_box(box)) return false;
    size_t bucket = bucket_of(box);
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) record->arrival = code;
    unlock(bucket);
    return true;
}

// MARK: - Ends

/// Notes that the task ended with the error. Returns the task that the error came from, 0 for none; `*code` is the code that threw it.
static uint64_t take(void *box, uint64_t task, uint32_t *code) {
    size_t bucket = bucket_of(box);
    uint64_t source = 0;
    *code = 0;
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) {
        take_typed_throws(record, box);
        *code = record->throw_count > 0 ? trace_code_of_throws(record->throws, record->throw_count) : record->arrival;
        // A chain's error can reach other tasks unseen by the probe, so only its known readers count as having it from the chain.
        source = forget_reader(record, task);
        if (source == 0) source = record->task;
        record->task = task;
    }
    unlock(bucket);
    return source != task ? source : 0;
}

void error_ended_task(void *box, swift_task *ended, uint64_t task, uint16_t executor) {
    const void *type = error_type(box);
    swift_type_name name = type != NULL ? swift_getTypeName(type, false) : (swift_type_name){"Error", 5};
    uint32_t code = 0;
    uint64_t source = take(box, task, &code);
    uint32_t entry = trace_error_of_code((const uint8_t *)name.bytes, name.length, code);
    if (is_called(name, "CancellationError") && is_called(swift_getTypeName(type, true), "Swift.CancellationError")) {
        trace_emit(TRACE_CANCELLED, TRACE_CANCELLATION_THROWN, executor, entry, task, source);
        return;
    }
    task_set_failed(ended);
    trace_emit(TRACE_FAULTED, source != 0 ? TRACE_FAULT_FORWARDED : TRACE_FAULT_THROWN, executor, entry, task, source);
}

// MARK: - For chains in the same process

uint64_t hopscope_error_source(const void *box) {
    return probe_is_recording() ? error_source(box) : 0;
}

void hopscope_error_left(const void *box, uint64_t task) {
    uint64_t reader = hopscope_swift_task();
    if (reader != 0) error_is_of_chain(box, task, reader);
}
