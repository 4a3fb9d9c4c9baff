// The Swift runtime: places inside a job at which the order may change.

#include "explore_functions.h"
#include "explore_strands.h"
#include "explore_turns.h"

EXPORTED SWIFT_ASYNC_CC void swift_task_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation);
EXPORTED SWIFT_CC void *swift_continuation_init(void *context, uintptr_t flags);
EXPORTED SWIFT_ASYNC_CC void swift_continuation_await(void *context);
EXPORTED SWIFT_CC void swift_continuation_resume(void *task);
EXPORTED SWIFT_CC void swift_continuation_throwingResume(void *task);
EXPORTED SWIFT_CC void swift_continuation_throwingResumeWithError(void *task, void *error);
EXPORTED SWIFT_CC void swift_task_cancel(void *task);

static const char *name_among(const swift_option *options) {
    for (const swift_option *option = options; option != NULL; option = option->next)
        if ((option->flags & SWIFT_OPTION_KIND_MASK) == SWIFT_OPTION_NAME) return option->value;
    return NULL;
}

/// The return address of the frame above, by frame pointers, which Swift code keeps. A flag in the pointer marks an async frame. 0 if the
/// chain leads elsewhere.
static uintptr_t caller_above(const uintptr_t *frame) {
    const uintptr_t above = frame[0] & ~((uintptr_t)1 << 60), below = (uintptr_t)frame;
    if (above <= below || above - below > 1 << 16 || above % sizeof above != 0) return 0;
    return ((const uintptr_t *)above)[1];
}

SWIFT_CC swift_task_and_context ordered_swift_task_create(
    uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context
) {
    uintptr_t caller = CALLER;
    explore_this.site = caller;
    swift_task_and_context made = RECORDED(swift_task_create)(flags, options, type, function, context);
    explore_this.site = 0;
    // A task whose actor is busy is enqueued past this library; here its maker is still known.
    if (has_turn() && made.task != NULL) {
        explore_lock();
        strand_describe(strand_of_task(made.task, caller), caller_above(__builtin_frame_address(0)), name_among(options));
        explore_unlock();
    }
    turns_offer_own(EXPLORE_AT_CREATE, caller);
    return made;
}

SWIFT_CC void ordered_swift_asyncLet_begin(
    void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result
) {
    explore_this.site = CALLER;
    RECORDED(swift_asyncLet_begin)(async_let, options, type, function, context, result);
    explore_this.site = 0;
    turns_offer_own(EXPLORE_AT_CREATE, CALLER);
}

/// Tasks that have left one actor for another and have not entered that one.
static struct {
    swift_task *task;
    void *resume, *identity;
    uintptr_t implementation;
} hops[ROOM_FOR_THREADS];
static int hop_count;

/// True for a hop from an actor to another one. The actors are the runtime's own: an executor of the program's may not be left at will.
static bool is_between_actors(const void *identity, uintptr_t implementation) {
    if (swift_task_getCurrentExecutor == NULL || swift_task_getPreferredTaskExecutor == NULL) return false;
    if (identity == NULL || implementation != 0 || swift_task_getPreferredTaskExecutor(false).identity != NULL) return false;
    swift_executor current = swift_task_getCurrentExecutor();
    return current.identity != NULL && current.implementation == 0 && current.identity != identity;
}

/// Where a task goes on that has left its actor: others may run on both before it enters the next one. Only the context is given; the other
/// parameters make the jump to the runtime's function possible.
static SWIFT_ASYNC_CC void enter_next_actor(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *unused_resume, void *unused_identity, uintptr_t unused_implementation
) {
    (void)unused_resume, (void)unused_identity, (void)unused_implementation;
    swift_task *task = swift_task_getCurrent();
    explore_lock();
    int index = hop_count - 1;
    while (hops[index].task != task) index--;
    void *resume = hops[index].resume, *identity = hops[index].identity;
    uintptr_t implementation = hops[index].implementation;
    hops[index] = hops[--hop_count];
    explore_unlock();
    turns_offer_own(EXPLORE_AT_HOP, (uintptr_t)resume);
    SWIFT_TAIL_CALL return RECORDED(swift_task_switch)(context, resume, identity, implementation);
}

SWIFT_ASYNC_CC void ordered_swift_task_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation
) {
    if (has_turn() && is_in(explore.program, (uintptr_t)resume) && hop_count < ROOM_FOR_THREADS && is_between_actors(identity, implementation)) {
        explore_lock();
        hops[hop_count].task = swift_task_getCurrent();
        hops[hop_count].resume = resume;
        hops[hop_count].identity = identity;
        hops[hop_count++].implementation = implementation;
        explore_unlock();
        // A recording has the hop between the actors, so it is not told that the task is on none.
        SWIFT_TAIL_CALL return NEXT(swift_task_switch)(context, enter_next_actor, NULL, 0);
    }
    turns_offer_own(EXPLORE_AT_HOP, (uintptr_t)resume);
    SWIFT_TAIL_CALL return RECORDED(swift_task_switch)(context, resume, identity, implementation);
}

SWIFT_CC void *swift_continuation_init(void *context, uintptr_t flags) {
    void *task = NEXT(swift_continuation_init)(context, flags);
    turns_offer_own(EXPLORE_AT_CONTINUATION, CALLER);
    return task;
}

/// The context is a plain argument here, not in the register of async contexts.
SWIFT_ASYNC_CC void swift_continuation_await(void *context) {
    turns_offer_own(EXPLORE_AT_CONTINUATION, CALLER);
    SWIFT_TAIL_CALL return NEXT(swift_continuation_await)(context);
}

SWIFT_CC void swift_continuation_resume(void *task) {
    turns_offer_own(EXPLORE_AT_RESUME, CALLER);
    NEXT(swift_continuation_resume)(task);
}

SWIFT_CC void swift_continuation_throwingResume(void *task) {
    turns_offer_own(EXPLORE_AT_RESUME, CALLER);
    NEXT(swift_continuation_throwingResume)(task);
}

SWIFT_CC void swift_continuation_throwingResumeWithError(void *task, void *error) {
    turns_offer_own(EXPLORE_AT_RESUME, CALLER);
    NEXT(swift_continuation_throwingResumeWithError)(task, error);
}

SWIFT_CC void swift_task_cancel(void *task) {
    turns_offer_own(EXPLORE_AT_CANCEL, CALLER);
    NEXT(swift_task_cancel)(task);
}

void ordered_swift_task_enterThreadLocalContext(char *state) {
    if (has_turn()) {
        swift_task *task = swift_task_getCurrent();
        if (explore_this.player->is_fresh) explore_this.player->is_fresh = false;
        else if (task != NULL) turns_offer_own(EXPLORE_AT_SLICE, (uintptr_t)task->resume_task);
    }
    RECORDED(swift_task_enterThreadLocalContext)(state);
}
