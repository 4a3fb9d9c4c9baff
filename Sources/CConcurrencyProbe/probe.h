// Declarations that the probe's files share.

#ifndef PROBE_H
#define PROBE_H

#include "concurrency_probe.h"
#include "probe_runtime.h"
#include "swift_abi.h"
#include "trace_files.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#pragma GCC visibility push(hidden)

// MARK: - State of the installation (probe_install.c)

/// True once the runtime is found and its hooks call the probe.
/// Before that, and while nothing is recorded, the probe passes every call on unchanged.
extern bool probe_is_installed;

/// True if the trace also has chains. Chains' tasks and Swift's tasks then share one sequence of numbers.
extern bool probe_shares_numbers;

/// Acquire: an installed probe's hooks, layout and code ranges are visible. A function that a hook reaches before that passes the call on.
static inline bool probe_is_recording(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE) && trace_is_recording();
}

/// Installs the probe at the first call. Called when a recording begins. In a process whose runtime the probe does not know, each call
/// states the reason in the trace.
void probe_install(void);

/// `hopscope doctor` sets this variable to ask the probe, and looks for its name in a program's file to learn whether the probe is linked
/// into it.
#define PROBE_QUESTION "HOPSCOPE_PROBE_ASKED"

/// True for a preloaded probe if the runtime's calls reach a probe in the program's own file first. That one sees everything, and this one
/// would have the runtime's hooks only.
bool probe_leaves_tasks_to_another(void);

/// The reason why the probe is idle although the process has Swift Concurrency: a sentence, empty if there is no reason.
const char *probe_idle_reason(void);

/// States in the trace, once per recording, which events the probe can and cannot see.
void probe_tell_missing(void);

// MARK: - Routes of observation (probe_routes.c)

/// The routes available in this process: a set of trace_route.
extern uint32_t probe_routes;

static inline bool probe_has(uint32_t route) {
    return (__atomic_load_n(&probe_routes, __ATOMIC_RELAXED) & route) != 0;
}

/// The routes that the environment variable HOPSCOPE_PROBE_WITHOUT lists: names separated by commas. Tests disable routes with it.
uint32_t routes_taken_away(void);

/// Removes routes that turn out not to work, and states the remaining ones in the trace.
void routes_lose(uint32_t routes);

/// Writes a list of the facts that the probe cannot see because a route is missing. Returns the text's length; 0 if no route is missing.
size_t routes_describe_missing(char *text, size_t room);

// MARK: - State of each thread (probe_thread.c)

/// The call that creates a task on the calling thread: its kind, name and call site.
typedef struct task_creation {
    const void *returns[TRACE_CODE_DEPTH];
    size_t depth;
    const char *name;
    uint8_t kind;
    bool is_unqueued;  ///< the creating call does not enqueue the task
    struct task_creation *outer;
} task_creation;

/// The two executors of a hop. One number, because a processor waits when it loads both halves right after it stored each.
typedef uint32_t executor_pair;

static inline executor_pair executor_pair_of(uint16_t from, uint16_t to) { return (uint32_t)to << 16 | from; }
static inline uint16_t hop_from(executor_pair hop) { return (uint16_t)hop; }
static inline uint16_t hop_to(executor_pair hop) { return (uint16_t)(hop >> 16); }

/// Hops between the same two executors that are counted but not in the trace yet.
typedef struct inline_hops {
    executor_pair hop;
    uint32_t count;  ///< 0 for a free counter
    uint64_t ticks;  ///< time spent on `from` before these hops
    uint8_t manner;  ///< a trace_hop_manner
    uint64_t stay;   ///< ticks of the latest individually measured stay on `from`
} inline_hops;

enum { INLINE_HOP_KINDS = 4 };

/// Keeps at most this many throws of one error, from the first on.
enum { THROWS_KEPT = 8 };

/// The latest typed error thrown in the thread's current slice.
typedef struct typed_throw {
    const void *type;  ///< NULL for none
    uintptr_t frame;   ///< the frame of the function that threw it last
    uint64_t recording;
    size_t size;
    uint8_t value[32];  ///< the error's value, if it fits
    uint32_t throws[THROWS_KEPT];
    uint32_t count;
    uint32_t suspensions;  ///< of its task since the first throw
} typed_throw;

typedef struct probe_thread {
    bool is_busy;                 ///< inside the probe, whose own actions are not recorded
    bool knows_executor;          ///< whether the next two members belong to the thread's current job
    uint16_t executor;
    const void *executor_object;
    const void *hopped_object;    ///< the executor looked up last for a hop, its type and its number
    const void *hopped_type;
    uint16_t hopped_number;
    swift_task *hopping;          ///< the task that is hopping between executors
    const void *hop_resume;       ///< the function at which it will continue
    executor_pair hop;
    swift_task *unqueued;         ///< a task created on this thread and not enqueued yet
    const void *dequeued;         ///< the job that the thread has just dequeued
    swift_task *running;          ///< the task whose slice has begun, until the probe sees its end
    swift_task *outer;            ///< the task in whose slice `running` began, or NULL
    uintptr_t slice;              ///< the stack address at which the slice began
    task_creation *creation;
    struct running_test *test;    ///< the test that XCTest performs on this thread, NULL for none
    inline_hops hops[INLINE_HOP_KINDS];
    bool has_hops;
    uint8_t short_stays;         ///< short stays in a row, up to SHORT_STAYS_IN_A_ROW
    uint8_t left_out;            ///< number of coming hops without a clock reading
    uint32_t stays;              ///< stays on executors since the last clock reading
    uint64_t since;              ///< the last clock reading in ticks; 0 if time is not measured
    uintptr_t stack_end;         ///< 0 until it is looked up
    typed_throw typed;
} probe_thread;

