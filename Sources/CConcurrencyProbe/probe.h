// What the probe's files share.

#ifndef PROBE_H
#define PROBE_H

#include "concurrency_probe.h"
#include "swift_abi.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#pragma GCC visibility push(hidden)

// MARK: - What has been found (probe_install.c)

/// Whether the runtime has been found and its hooks lead here. Until then, and where nothing is recorded, every call is passed on as it came.
extern bool probe_is_installed;

/// Whether the trace has chains as well, which are counted together with Swift's tasks.
extern bool probe_shares_numbers;

static inline bool probe_is_recording(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE) && trace_is_recording();
}

/// Installs the probe if something is to be recorded and it is not installed.
void probe_install(void);

/// States in the trace, once a recording, what the probe can see and what it cannot.
void probe_tell_missing(void);

// MARK: - Routes of observation (probe_routes.c)

/// The routes that this process has: a set of trace_route.
extern uint32_t probe_routes;

static inline bool probe_has(uint32_t route) {
    return (__atomic_load_n(&probe_routes, __ATOMIC_RELAXED) & route) != 0;
}

/// The routes that HOPSCOPE_PROBE_WITHOUT in the environment lists, by name and with commas between. Tests take them away so.
uint32_t routes_taken_away(void);

/// Those routes have turned out to lead nowhere; the trace is told.
void routes_lose(uint32_t routes);

/// Writes what the probe cannot see for want of a route. Returns the text's length, 0 if it has all.
size_t routes_describe_missing(char *text, size_t room);

// MARK: - Where the runtime's code lies (runtime_code.c)

/// A function's machine code; both 0 where it was not found.
typedef struct code_range {
    uintptr_t first;
    uintptr_t end;
} code_range;

/// The functions of the runtime whose calls of a hook mean something.
typedef struct runtime_code {
    code_range enqueue;
    code_range switch_executor;
    code_range cancel;
    code_range cancel_child;    ///< the part of cancel that goes through a task's children
    code_range cancel_group;
    code_range wait_for_future;
    code_range add_status_record;
    code_range destroy_continuation_guard;
    code_range continuation_guard;  ///< no code: the metadata of the class that tells of checked continuations nobody resumed
    code_range preferred_executor;
    code_range module;          ///< all of the runtime
} runtime_code;

extern runtime_code probe_code;

/// Finds those that are there.
void runtime_code_find(void);

static inline bool is_in(code_range range, const void *address) {
    return (uintptr_t)address - range.first < range.end - range.first;
}

// MARK: - Each thread's part (probe_thread.c)

/// How a task that the calling thread makes came to be.
typedef struct task_creation {
    const void *returns[TRACE_CODE_DEPTH];
    size_t depth;
    const char *name;
    uint8_t kind;
    bool is_unqueued;  ///< the runtime is not asked to put it into a queue
    struct task_creation *outer;
} task_creation;

/// Hops of one kind that are not in the trace yet.
typedef struct inline_hops {
    uint16_t from;
    uint16_t to;
    uint32_t count;  ///< 0 for a place that is free
    uint64_t ticks;  ///< spent on `from` before these hops
    uint8_t manner;  ///< a trace_hop_manner
    uint64_t stay;   ///< ticks of the latest stay on `from` that was measured by itself
} inline_hops;

enum { INLINE_HOP_KINDS = 4 };

/// The most throws of one error that are kept: the first ones.
enum { THROWS_KEPT = 8 };

/// The latest typed error that a slice threw.
typedef struct typed_throw {
    const void *type;  ///< NULL for none
    uintptr_t frame;   ///< of the function that threw it last
    uint64_t recording;
    size_t size;
    uint8_t value[32];  ///< where it is no longer than this
    uint32_t throws[THROWS_KEPT];
    uint32_t count;
} typed_throw;

