// The state of an explored process: who may run, who waits, and how the next one is chosen.

#ifndef EXPLORE_STATE_H
#define EXPLORE_STATE_H

#include "explore_record.h"
#include "made_block.h"
#include "swift_abi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)

typedef struct player player;

typedef enum item_kind { ITEM_GLOBAL, ITEM_MAIN, ITEM_QUEUE, ITEM_THREAD, ITEM_CLOCK } item_kind;

/// Something that can run: a job or a block that no thread has begun, or a thread that waits for its turn.
typedef struct item {
    item_kind kind;
    bool is_exclusive;      ///< nothing else of its queue runs at the same time
    bool is_barrier;
    void *queue;            ///< NULL for none that restricts it
    void *submitted;        ///< the queue that the program named, which may target the other one
    void *context;
    void (*function)(void *);
    player *thread;         ///< of a thread that waits for its turn
    uint32_t strand;        ///< an index of the strands
    uintptr_t site;         ///< the code that would run
    int64_t when;           ///< of a timer
    uint64_t number;        ///< of the items that can run, in the order in which they came
    made_block made;        ///< how a recording names the block; its number is 0 for none
} item;

/// A thread whose turns the library gives.
struct player {
    uint32_t turn;
    item *todo;
    bool is_fresh;           ///< its job has not passed its first slice
    bool is_polling;         ///< it waits for input in a run loop
    bool is_timed_out;
    bool has_ended;
    uint32_t strand;         ///< what runs on it, but for tasks
    const void *blocked_on;  ///< NULL if it is not blocked
    item *limit;             ///< the timer that ends its wait; NULL for none
    int file;                ///< that it waits for, with these events of `poll`
    short events;
    const struct pollfd *polled;  ///< while the thread is outside of the order
    unsigned long polled_count;
    int tid;
    pthread_t thread;
};

enum { ROOM_FOR_ITEMS = 1 << 15, ROOM_FOR_THREADS = 4096 };

typedef struct address_range {
    uintptr_t low, high;
} address_range;

typedef struct busy_queue {
    void *queue;
    bool is_exclusive;
} busy_queue;

struct explore_state {
    bool is_on;
    bool has_virtual_time;
    bool main_is_in_loop, main_is_busy;
    bool is_choosing;  ///< a thread chooses what runs next, and may have left the lock for a moment
    explore_file *file;
    explore_header *record;
    pthread_mutex_t lock;
    player main, *holder;
    player *idle[ROOM_FOR_THREADS], *blocked[ROOM_FOR_THREADS], *readers[ROOM_FOR_THREADS];
    player *outside[ROOM_FOR_THREADS];  ///< threads that wait for files in the kernel
    player *lost[ROOM_FOR_THREADS];     ///< threads beside which others went on
    int lost_count;
    int idle_count, blocked_count, reader_count, ready_count, timer_count, busy_count, thread_count, outside_count;
    int source_count;  ///< sources of Dispatch whose events come from outside
    item *ready[ROOM_FOR_ITEMS], *timers[ROOM_FOR_ITEMS];
    busy_queue busy[ROOM_FOR_ITEMS];
    int64_t now, wall_base;
    uint64_t chance, program_chance;
    uint64_t items;          ///< how many have been able to run so far
    uint64_t oldest;         ///< of what can run, the one that came first
    uint32_t passed_over;    ///< how many choices have passed it over
    uint32_t without_time;   ///< how many choices there have been since a timer fired, while one was set
    int clock_word;          ///< where a condition has its clock
    uint32_t clock_bits;
    int64_t priorities[EXPLORE_STRANDS], time_priority;
    uint32_t time_of_priority, changes[EXPLORE_DEPTH];
    address_range program, dispatch, overlay, own;
    address_range probe;  ///< a probe that the program is linked with
    /// Tells the probe of something that can run at a choice; NULL if no probe is in the process. See `hopscope_probe_choice`.
    void (*tell)(uint64_t choice, uint8_t manner, uint64_t task, const char *name, const void *place);
    bool is_fine;  ///< the order may also change where the program counts references or accesses a variable
};

extern struct explore_state explore;

struct explore_thread {
    player *player;
    bool is_inside;  ///< the thread is in this library, and what it calls passes
    int once;        ///< how many one-time initializations it is in
    uintptr_t site;  ///< where the program calls while the runtime makes a task for it; else 0
};

extern __thread struct explore_thread explore_this __attribute__((tls_model("initial-exec")));

/// A system call past this library's `syscall`.
long explore_kernel(long number, long a, long b, long c, long d, long e, long f);

/// The next function of that name, or one of a library that has been loaded since. Aborts if there is none.
void *explore_find_next(const char *name);

#define NEXT(name)                                                                           \
    ({                                                                                       \
        static __typeof__(name) *next;                                                       \
        __typeof__(name) *found = __atomic_load_n(&next, __ATOMIC_ACQUIRE);                  \
        if (__builtin_expect(found == NULL, 0)) {                                            \
            found = (__typeof__(name) *)explore_find_next(#name);                            \
            __atomic_store_n(&next, found, __ATOMIC_RELEASE);                                \
        }                                                                                    \
        found;                                                                               \
    })

/// Takes an element out of an array; those behind it move up.
#define TAKE_OUT(array, count, index)                                                                         \
    do {                                                                                                      \
        memmove((array) + (index), (array) + (index) + 1, sizeof *(array) * (size_t)((count) - (index) - 1)); \
        (count)--;                                                                                            \
    } while (0)

#define EXPORTED __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))

/// The frame of the function that stands before the one that the program calls.
#define FRAME __builtin_frame_address(0)

void explore_lock(void);
void explore_unlock(void);

/// The next number of a sequence that the seed determines.
uint64_t explore_random(uint64_t *state);

/// Ends the process, which has come to an end that is a finding.
__attribute__((noreturn)) void explore_end(uint32_t ending);
/// Learns where a condition keeps the clock of its limits: in a bit that two new conditions of different clocks show.
void conditions_begin(void);
/// Ends the order because the system refused a call that it needs.
__attribute__((noreturn)) void explore_end_refused(const char *call, int error);

static inline bool is_in(address_range range, uintptr_t address) {
    return address >= range.low && address < range.high;
}

/// True for a call by the recorder, which takes no part in the order: it is there only when an order is recorded, and it tells of a choice
/// while the choice is made.
static inline bool is_recorders(uintptr_t caller) {
    return is_in(explore.own, caller) || is_in(explore.probe, caller);
}

/// Lets the calling thread, beside which others went on, come back to the order.
void turns_rejoin(void);

/// True if the calling thread has its turn and is outside the library. A thread beside which others went on waits for its turn here.
static inline bool has_turn(void) {
    if (!explore.is_on || explore_this.player == NULL || explore_this.is_inside) return false;
    if (explore.holder != explore_this.player) turns_rejoin();
    return true;
}

#pragma GCC visibility pop

#endif