/// A task's creation site is described by at most this many calls.
enum { SITE_DEPTH = 4 };

extern __thread probe_thread probe_this __attribute__((tls_model("initial-exec")));

/// Stores the return addresses of the function that owns `frame` and of its callers. Returns their number.
size_t probe_callers(const void *frame, const void **returns, size_t room);

/// Adds the second caller if the first keeps no frame, as Dispatch's functions do on x86-64: the walk along the frames from `frame` then
/// leaves the second caller out. Slow, so only for calls that block. Returns the number of addresses.
size_t probe_add_hidden_caller(const void *frame, const void **returns, size_t count, size_t room);

/// True if the probe can miss the end of a slice. Only the runtime then knows which task a thread runs.
extern bool probe_misses_ends;

/// The task that the calling thread runs.
static inline swift_task *probe_running(void) {
    // Only the runtime knows of a slice that began before the recording; `running` is NULL then.
    bool is_known = probe_this.running != NULL && !__atomic_load_n(&probe_misses_ends, __ATOMIC_RELAXED);
    return is_known ? probe_this.running : swift_task_getCurrent();
}

/// Called when the thread's slice changes while nothing is recorded.
static inline void probe_forget_slice(void) {
    if (!probe_this.is_busy) probe_this.running = probe_this.outer = NULL;
}

/// The frame of the function that uses this macro.
#define PROBE_FRAME __builtin_frame_address(0)

/// Keeps the frame of this function until here. If the function's last act were the call of another one with its frame, the compiler could
/// remove the frame and jump, and the other function's frame would take the place.
#define PROBE_KEEP_FRAME() __asm__ volatile("")

// MARK: - Tasks (probe_tasks.c)

static inline bool is_task(const swift_task *job) {
    return (job->flags & SWIFT_JOB_KIND_MASK) == SWIFT_JOB_IS_TASK;
}

/// The task's number in the sequence that chains share.
uint64_t task_shared_number(swift_task *task);

/// The task's number in the trace. Without chains it is the runtime's own task id.
static inline uint64_t task_number(swift_task *task) {
    if (task == NULL) return 0;
    return __atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED) ? task_shared_number(task) : swift_task_getJobTaskId(task);
}

static inline uint8_t task_priority(const swift_task *task) {
    return (uint8_t)(task->flags >> 8);
}

/// Marks the task as ended with an error, and reads that mark. If the task has no room for the mark, it counts as not failed.
void task_set_failed(swift_task *task);
bool task_has_failed(const swift_task *task);

/// True if the task has not run yet.
bool task_is_new(const swift_task *task);

/// Ends the slice of `task` on the calling thread. With hooks only, the probe may not have seen that slice begin.
///
/// Returns the executor that the task ran on at the end, 0 if it is not known.
uint16_t task_slice_ended(swift_task *task, uint64_t number);

/// Records a task's creation, once per task, before another thread can run the task.
/// `frame` is the frame of the probe's function that the runtime called, NULL if it is not known.
void task_was_created(swift_task *task, const void *frame);
void task_was_enqueued(swift_task *task, const void *frame);
void task_slice_began(swift_task *task);
void task_was_suspended(swift_task *task);
void task_was_cancelled(swift_task *task);

/// Called when the current task reads the value of a finished task without suspending.
void task_was_read(swift_task *task);

/// Called when the calling thread begins to block inside the task's slice, and when it continues.
/// `frame` is the frame of the blocking function; `gave_up` is true if the wait timed out.
void task_blocks(uint64_t task, const void *frame);
void task_goes_on(uint64_t task, bool gave_up);
void task_is_destroyed(swift_task *task);

// MARK: - XCTest's tests (probe_tests.c)

/// The name of the running test if XCTest, to which the code at `caller` belongs, makes a task for that test. Otherwise NULL.
const char *test_name(const void *caller);

// MARK: - Hops (probe_hops.c)

/// The current task is about to continue at `resume` on the given executor.
void hop_began(void *identity, uintptr_t implementation, const void *resume);

/// True if the task suspends because of the hop that it began.
bool hop_is_dispatched(const swift_task *task);

/// The hopping task took the actor without suspending.
void hop_was_inline(void);
/// The same in the common case, in which the hop is only counted. False, with nothing done, in other cases.
bool hop_was_inline_quickly(void);

/// The runtime put the hopping task into the executor's queue.
void hop_was_dispatched(uint64_t task);

/// Takes over the clock of a recording that begins.
void hops_set_clock(void);

/// A slice begins. `time` is in ticks, 0 if it is not known.
void hops_begin(uint64_t time);