typedef struct probe_thread {
    bool is_busy;                 ///< inside the probe: what it causes is none of the program's events
    bool knows_executor;          ///< whether the next two are those of the job that the thread runs
    uint16_t executor;
    const void *executor_object;
    const void *hopped_object;    ///< the executor that was looked up last for a hop, its type and its number
    const void *hopped_type;
    uint16_t hopped_number;
    swift_task *hopping;          ///< the task that is on its way from one executor to another
    const void *hop_resume;       ///< where it will go on
    uint16_t hop_from;
    uint16_t hop_to;
    swift_task *unqueued;         ///< made here and put into no queue yet
    const void *dequeued;         ///< the job that the thread has just taken from a queue
    swift_task *running;          ///< the task whose slice has begun and has not been seen to end
    swift_task *outer;            ///< the one inside whose slice that one was begun, or NULL
    uintptr_t slice;              ///< where on the stack it began
    task_creation *creation;
    inline_hops hops[INLINE_HOP_KINDS];
    bool has_hops;
    uint8_t short_stays;         ///< in a row, up to a limit
    uint8_t left_out;            ///< hops to come at which the clock is not read
    uint32_t stays;              ///< on executors, since it was read
    uint64_t since;              ///< when it was read, in ticks; 0 where time is not measured
    uintptr_t stack_end;         ///< 0 until it is asked for
    typed_throw typed;
} probe_thread;

/// The most calls that the place of a task's creation is told by.
enum { SITE_DEPTH = 4 };

extern __thread probe_thread probe_this __attribute__((tls_model("initial-exec")));

/// The return addresses of the function that has that frame and of those around it. Returns how many.
size_t probe_callers(const void *frame, const void **returns, size_t room);

/// Whether a slice may end without being seen, so that only the runtime knows what a thread runs.
extern bool probe_misses_ends;

/// The task that the calling thread runs.
static inline swift_task *probe_running(void) {
    // Of a slice that began before anything was recorded only the runtime knows as well.
    bool is_known = probe_this.running != NULL && !__atomic_load_n(&probe_misses_ends, __ATOMIC_RELAXED);
    return is_known ? probe_this.running : swift_task_getCurrent();
}

/// The thread's slice has changed while nothing was recorded.
static inline void probe_forget_slice(void) {
    if (!probe_this.is_busy) probe_this.running = probe_this.outer = NULL;
}

/// The frame of the function that this stands in.
#define PROBE_FRAME __builtin_frame_address(0)

// MARK: - Tasks (probe_tasks.c)

static inline bool is_task(const swift_task *job) {
    return (job->flags & SWIFT_JOB_KIND_MASK) == SWIFT_JOB_IS_TASK;
}

/// The task's number among those of chains as well.
uint64_t task_shared_number(swift_task *task);

/// The task's number in the trace: where there are no chains, the runtime's own.
static inline uint64_t task_number(swift_task *task) {
    if (task == NULL) return 0;
    return __atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED) ? task_shared_number(task) : swift_task_getJobTaskId(task);
}

static inline uint8_t task_priority(const swift_task *task) {
    return (uint8_t)(task->flags >> 8);
}

/// The task has ended with an error; whether it has. A task without a place for that is taken for one that has not.
void task_set_failed(swift_task *task);
bool task_has_failed(const swift_task *task);

/// Whether the task has not run.
bool task_is_new(const swift_task *task);

/// The slice that the calling thread runs is the task's, which the hooks alone may not have told; and it ends.
///
/// Returns the executor that the task ran on at the end, 0 where that is not known.
uint16_t task_slice_ended(swift_task *task, uint64_t number);

/// A task is there that nobody else runs yet. Says so once. The frame is of whoever the runtime calls for it, NULL if that is not known.
void task_was_created(swift_task *task, const void *frame);
void task_was_enqueued(swift_task *task, const void *frame);
void task_slice_began(swift_task *task);
void task_was_suspended(swift_task *task);
void task_was_cancelled(swift_task *task);

/// The task's value was there and has been taken.
void task_was_read(swift_task *task);

/// The calling thread begins to block inside the task's slice, in the function that has that frame; and goes on, maybe because it gave up.
void task_blocks(uint64_t task, const void *frame);
void task_goes_on(uint64_t task, bool gave_up);
void task_is_destroyed(swift_task *task);

// MARK: - Hops (probe_hops.c)

/// The current task is about to go on with that function on that executor.
void hop_began(void *identity, uintptr_t implementation, const void *resume);

/// Whether the task, which suspends, does so for its hop.
bool hop_is_dispatched(const swift_task *task);

