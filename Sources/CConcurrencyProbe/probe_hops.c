// A task's way from one executor to another. Taking an actor that is free costs a program a few nanoseconds, so such hops are counted, and
// the trace hears of the first of a slice and then of many at a time.

#include "probe.h"

/// Inline hops that the trace is told of at once.
enum { HOPS_TOLD_TOGETHER = 256 };

/// The executor's number, which is most often that of the one asked for before.
static inline uint16_t number_of(probe_thread *thread, void *identity, uintptr_t implementation) {
    if (identity != NULL && identity == thread->hopped_object && *(const void **)identity == thread->hopped_type)
        return thread->hopped_number;
    uint16_t number = executor_number(identity, implementation);
    if (identity == NULL) return number;
    thread->hopped_object = identity;
    thread->hopped_type = *(const void **)identity;
    thread->hopped_number = number;
    return number;
}

void hop_began(void *identity, uintptr_t implementation) {
    probe_thread *thread = &probe_this;
    if (!thread->knows_executor) {
        thread->executor = executor_current();
        thread->knows_executor = true;
    }
    thread->hopping = NULL;
    if (identity == thread->executor_object) return;
    thread->hop_from = thread->executor;
    thread->hop_to = number_of(thread, identity, implementation);
    thread->hopping = probe_running();
    // By the time that anything else happens on this thread, the task is there or has suspended.
    thread->executor = thread->hop_to;
    thread->executor_object = identity;
}

static void tell(uint64_t task, inline_hops *hops) {
    trace_emit(
        TRACE_HOPPED, TRACE_HOP_INLINE, hops->to, 0, task, (uint64_t)hops->from | (uint64_t)hops->count << 16);
}

void hop_was_inline(void) {
    probe_thread *thread = &probe_this;
    if (thread->hopping == NULL) return;
    swift_task *hopping = thread->hopping;
    // It is there: what puts it into a queue from now on is something else.
    thread->hopping = NULL;
    inline_hops *place = NULL;
    for (int index = 0; index < INLINE_HOP_KINDS; index++) {
        inline_hops *hops = &thread->hops[index];
        if (thread->has_hops && hops->from == thread->hop_from && hops->to == thread->hop_to) {
            if (++hops->count < HOPS_TOLD_TOGETHER) return;
            place = hops;
            break;
        }
        if (place == NULL || hops->count < place->count) place = hops;
    }
    uint64_t task = task_number(hopping);
    if (place->from != thread->hop_from || place->to != thread->hop_to || !thread->has_hops) {
        if (thread->has_hops && place->count > 0) tell(task, place);
        *place = (inline_hops){.from = thread->hop_from, .to = thread->hop_to, .count = 1};
        thread->has_hops = true;
    }
    tell(task, place);
    place->count = 0;
}

void hop_was_dispatched(uint64_t task) {
    probe_thread *thread = &probe_this;
    thread->hopping = NULL;
    trace_emit(TRACE_HOPPED, TRACE_HOP_DISPATCHED, thread->hop_to, 0, task, thread->hop_from);
}

void hops_flush(uint64_t task) {
    probe_thread *thread = &probe_this;
    if (!thread->has_hops) return;
    thread->has_hops = false;
    for (int index = 0; index < INLINE_HOP_KINDS; index++) {
        if (thread->hops[index].count > 0) tell(task, &thread->hops[index]);
        thread->hops[index] = (inline_hops){0};
    }
}
