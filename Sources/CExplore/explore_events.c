// Sources of Dispatch other than timers. Their handlers run when an event comes from outside, on a thread of Dispatch.
//
// Dispatch registers a source on a thread of its own. Without a wait for that, an event that the program causes after the registration
// handler, or after some of its own time, would come before the registration in one run and not in another one.

#define _GNU_SOURCE
#include "explore_events.h"

#include "explore_dispatch.h"
#include "explore_functions.h"
#include "explore_turns.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

extern __attribute__((weak)) void *_NSConcreteStackBlock[];
extern __attribute__((weak)) void dispatch_retain(void *object);
extern __attribute__((weak)) void dispatch_release(void *object);
extern __attribute__((weak)) void *_Block_copy(const void *block);
extern __attribute__((weak)) void _Block_release(const void *block);

enum { WAITED_FOR, REGISTERED, LATE };

typedef struct event_source {
    const void *source;
    void *queue;
    block *on_registration;  ///< the program's; NULL for none
    uint32_t state;
    bool has_begun, has_ended;
} event_source;

enum { ROOM_FOR_SOURCES = 1024 };

static event_source sources[ROOM_FOR_SOURCES];
static int source_count;

static event_source *find(const void *source) {
    for (int index = 0; explore.is_on && index < source_count; index++)
        if (sources[index].source == source && !sources[index].has_ended) return &sources[index];
    return NULL;
}

void events_add(void *source, void *queue) {
    events_end(source);  // the program has let one go that had this address
    if (source_count == ROOM_FOR_SOURCES) return;
    dispatch_retain(queue);  // a source does not keep its queue for others
    sources[source_count++] = (event_source){.source = source, .queue = queue};
}

void events_end(const void *source) {
    event_source *known = find(source);
    if (known == NULL) return;
    known->has_ended = true;
    dispatch_release(known->queue);
    if (known->has_begun) __atomic_fetch_sub(&explore.source_count, 1, __ATOMIC_RELAXED);
}

// MARK: - Registration

/// Lets the program's handler run, in its turn.
static void tell_program(event_source *known) {
    block *handler = known->on_registration;
    known->on_registration = NULL;
    if (handler != NULL) turns_add(item_of_block(known->queue, handler, FRAME, true));
}

typedef struct registration_block {
    block head;
    const void *descriptor;
    event_source *registered;
} registration_block;

static void note_registration(void *called) {
    event_source *known = ((registration_block *)called)->registered;
    uint32_t expected = WAITED_FOR;
    if (__atomic_compare_exchange_n(&known->state, &expected, REGISTERED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        explore_kernel(SYS_futex, (long)&known->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    else tell_program(known);
}

/// Waits at most 20 ms: a source whose queue runs the caller's block is registered after that block.
static void await_registration(event_source *known) {
    for (int round = 0; round < 20 && __atomic_load_n(&known->state, __ATOMIC_ACQUIRE) == WAITED_FOR; round++) {
        struct timespec limit = {.tv_nsec = 1000000};
        explore_kernel(SYS_futex, (long)&known->state, FUTEX_WAIT_PRIVATE, WAITED_FOR, (long)&limit, 0, 0);
    }
    uint32_t expected = WAITED_FOR;
    if (!__atomic_compare_exchange_n(&known->state, &expected, LATE, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) tell_program(known);
}

bool events_begin(void *source, void (*activate)(void *)) {
    static const struct { uintptr_t reserved, size; } descriptor = {0, sizeof(registration_block)};
    event_source *known = find(source);
    if (known == NULL || known->has_begun) return false;
    known->has_begun = true;
    __atomic_fetch_add(&explore.source_count, 1, __ATOMIC_RELAXED);
    registration_block note = {{.isa = _NSConcreteStackBlock, .invoke = note_registration}, &descriptor, known};
    RECORDED(dispatch_source_set_registration_handler)(source, &note);
    activate(source);
    await_registration(known);
    return true;
}

void ordered_dispatch_source_set_registration_handler(void *source, void *handler) {
    event_source *known = find(source);
    if (known == NULL || known->has_begun) {
        RECORDED(dispatch_source_set_registration_handler)(source, handler);
        return;
    }
    if (known->on_registration != NULL) _Block_release(known->on_registration);
    known->on_registration = handler != NULL ? _Block_copy(handler) : NULL;
}
