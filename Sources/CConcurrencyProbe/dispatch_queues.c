// The executors of Dispatch's queues. The bottom of a queue's chain of targets decides which blocks run one at a time: a queue that targets
// main is main, and two queues that target one serial queue are that one.

#define _GNU_SOURCE
#include "dispatch_queues.h"

#include "dispatch_library.h"
#include "probe_executors.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Programs make queues for a connection or a request. Only the first few queues of a label have numbers of their own; all others share one.
enum { QUEUES_OF_A_LABEL = 8, KNOWN_QUEUES = 2048, LONGEST_SEARCH = 16, KNOWN_LABELS = 512, LABEL_ROOM = 120, LONGEST_CHAIN = 16 };

typedef struct known_queue {
    const void *queue;  ///< NULL for a free place
    uint64_t serial;
    uint16_t number;
    uint16_t label;     ///< the index of its label
} known_queue;

typedef struct known_label {
    char text[LABEL_ROOM];
    uint16_t queues;
    uint16_t rest;  ///< the number that further queues share, 0 before there is one
    bool is_serial;
} known_label;

static known_queue queues[KNOWN_QUEUES];
static known_label labels[KNOWN_LABELS];
static size_t label_count;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

// MARK: - The chain of targets

static inline void *target_of(const void *queue) {
    return *(void *const *)((const char *)queue + dispatch.queue.target);
}

void *queue_of(void *source) {
    return dispatch.queue.target != 0 ? target_of(source) : NULL;
}

static inline bool is_serial(const void *queue) {
    return *(const uint16_t *)((const char *)queue + dispatch.queue.width) == 1;
}

/// The serial queue at the bottom. For a queue without one, the queue above the pool's own.
static const void *bottom_of(const void *queue) {
    if (queue == dispatch.main_queue || dispatch.queue.target == 0 || dispatch.queue.width == 0) return queue;
    const void *bottom = NULL;
    const void *next = queue;
    for (int length = 0; next != NULL && length < LONGEST_CHAIN; length++) {
        if (is_serial(next)) bottom = next;
        next = target_of(next);
    }
    return bottom != NULL ? bottom : queue;
}

static inline uint64_t serial_of(const void *queue) {
    return dispatch.queue.serial != 0 ? *(const uint64_t *)((const char *)queue + dispatch.queue.serial) : 0;
}

// MARK: - Numbers

static uint16_t name_queue(const char *label, unsigned instance, bool is_told_apart, bool is_serial) {
    char name[LABEL_ROOM + 16];
    int length = instance == 1 ? snprintf(name, sizeof name, "%s", label)
                               : snprintf(name, sizeof name, "%s#%u%s", label, instance, is_told_apart ? "" : "…");
    uint8_t kind = is_serial ? TRACE_EXECUTOR_QUEUE : TRACE_EXECUTOR_POOL;
    return trace_executor_register((const uint8_t *)name, (size_t)length, kind);
}

/// The index of a label, KNOWN_LABELS if there is no room for another one.
static size_t find_label(const char *text, bool is_serial) {
    for (size_t index = 0; index < label_count; index++)
        if (labels[index].is_serial == is_serial && strncmp(labels[index].text, text, LABEL_ROOM - 1) == 0) return index;
    if (label_count == KNOWN_LABELS) return KNOWN_LABELS;
    labels[label_count].is_serial = is_serial;
    strncpy(labels[label_count].text, text, LABEL_ROOM - 1);
    return label_count++;
}

static uint16_t number_of_new(size_t label) {
    known_label *known = &labels[label];
    bool is_told_apart = known->queues < QUEUES_OF_A_LABEL;
    if (!is_told_apart && known->rest != 0) return known->rest;
    known->queues += is_told_apart;
    uint16_t number = name_queue(known->text, known->queues + !is_told_apart, is_told_apart, known->is_serial);
    if (!is_told_apart) known->rest = number;
    return number;
}

