// Errors by their type and by the place that threw them, and which task ended with which.
//
// An error is known by the address of its box for as long as a task holds it: a second task that ends with the same box has it from the
// first. The tables are of fixed size; what they lose is a throw's place or a reader, never a task's end.

#include "probe.h"

#include <pthread.h>
#include <string.h>

typedef struct thrown_error {
    const void *box;
    uint64_t recording;
    uint64_t task;    ///< the latest that ended with it, 0 for none
    uint64_t chain;   ///< a chain's task that handed it to a Swift task, 0 for none
    uint64_t reader;  ///< that Swift task
    uint32_t code;
} thrown_error;

typedef struct failed_task {
    uint64_t task;
    const void *box;
} failed_task;

enum { ERROR_PLACES = 4096, LOCKS = 64 };

static thrown_error thrown[ERROR_PLACES];
static failed_task failed[ERROR_PLACES];
/// Whether any task has failed: most programs' do not, and need not look.
static bool has_failed;
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static size_t place_of(uint64_t value) {
    return (value * 0x9E3779B97F4A7C15u >> 40) % ERROR_PLACES;
}

static void lock(size_t place) {
    pthread_mutex_lock(&locks[place % LOCKS]);
}

static void unlock(size_t place) {
    pthread_mutex_unlock(&locks[place % LOCKS]);
}

/// What is known of an error; the place is locked.
static thrown_error *find(const void *box, size_t place) {
    thrown_error *error = &thrown[place];
    if (error->box != box || error->recording != trace_recording())
        *error = (thrown_error){.box = box, .recording = trace_recording()};
    return error;
}

void error_was_thrown(void *box, uint32_t code) {
    size_t place = place_of((uintptr_t)box >> 4);
    lock(place);
    find(box, place)->code = code;
    unlock(place);
}

void typed_error_was_thrown(const void *type, uint32_t code) {
    probe_this.thrown_type = type;
    probe_this.thrown_code = code;
    probe_this.thrown_recording = trace_recording();
}

void error_is_of_chain(const void *box, uint64_t task, uint64_t reader) {
    size_t place = place_of((uintptr_t)box >> 4);
    lock(place);
    thrown_error *error = find(box, place);
    error->chain = task;
    error->reader = reader;
    unlock(place);
}

uint64_t error_source(const void *box) {
    size_t place = place_of((uintptr_t)box >> 4);
    lock(place);
    uint64_t source = find(box, place)->task;
    unlock(place);
    return source;
}

// MARK: - Types

static bool is_called(swift_type_name name, const char *text) {
    size_t length = strlen(text);
    return name.length == length && memcmp(name.bytes, text, length) == 0;
}

/// The type of an error. A typed throw is boxed as an `any Error` in a box: then it is the type of what is inside.
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

// MARK: - Ends

/// Returns which task the error came from, and where it was thrown.
static uint64_t take(void *box, uint64_t task, const void *type, uint32_t *code) {
    size_t place = place_of((uintptr_t)box >> 4);
    lock(place);
    thrown_error *error = find(box, place);
    if (error->code == 0 && probe_this.thrown_type == type && probe_this.thrown_recording == error->recording)
        error->code = probe_this.thrown_code;
    *code = error->code;
    // A chain frees its error when it likes, so only whom it was handed to can have it from there.
    uint64_t source = error->chain != 0 && error->reader == task ? error->chain : error->task;
    error->task = task;
    unlock(place);
    return source != task ? source : 0;
}

static void remember(uint64_t task, const void *box) {
    __atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
    size_t place = place_of(task);
    lock(place);
    failed[place] = (failed_task){.task = task, .box = box};
    unlock(place);
}

void error_ended_task(void *box, uint64_t task) {
    const void *type = type_of(box);
    swift_type_name name = type != NULL ? swift_getTypeName(type, false) : (swift_type_name){"Error", 5};
    uint32_t code = 0;
    uint64_t source = take(box, task, type, &code);
    uint32_t entry = trace_error_of_code((const uint8_t *)name.bytes, name.length, code);
    if (is_called(name, "CancellationError") && is_called(swift_getTypeName(type, true), "Swift.CancellationError")) {
        trace_emit(TRACE_CANCELLED, TRACE_CANCELLATION_THROWN, 0, entry, task, source);
        return;
    }
    remember(task, box);
    trace_emit(TRACE_FAULTED, source != 0 ? TRACE_FAULT_FORWARDED : TRACE_FAULT_THROWN, 0, entry, task, source);
}

bool error_is_of(uint64_t task) {
    if (!__atomic_load_n(&has_failed, __ATOMIC_RELAXED)) return false;
    size_t place = place_of(task);
    return __atomic_load_n(&failed[place].task, __ATOMIC_RELAXED) == task;
}

bool error_forget(uint64_t task) {
    if (!error_is_of(task)) return false;
    size_t place = place_of(task);
    lock(place);
    bool is_known = failed[place].task == task;
    const void *box = is_known ? failed[place].box : NULL;
    if (is_known) failed[place] = (failed_task){0};
    unlock(place);
    if (!is_known) return false;
    // The box may be freed with the task, and its address be another's.
    size_t error = place_of((uintptr_t)box >> 4);
    lock(error);
    if (thrown[error].box == box && thrown[error].task == task) thrown[error].task = 0;
    unlock(error);
    return true;
}
