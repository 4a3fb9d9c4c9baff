// Hops of tasks between executors, and the time that a task spends on each executor.
//
// A hop to a free actor takes a few nanoseconds, so the probe counts such hops and writes one record for many. It writes the first hop
// between two executors in a slice at once, a hop that ends a long stay at once, and the others in groups of up to 256. Each record has
// the time that the task spent on the executor it left. Reading the clock takes longer than such a hop. After many short stays in a row,
// the probe reads the clock twice in 33 hops and splits the time between the two executors in proportion to their latest measured stays.

#include "probe_hops.h"

#include "probe_executors.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <string.h>

enum {
    HOPS_TOLD_TOGETHER = 256,
    /// Lengths of stays in nanoseconds.
    SHORT_STAY = 333,
    LONG_STAY = 100000,
    /// After this many short stays in a row, the clock is read less often. HOPS_LEFT_OUT hops then pass without a reading. An odd number of
    /// hops lies between two measured stays, so that the measured stays alternate between the executors.
    SHORT_STAYS_IN_A_ROW = 16,
    HOPS_LEFT_OUT = 31,
};

/// The lengths of stays in ticks of the recording's clock: the counter has about three ticks a nanosecond on x86-64, and one in 41
/// nanoseconds on some aarch64. Relaxed accesses suffice: a stay that is measured while a recording begins may be compared with the old
/// length.
static uint64_t short_stay = SHORT_STAY, long_stay = LONG_STAY;

static uint64_t ticks_in(uint64_t nanoseconds) {
    const uint64_t many = (uint64_t)1 << 32;
    uint64_t time = trace_nanoseconds(many);
    return time != 0 ? nanoseconds * many / time : nanoseconds;
}

void hops_set_clock(void) {
    __atomic_store_n(&short_stay, ticks_in(SHORT_STAY), __ATOMIC_RELAXED);
    __atomic_store_n(&long_stay, ticks_in(LONG_STAY), __ATOMIC_RELAXED);
}

/// The executor's number. Most calls ask for the same executor as the call before, so the thread caches the last answer.
static inline uint16_t number_of(probe_thread *thread, void *identity, uintptr_t implementation) {
    if (identity != NULL && identity == thread->hopped_object && *(const void **)identity == thread->hopped_type)
        return thread->hopped_number;
    if (identity == NULL) return executor_generic();
    uint16_t number = executor_number(identity, implementation);
    thread->hopped_object = identity;
    thread->hopped_type = *(const void **)identity;
    thread->hopped_number = number;
    return number;
}

// MARK: - Records

static uint64_t packed(const inline_hops *hops) {
    const uint64_t longest = UINT64_MAX >> TRACE_HOPS_TIME_SHIFT;
    uint64_t time = trace_nanoseconds(hops->ticks) / TRACE_HOPS_TIME_UNIT;
    if (time > longest) time = longest;
    return (uint64_t)hop_from(hops->hop) | (uint64_t)hops->count << TRACE_HOPS_COUNT_SHIFT | time << TRACE_HOPS_TIME_SHIFT;
}

/// `code` is the place where the task goes on after the last of the hops, 0 if it is not told.
static void tell(uint64_t task, inline_hops *hops, uint32_t code) {
    trace_emit(TRACE_HOPPED, hops->manner, hop_to(hops->hop), code, task, packed(hops));
    hops->count = 0;
    hops->ticks = 0;
}

static inline_hops *find_hops(probe_thread *thread, executor_pair hop) {
    if (!thread->has_hops) return NULL;
    for (int index = 0; index < INLINE_HOP_KINDS; index++) {
        inline_hops *hops = &thread->hops[index];
        if (hops->hop == hop) return hops;
    }
    return NULL;
}