/// A queue at the address of an earlier one of its label gets that one's number.
static uint16_t learn_locked(known_queue *place, const void *queue, uint64_t serial) {
    const char *text = dispatch.label((void *)queue);
    if (text == NULL || *text == 0) text = "queue";
    bool serially = dispatch.queue.width != 0 && is_serial(queue);
    size_t label = find_label(text, serially);
    if (label == KNOWN_LABELS) return executors_global;
    if (place == NULL) return number_of_new(label);
    uint16_t number = place->queue == queue && place->label == label ? place->number : number_of_new(label);
    place->label = (uint16_t)label;
    __atomic_store_n(&place->number, number, __ATOMIC_RELAXED);
    __atomic_store_n(&place->serial, serial, __ATOMIC_RELEASE);
    __atomic_store_n(&place->queue, queue, __ATOMIC_RELEASE);
    return number;
}

/// The place of a queue, or the free one for it. NULL if there is none.
///
/// Readers take no lock. A place changes only from free to a queue, and from a queue that is gone to a later one at its address. So a place
/// with the queue and the serial of a reader's queue does not change while that queue is used.
static known_queue *find_queue(const void *queue) {
    size_t hash = ((uintptr_t)queue >> 4) * 0x9E3779B97F4A7C15u >> 40;
    for (size_t step = 0; step < LONGEST_SEARCH; step++) {
        known_queue *place = &queues[(hash + step) % KNOWN_QUEUES];
        const void *found = __atomic_load_n(&place->queue, __ATOMIC_ACQUIRE);
        if (found == NULL || found == queue) return place;
    }
    return NULL;
}

static __attribute__((noinline)) uint16_t learn(const void *queue, uint64_t serial) {
    bool was_busy = probe_this.is_busy;
    probe_this.is_busy = true;
    pthread_mutex_lock(&queues_lock);
    known_queue *place = find_queue(queue);
    bool is_known = place != NULL && place->queue == queue && place->serial == serial;
    uint16_t number = is_known ? place->number : learn_locked(place, queue, serial);
    pthread_mutex_unlock(&queues_lock);
    probe_this.is_busy = was_busy;
    return number;
}

static uint16_t executor_of_bottom(const void *queue) {
    const void *bottom = bottom_of(queue);
    if (bottom == dispatch.main_queue) return executors_main;
    uint64_t serial = serial_of(bottom);
    const known_queue *place = find_queue(bottom);
    bool is_known = place != NULL && __atomic_load_n(&place->queue, __ATOMIC_ACQUIRE) == bottom
        && __atomic_load_n(&place->serial, __ATOMIC_ACQUIRE) == serial;
    return __builtin_expect(is_known, 1) ? __atomic_load_n(&place->number, __ATOMIC_RELAXED) : learn(bottom, serial);
}

/// The queue that the thread asked for last, if the target of its target, at which the chain ends, cannot change.
typedef struct latest_queue {
    const void *queue;
    const void *target;
    uint64_t serial;
    uint16_t number;
} latest_queue;

static __thread latest_queue latest __attribute__((tls_model("initial-exec")));

static inline bool is_latest(const void *queue) {
    return latest.queue == queue && target_of(queue) == latest.target && serial_of(queue) == latest.serial;
}

uint16_t queue_executor(void *queue) {
    if (queue == NULL) return executors_global;
    if (is_latest(queue)) return latest.number;
    uint16_t number = executor_of_bottom(queue);
    const void *target = dispatch.queue.target != 0 && dispatch.queue.serial != 0 ? target_of(queue) : NULL;
    // A queue of the pool has no target.
    bool is_short = target != NULL && target_of(target) == NULL;
    latest = is_short ? (latest_queue){queue, target, serial_of(queue), number} : (latest_queue){NULL};
    return number;
}

// MARK: - Run loops

uint16_t run_loop_executor(void) {
    static __thread uint16_t own __attribute__((tls_model("initial-exec")));
    if (own != 0) return own;
    static const char name[] = "run loop";
    own = getpid() == gettid() ? executors_main
                               : trace_executor_register((const uint8_t *)name, sizeof name - 1, TRACE_EXECUTOR_CUSTOM);
    return own;
}
