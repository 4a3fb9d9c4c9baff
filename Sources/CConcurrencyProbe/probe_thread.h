// The calling thread's state, and its call stack.

#ifndef PROBE_THREAD_H
#define PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "probe_state.h"
#include "swift_abi.h"
#include "trace_lanes.h"

#pragma GCC visibility push(hidden)

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

/// Stands for no hop: a hop leads from one executor to another one, so its two numbers differ.
#define NO_EXECUTORS ((executor_pair)0)

static inline executor_pair executor_pair_of(uint16_t from, uint16_t to) { return (uint32_t)to << 16 | from; }
static inline uint16_t hop_from(executor_pair hop) { return (uint16_t)hop; }
static inline uint16_t hop_to(executor_pair hop) { return (uint16_t)(hop >> 16); }

/// Hops between the same two executors that are counted but not in the trace yet.
typedef struct inline_hops {
    executor_pair hop;  ///< NO_EXECUTORS for a free counter
    uint32_t count;
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
    bool is_blocked;              ///< in a wait of the program that is recorded
    bool is_in_tick;              ///< an event loop's thread, in a turn that is recorded
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
    const void *acquired;         ///< the object that the runtime has just taken in a place that the probe does not know
    swift_task *running;          ///< the task whose slice has begun, until the probe sees its end
    swift_task *outer;            ///< the task in whose slice `running` began, or NULL
    uint64_t seen_cancelled;      ///< the task that was last seen to look at its cancellation on this thread; 0 for none
    uint64_t failed_child;        ///< the child of a group that has failed on this thread, until its group has its outcome; 0 for none
    uintptr_t slice;              ///< the stack address at which the slice began
    task_creation *creation;
    struct block_wait *awaited_item;  ///< the innermost wait of the thread for a work item, NULL for none
    struct running_test *test;    ///< the test that XCTest performs on this thread, NULL for none
    inline_hops hops[INLINE_HOP_KINDS];
    bool has_hops;
    uint8_t short_stays;         ///< short stays in a row, up to SHORT_STAYS_IN_A_ROW
    uint8_t left_out;            ///< number of coming hops without a clock reading
    uint32_t stays;              ///< stays on executors since the last clock reading
    uint64_t since;              ///< the last clock reading in ticks; 0 if time is not measured
    struct running_block *block; ///< the innermost block of Dispatch that the thread runs
    uint64_t next_block;         ///< the thread's next number for a block, and the end of its share of numbers
    uint64_t end_of_blocks;
    uintptr_t stack_start;       ///< of the thread's own stack, and its end; both are 0 until they are looked up
    uintptr_t stack_end;
    typed_throw typed;
} probe_thread;

/// A task's creation site is described by at most this many calls.
enum { SITE_DEPTH = 4 };

extern __thread probe_thread probe_this __attribute__((tls_model("initial-exec")));

/// Swift keeps frame pointers. It marks the frames of async functions with this bit, which is clear in every address.
#define ASYNCHRONOUS_FRAME ((uintptr_t)1 << 60)

/// Stores the return addresses of the function that owns `frame` and of its callers. Returns their number.
size_t probe_callers(const void *frame, const void **returns, size_t room);

/// The end of the calling thread's stack, beyond which no frame lies; 1 if it is not known.
uintptr_t probe_stack_end(void);

/// A walk along the frames of the calling thread, outwards: the next frame, and the end of the stack.
typedef struct frame_walk {
    uintptr_t frame, end;
} frame_walk;

/// A frame is at most as large as this. Code without frame pointers may have left anything in the place of a frame's address.
enum { LARGEST_FRAME = 1 << 20 };

/// A walk from the frame of a function that runs. If the function runs on another stack than the thread's own, as a coroutine or a signal
/// handler does, the walk has that frame only: nothing tells where such a stack ends.
frame_walk frames_from(const void *first);

/// The return address of the next frame; NULL at the end.
static inline const void *next_return(frame_walk *walk) {
    uintptr_t frame = walk->frame;
    if (frame % sizeof(void *) != 0 || frame + 2 * sizeof(void *) > walk->end) return NULL;
    uintptr_t next = *(const uintptr_t *)frame & ~ASYNCHRONOUS_FRAME;
    walk->frame = next > frame && next - frame < LARGEST_FRAME ? next : walk->end;
    return ((const void *const *)frame)[1];
}

/// Adds the second caller if the first keeps no frame, as Dispatch's functions do on x86-64: the walk along the frames from `frame` then
/// leaves the second caller out. Slow, so only for calls that block. Returns the number of addresses.
size_t probe_add_hidden_caller(const void *frame, const void **returns, size_t count, size_t room);

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

#pragma GCC visibility pop

#endif