/// A counter for hops between two executors that has none yet. Without a free one, it replaces the counter with the fewest hops, whose hops
/// are written first. A counter keeps its executors when its hops have been written, so a count of 0 does not mean that it is free.
static inline_hops *make_hops(probe_thread *thread, uint64_t task, uint8_t manner) {
    inline_hops *place = &thread->hops[0];
    for (int index = 1; index < INLINE_HOP_KINDS && place->hop != NO_EXECUTORS; index++) {
        inline_hops *hops = &thread->hops[index];
        if (hops->hop == NO_EXECUTORS || hops->count < place->count) place = hops;
    }
    if (place->count > 0) tell(task, place, 0);
    *place = (inline_hops){.hop = thread->hop, .manner = manner};
    thread->has_hops = true;
    return place;
}

/// Frees the counters whose hops have all been written, so that the next hop of each is written at once, in its order.
static void free_written(probe_thread *thread) {
    for (int index = 0; index < INLINE_HOP_KINDS; index++)
        if (thread->hops[index].count == 0) thread->hops[index] = (inline_hops){0};
}

// MARK: - Time

/// Adds the time since the last clock reading to the executors on which the task spent it. Returns the length of the stay that ends now if
/// the clock was read at its beginning, else 0.
static uint64_t measure(probe_thread *thread, inline_hops *hops) {
    uint64_t now = trace_ticks(), spent = now - thread->since, stays = thread->stays;
    thread->since = now;
    thread->stays = 0;
    if (spent > stays * __atomic_load_n(&short_stay, __ATOMIC_RELAXED)) thread->short_stays = 0;
    else if (thread->short_stays < SHORT_STAYS_IN_A_ROW) thread->short_stays++;
    if (stays == 1) {
        hops->ticks += spent;
        hops->stay = spent;
        if (thread->short_stays == SHORT_STAYS_IN_A_ROW) thread->left_out = HOPS_LEFT_OUT;
        return spent;
    }
    inline_hops *back = find_hops(thread, executor_pair_of(hop_to(thread->hop), hop_from(thread->hop)));
    uint64_t both = back != NULL ? hops->stay + back->stay : 0;
    uint64_t part = both > 0 && spent < UINT32_MAX ? spent * hops->stay / both : spent;
    hops->ticks += part;
    if (back != NULL) back->ticks += spent - part;
    return 0;
}

/// Ends the task's stay on an executor. The task continues on the next one without waiting.
static void end_stay(probe_thread *thread, swift_task *task, uint8_t manner) {
    inline_hops *hops = find_hops(thread, thread->hop);
    bool is_first = hops == NULL;
    if (is_first) hops = make_hops(thread, task_number(task), manner);
    hops->count++;
    thread->stays++;
    uint64_t stay = 0;
    if (thread->left_out > 0) thread->left_out--;
    else if (thread->since != 0) stay = measure(thread, hops);
    bool is_news = is_first && manner == TRACE_HOP_INLINE, is_long = stay >= __atomic_load_n(&long_stay, __ATOMIC_RELAXED);
    if (__builtin_expect(!is_news && !is_long && hops->count < HOPS_TOLD_TOGETHER, 1)) return;
    if (is_long && hops->count > 1) {
        // The long stay gets a record of its own, so that a reader knows when it happened.
        hops->count--;
        hops->ticks -= stay;
        tell(task_number(task), hops, 0);
        hops->count = 1;
        hops->ticks = stay;
    }
    // One place for many hops costs nothing, and tells where a task that never pauses is.
    uint32_t code = hops->count >= HOPS_TOLD_TOGETHER ? trace_code(TRACE_CODE_RESUMES, &thread->hop_resume, 1) : 0;
    tell(task_number(task), hops, code);
    if (is_long) free_written(thread);
}

/// Ends a stay without a clock reading and without an event. False, with nothing done, if the stay needs one of them.
static inline bool end_stay_quickly(probe_thread *thread, executor_pair hop) {
    if (thread->left_out == 0) return false;
    // A free counter has no executors, so it is never the hop's.
    inline_hops *hops = &thread->hops[0];
    if (hops->hop != hop) hops = &thread->hops[1];
    if (hops->hop != hop || hops->count >= HOPS_TOLD_TOGETHER - 1) return false;
    hops->count++;
    thread->stays++;
    thread->left_out--;
    return true;
}

// MARK: - Hops