/// Writes the hops that are still only counted to the trace. Called when the slice ends.
void hops_flush(uint64_t task);

// MARK: - Executors (probe_executors.c)

/// The executor's number in the trace. The caller keeps the executor object alive.
uint16_t executor_number(void *identity, uintptr_t implementation);

/// The number of the executor whose job the calling thread runs.
uint16_t executor_current(void);

void executors_prepare(void);

/// The number of the global executor.
extern uint16_t executors_global;

/// True once a task of the program was seen to prefer a task executor. For runtimes whose tasks' layout is not known: looking a preference
/// up is slow, so the probe does it only then.
extern bool executors_are_preferred;

/// True if the runtime may know an executor that the task prefers.
bool executors_may_prefer(const swift_task *task);

/// The number of the executor that the current task hops to when it leaves an actor: its preferred executor, or the global one.
uint16_t executor_generic(void);

/// The number of the executor that runs a task enqueued on the global executor: the task's preferred executor, or the global one.
/// For use while the runtime enqueues the task.
uint16_t executor_preferred(swift_task *task);

// MARK: - Dependencies of a suspended task (probe_dependency.c)

typedef enum dependency_kind {
    DEPENDENCY_NONE = 0,
    DEPENDENCY_TASK = 1,
    DEPENDENCY_CONTINUATION = 2,
    DEPENDENCY_GROUP = 3,
    DEPENDENCY_EXECUTOR = 4,
} dependency_kind;

typedef struct task_dependency {
    dependency_kind kind;
    swift_task *task;         ///< for DEPENDENCY_TASK
    swift_executor executor;  ///< for DEPENDENCY_EXECUTOR
} task_dependency;

/// The dependency of a suspended or queued task; DEPENDENCY_NONE if it is not known.
task_dependency dependency_of(swift_task *task);

/// True if the probe knows the layout of this runtime's dependency records.
bool dependencies_are_known(void);

// MARK: - Errors (probe_errors.c)

/// Records that the code with entry `code` throws the error, for the first time or again.
void error_was_thrown(void *error, uint32_t code);
void typed_error_was_thrown(void *box, uint32_t code, uintptr_t frame);
/// Keeps the thread's typed error for the task, which suspends, and gives it back when the task goes on.
void typed_error_is_kept(uint64_t task);
void typed_error_goes_on(uint64_t task);

/// Records that `ended` ends with the error on that executor. `task` is the number of `ended`.
void error_ended_task(void *error, swift_task *ended, uint64_t task, uint16_t executor);

/// Records that the Swift task `reader` received the error in `box` from the chain's task `task`.
void error_is_of_chain(const void *box, uint64_t task, uint64_t reader);

/// The latest task that ended with the error in `box`, 0 for none.
uint64_t error_source(const void *box);

// MARK: - For chains in the same process (probe_tasks.c)

/// The number of the Swift task that the calling thread runs, 0 for none or if nothing is recorded.
uint64_t hopscope_swift_task(void);

/// The lanes call this when a chain's task hands an error to the Swift task that the calling thread runs.
void hopscope_error_left(const void *box, uint64_t task);

/// The latest Swift task that ended with the error in `box`, 0 for none or if nothing is recorded.
uint64_t hopscope_error_source(const void *box);

// MARK: - The runtime's hooks (probe_hooks.c)

enum { HOOK_HAND_OVERS = 1, HOOK_THROWS = 2, HOOK_DESTROY = 4, HOOK_RUN_BEGINS = 8, HOOK_CONTINUATIONS = 16 };

/// True if the probe sees a thread take a job from a queue.
bool hooks_see_dequeuing(void);

/// Sets the hooks. Returns the set of HOOK_ flags that took effect.
/// `is_alone` is true if the runtime's calls do not pass through the interposed symbols.
unsigned hooks_install(bool is_alone);

/// Replaces the function that ends a new task, so that the probe sees the end. False if it was already replaced.
bool completion_observe(swift_task *task);

/// True if the probe learns of slices and suspensions from the hooks alone.
extern bool hooks_are_alone;

/// A function that a frequently called one leaves the rare cases to. The caller saves no register for the call, so its common case needs no
/// stack frame.
#define PROBE_RARE __attribute__((noinline, cold, preserve_most))

/// Stores a function in a slot of the runtime, which may be read-only memory. False if the memory cannot be made writable.
/// Everything that the function needs is written before: the store has release order.
bool hooks_set(void **slot, void *function);

/// A function that was reached by a slot calls this before it reads what hooks_set published. The runtime reads its slots without an order.
static inline void hook_was_reached(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

// MARK: - Continuations that are never resumed (probe_continuations.c)

/// Hooks the destruction of checked continuations. False if that is not possible.
bool continuations_install(void);

// MARK: - Interposed symbols (probe_interposed.c)

/// True if the runtime's own calls reach the probe's functions.
bool interposed_is_reached(void);

/// The name of an interposed function that the runtime does not have, NULL if it has all.
const char *interposed_missing(void);

/// Starts to observe the calls that pass through the probe.
void interposed_watch(void);

#pragma GCC visibility pop

#endif