/// It took the actor without suspending.
void hop_was_inline(void);

/// It was put into the executor's queue.
void hop_was_dispatched(uint64_t task);

/// A slice begins, at that tick; 0 where that is not known.
void hops_begin(uint64_t time);

/// Tells the trace of the hops that were only counted: the slice ends.
void hops_flush(uint64_t task);

// MARK: - Executors (probe_executors.c)

/// The executor's number in the trace. The object is alive.
uint16_t executor_number(void *identity, uintptr_t implementation);

/// The number of the executor that the calling thread runs a job of.
uint16_t executor_current(void);

void executors_prepare(void);

/// Whether any task of the program prefers an executor of its own to the global one: asking which costs, so only in such a program it is
/// asked.
extern bool executors_are_preferred;

/// The number of the executor that the current task goes to when it leaves an actor: the one that it prefers, or the global one.
uint16_t executor_generic(void);

/// The number of the executor that a task goes to that is for the global one: the one that it prefers. Where the runtime puts it there.
uint16_t executor_preferred(swift_task *task);

// MARK: - What a task waits for (probe_dependency.c)

typedef enum dependency_kind {
    DEPENDENCY_NONE = 0,
    DEPENDENCY_TASK = 1,
    DEPENDENCY_CONTINUATION = 2,
    DEPENDENCY_GROUP = 3,
    DEPENDENCY_EXECUTOR = 4,
} dependency_kind;

typedef struct task_dependency {
    dependency_kind kind;
    swift_task *task;         ///< of DEPENDENCY_TASK
    swift_executor executor;  ///< of DEPENDENCY_EXECUTOR
} task_dependency;

/// What a suspended or queued task waits for; none where that cannot be told.
task_dependency dependency_of(swift_task *task);

/// Whether the runtime is one whose records of dependencies the probe knows.
bool dependencies_are_known(void);

/// Whether the runtime says that its tasks are laid out as the probe knows them.
bool layout_is_known(void);

// MARK: - Errors (probe_errors.c)

/// That code throws an error, for the first time or again.
void error_was_thrown(void *error, uint32_t code);
void typed_error_was_thrown(void *box, uint32_t code, uintptr_t frame);

/// The task, which has that number, ends with that error on that executor.
void error_ended_task(void *error, swift_task *ended, uint64_t task, uint16_t executor);

/// The error in that box is of a chain's task, and a Swift task has read it.
void error_is_of_chain(const void *box, uint64_t task, uint64_t reader);

/// The task that ended with the error in that box, 0 for none.
uint64_t error_source(const void *box);

// MARK: - For chains in the same process (probe_tasks.c)

/// The number of the Swift task that the calling thread runs, 0 for none or where nothing is recorded.
uint64_t hopscope_swift_task(void);

/// What the lanes tell of an error that a chain's task hands to a Swift task.
void hopscope_error_left(const void *box, uint64_t task);

/// The Swift task that ended with that error.
uint64_t hopscope_error_source(const void *box);

// MARK: - The runtime's hooks (probe_hooks.c)

enum { HOOK_HAND_OVERS = 1, HOOK_THROWS = 2, HOOK_DESTROY = 4, HOOK_RUN_BEGINS = 8, HOOK_CONTINUATIONS = 16 };

/// Whether a thread is seen to take a job from a queue.
bool hooks_see_dequeuing(void);

/// Sets them. Returns which could be set.
unsigned hooks_install(bool is_alone);

/// Makes sure that a new task's end is seen. False if it was made sure of before.
bool completion_observe(swift_task *task);

/// Whether `slice began` and `suspended` come from the hooks alone.
extern bool hooks_are_alone;

/// Puts a function into a slot of the runtime's, which may be read-only. False if that cannot be.
bool hooks_set(void **slot, void *function);

// MARK: - Continuations that nobody resumes (probe_continuations.c)

/// Makes sure that they are seen. False if they cannot be.
bool continuations_install(void);

// MARK: - Interposed symbols (probe_interposed.c)

/// Whether the runtime's own calls come through the probe.
bool interposed_is_reached(void);

/// Has the calls watched that pass through it.
void interposed_watch(void);

#pragma GCC visibility pop

#endif
