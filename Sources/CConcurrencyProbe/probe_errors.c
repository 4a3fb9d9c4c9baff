// Errors: their types, the code that throws them, and the task that each comes from.
//
// A box identifies an error from the first throw until the box is destroyed. Swift's standard library destroys all boxes with one function,
// which the probe hooks. If a second task ends with the same box, the error came from the first task.

#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct error_record {
    struct error_record *next;  ///< in the same bucket
    const void *box;
    uint64_t recording;
    uint64_t task;    ///< the latest task that ended with it, 0 for none
    uint64_t chain;   ///< the chain's task that handed it to a Swift task, 0 for none
    uint64_t reader;  ///< that Swift task
    uint32_t throws[THROWS_KEPT];
    uint32_t throw_count;
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
            free(record);
            break;
        }
        unlock(bucket);
    }
    hook_was_reached();
    next_destroy(box);
}

static bool are_of_one_file(const void *first, const void *second) {
    Dl_info one, other;
    return dladdr(first, &one) != 0 && dladdr(second, &other) != 0 && one.dli_fbase == other.dli_fbase;
}

/// Hooks the function that destroys boxes. All boxes share their metadata, so any box leads to that function.
static bool hook_destroy(const void *box) {
    void **metadata = *(void **const *)box;
    if (metadata == NULL || (uintptr_t)*metadata != ERROR_METADATA) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = metadata - 2;
    if (!are_of_one_file(*slot, (const void *)swift_getErrorValue)) return false;
    next_destroy = (destroy_function *)*slot;
    return hooks_set(slot, (void *)on_destroy);
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

void error_was_thrown(void *box, uint32_t code) {
    size_t bucket = bucket_of(box);
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL && record->throw_count < THROWS_KEPT) record->throws[record->throw_count++] = code;
    unlock(bucket);
}

void error_is_of_chain(const void *box, uint64_t task, uint64_t reader) {
    size_t bucket = bucket_of(box);
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) {
        record->chain = task;
        record->reader = reader;
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

/// The type of an error. A typed throw arrives as a box that contains an `any Error`; the result is then the inner error's type.
static const void *type_of(void *box) {
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

void typed_error_was_thrown(void *box, uint32_t code, uintptr_t frame) {
    typed_throw *latest = &probe_this.typed;
    size_t size = 0;
    const void *value = value_of(box, &size), *type = type_of(box);
    bool is_comparable = size <= sizeof latest->value;
    // The same value thrown by an outer function in the same slice is the same error, caught and thrown again.
    bool is_again = latest->type == type && latest->frame < frame && is_comparable && latest->size == size
        && latest->recording == trace_recording() && memcmp(latest->value, value, size) == 0;
    if (!is_again) {
        *latest = (typed_throw){.type = type, .size = size, .recording = trace_recording()};
        if (is_comparable) memcpy(latest->value, value, size);
    }
    latest->frame = frame;
    if (latest->count < THROWS_KEPT) latest->throws[latest->count++] = code;
}

// MARK: - Ends

/// Notes that the task ended with the error. Returns the task that the error came from, 0 for none; `*code` is the code that threw it.
static uint64_t take(void *box, uint64_t task, const void *type, uint32_t *code) {
    size_t bucket = bucket_of(box);
    uint64_t source = 0;
    *code = 0;
    lock(bucket);
    error_record *record = find_or_make(box, bucket);
    if (record != NULL) {
        const typed_throw *typed = &probe_this.typed;
        if (record->throw_count == 0 && typed->type == type && typed->recording == record->recording) {
            memcpy(record->throws, typed->throws, sizeof record->throws);
            record->throw_count = typed->count;
        }
        *code = trace_code_of_throws(record->throws, record->throw_count);
        // A chain's error can reach other tasks unseen by the probe, so only its known reader counts as having it from the chain.
        source = record->chain != 0 && record->reader == task ? record->chain : record->task;
        record->task = task;
    }
    unlock(bucket);
    return source != task ? source : 0;
}

void error_ended_task(void *box, swift_task *ended, uint64_t task, uint16_t executor) {
    const void *type = type_of(box);
    swift_type_name name = type != NULL ? swift_getTypeName(type, false) : (swift_type_name){"Error", 5};
    uint32_t code = 0;
    uint64_t source = take(box, task, type, &code);
    uint32_t entry = trace_error_of_code((const uint8_t *)name.bytes, name.length, code);
    if (is_called(name, "CancellationError") && is_called(swift_getTypeName(type, true), "Swift.CancellationError")) {
        trace_emit(TRACE_CANCELLED, TRACE_CANCELLATION_THROWN, executor, entry, task, source);
        return;
    }
    task_set_failed(ended);
    trace_emit(TRACE_FAULTED, source != 0 ? TRACE_FAULT_FORWARDED : TRACE_FAULT_THROWN, executor, entry, task, source);
}
