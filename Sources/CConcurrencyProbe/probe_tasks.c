// The identity of a task: its number in the trace, whether it is new and whether it has failed.

#include "probe_tasks.h"

#include "probe_routes.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

// MARK: - New tasks

/// The functions with which a task resumes that has not begun, of tasks with and without a value.
static const void *future_adapter, *non_future_adapter;

/// The exported variable that names an adapter, else the adapter in the runtime's symbol table.
static const void *adapter(void *const *exported, code_range range) {
    return exported != NULL ? *exported : (const void *)range.first;
}

const char *tasks_find_adapters(void) {
    future_adapter = adapter(&_swift_concurrency_debug_future_adapter, probe_code.future_adapter);
    non_future_adapter = adapter(&_swift_concurrency_debug_non_future_adapter, probe_code.non_future_adapter);
    if (future_adapter == NULL) return "_swift_concurrency_debug_future_adapter";
    return non_future_adapter == NULL ? "_swift_concurrency_debug_non_future_adapter" : NULL;
}

bool task_is_new(const swift_task *task) {
    return task->resume_task == future_adapter || task->resume_task == non_future_adapter;
}

// MARK: - A task's reserved word
//
// The runtime reserves one word in a task for future use and clears it in a new task. The probe stores the task's number in the word's
// lower bits, and in the highest bit whether the task has failed. It stops doing so if it finds that the runtime uses the word.
//
// The word is read and written with relaxed order, because only the word itself matters. A thread comes to know a task, or its end, by the
// runtime's own hand-over, and that orders the writes.

/// A task without a usable word gets its runtime id with this bit set. The shared sequence of numbers never reaches it.
enum { UNKNOWN_LAYOUT_BIT = 35 };

#define FAILED ((uint64_t)1 << 63)

static bool is_word_taken;

/// In a runtime that is not listed, the word must be clear in `CLEAR_WORDS_NEEDED` new tasks before the probe writes to it. The failed tasks
/// until then are listed by their addresses; a place that is free again is NULL.
enum { CLEAR_WORDS_NEEDED = 8, EARLY_FAILURES = 32 };
static uint32_t clear_words, early_failure_count;
static const swift_task *early_failures[EARLY_FAILURES];

static uint64_t *word_of(const swift_task *task) {
    return (uint64_t *)&task->reserved;
}

static void forgo_word(void) {
    __atomic_store_n(&is_word_taken, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_READ | TRACE_ROUTE_RELEASED);
}

static inline bool word_is_proven(void) {
    return probe_is_in_listed_runtime || __atomic_load_n(&clear_words, __ATOMIC_RELAXED) >= CLEAR_WORDS_NEEDED;
}

void task_proves_word(const swift_task *task) {
    if (word_is_proven() || __atomic_load_n(&is_word_taken, __ATOMIC_RELAXED)) return;
    if (__atomic_load_n(word_of(task), __ATOMIC_RELAXED) == 0) __atomic_add_fetch(&clear_words, 1, __ATOMIC_RELAXED);
    else forgo_word();
}

/// Reads the word. False if it is not proven that the runtime does not use it.
static bool read_word(const swift_task *task, uint64_t *content) {
    if (!word_is_proven() || __atomic_load_n(&is_word_taken, __ATOMIC_RELAXED)) return false;
    *content = __atomic_load_n(word_of(task), __ATOMIC_RELAXED);
    if (__builtin_expect((*content & ~FAILED) >> UNKNOWN_LAYOUT_BIT == 0, 1)) return true;
    forgo_word();
    return false;
}

uint64_t task_shared_number(swift_task *task) {
    uint64_t known;
    if (!read_word(task, &known)) return swift_task_getJobTaskId(task) | (uint64_t)1 << UNKNOWN_LAYOUT_BIT;
    if ((known & ~FAILED) != 0) return known & ~FAILED;
    uint64_t next = trace_next_task();
    bool is_mine = __atomic_compare_exchange_n(word_of(task), &known, known | next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return is_mine ? next : known & ~FAILED;
}

bool task_has_number(const swift_task *task) {
    if (!__atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED)) return true;
    uint64_t known;
    return read_word(task, &known) && (known & ~FAILED) != 0;
}

static void note_early_failure(const swift_task *task) {
    uint32_t place = __atomic_fetch_add(&early_failure_count, 1, __ATOMIC_RELAXED);
    if (place < EARLY_FAILURES) __atomic_store_n(&early_failures[place], task, __ATOMIC_RELAXED);
    else forgo_word();
}

static bool is_early_failure(const swift_task *task) {
    uint32_t count = __atomic_load_n(&early_failure_count, __ATOMIC_RELAXED);
    for (uint32_t place = 0; place < count && place < EARLY_FAILURES; place++)
        if (__atomic_load_n(&early_failures[place], __ATOMIC_RELAXED) == task) return true;
    return false;
}

void task_set_failed(swift_task *task) {
    uint64_t known;
    if (read_word(task, &known)) __atomic_fetch_or(word_of(task), FAILED, __ATOMIC_RELAXED);
    else if (!__atomic_load_n(&is_word_taken, __ATOMIC_RELAXED)) note_early_failure(task);
}

bool task_has_failed(const swift_task *task) {
    uint64_t known;
    return (read_word(task, &known) && (known & FAILED) != 0) || is_early_failure(task);
}

void task_is_gone(const swift_task *task) {
    uint32_t count = __atomic_load_n(&early_failure_count, __ATOMIC_RELAXED);
    for (uint32_t place = 0; place < count && place < EARLY_FAILURES; place++) {
        const swift_task *gone = task;
        __atomic_compare_exchange_n(&early_failures[place], &gone, NULL, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

// MARK: - The running task

uint64_t task_running(swift_task *current, bool *is_being_made) {
    *is_being_made = false;
    if (__atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED)) {
        uintptr_t frame = 0;
        uint64_t chain = trace_chain_running(&frame);
        if (chain != 0 && (current == NULL || frame < probe_this.slice)) {
            *is_being_made = frame == 0;
            return chain;
        }
    }
    return task_number(current);
}

uint64_t hopscope_swift_task(void) {
    return probe_is_recording() ? task_number(swift_task_getCurrent()) : 0;
}