/// The hop's beginning, if the thread knows both executors and the stay needs no event. False, with nothing done, in all other cases.
static inline bool begin_hop_quickly(probe_thread *thread, void *identity, const void *resume) {
    swift_task *running = thread->running;
    if (running == NULL || !thread->knows_executor || __atomic_load_n(&probe_misses_ends, __ATOMIC_RELAXED)) return false;
    if (identity == thread->executor_object) {
        thread->hopping = NULL;
        return true;
    }
    uint16_t next = executors_global;
    if (identity != NULL) {
        if (identity != thread->hopped_object || *(const void **)identity != thread->hopped_type) return false;
        next = thread->hopped_number;
    } else if (executors_may_prefer(running) || !end_stay_quickly(thread, executor_pair_of(thread->executor, next))) {
        return false;
    }
    thread->hop = executor_pair_of(thread->executor, next);
    thread->hop_resume = resume;
    thread->hopping = running;
    thread->executor = next;
    thread->executor_object = identity;
    return true;
}

static PROBE_RARE void begin_hop(void *identity, uintptr_t implementation, const void *resume) {
    probe_thread *thread = &probe_this;
    if (!thread->knows_executor) {
        thread->executor = executor_current();
        thread->knows_executor = true;
    }
    thread->hopping = NULL;
    if (identity == thread->executor_object) return;
    thread->hop = executor_pair_of(thread->executor, number_of(thread, identity, implementation));
    thread->hop_resume = resume;
    thread->hopping = probe_running();
    // Before the next event on this thread, the task either arrives on the executor or suspends.
    thread->executor = hop_to(thread->hop);
    thread->executor_object = identity;
    // No hook reports whether a task takes the global executor at once. Its stay on the actor ends in either case.
    if (identity == NULL && thread->hopping != NULL && probe_has(TRACE_ROUTE_HOPS)) end_stay(thread, thread->hopping, TRACE_HOP_LEFT);
}

void hop_began(void *identity, uintptr_t implementation, const void *resume) {
    if (__builtin_expect(!begin_hop_quickly(&probe_this, identity, resume), 0)) begin_hop(identity, implementation, resume);
}

bool hop_was_inline_quickly(void) {
    probe_thread *thread = &probe_this;
    if (thread->hopping == NULL) return true;
    if (!end_stay_quickly(thread, thread->hop)) return false;
    thread->hopping = NULL;
    return true;
}

void hop_was_inline(void) {
    probe_thread *thread = &probe_this;
    if (thread->hopping == NULL) return;
    swift_task *hopping = thread->hopping;
    // The hop is complete; if the task is enqueued later, that has another cause.
    thread->hopping = NULL;
    end_stay(thread, hopping, TRACE_HOP_INLINE);
}

bool hop_is_dispatched(const swift_task *task) {
    return probe_this.hopping == task && task->resume_task == probe_this.hop_resume;
}

void hop_was_dispatched(uint64_t task) {
    probe_thread *thread = &probe_this;
    thread->hopping = NULL;
    uint32_t code = trace_code(TRACE_CODE_RESUMES, &thread->hop_resume, 1);
    trace_emit(TRACE_HOPPED, TRACE_HOP_DISPATCHED, hop_to(thread->hop), code, task, hop_from(thread->hop));
}

void hops_begin(uint64_t time) {
    probe_thread *thread = &probe_this;
    thread->since = time;
    thread->stays = 0;
    thread->left_out = 0;
}

void hops_flush(uint64_t task) {
    probe_thread *thread = &probe_this;
    if (!thread->has_hops) return;
    // The executor that the task is on now is where its latest hop led.
    inline_hops *latest = find_hops(thread, thread->hop);
    for (int index = 0; index < INLINE_HOP_KINDS; index++)
        if (thread->hops[index].count > 0 && &thread->hops[index] != latest) tell(task, &thread->hops[index], 0);
    if (latest != NULL && latest->count > 0) tell(task, latest, 0);
    memset(thread->hops, 0, sizeof thread->hops);
    thread->has_hops = false;
}
