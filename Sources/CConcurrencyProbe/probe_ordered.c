#include "probe_ordered.h"

#include "dispatch_blocks.h"
#include "dispatch_groups.h"
#include "dispatch_queues.h"
#include "interposition.h"

made_block kept_block_made(void *queue, const void *frame, bool is_queued) {
    if (!probe_is_recording() || !blocks_are_recorded()) return (made_block){0};
    return block_made(queue_executor(queue), frame, is_queued);
}

void kept_block_joins(made_block *made, const void *group) {
    if (made->number != 0) made->group_note = group_member_begins(group, made->number);
}

void kept_block_runs(const made_block *made, void (*function)(void *), void *context) {
    if (made->number == 0) {
        function(context);
        return;
    }
    running_block running;
    block_began(&running, made, NULL);
    function(context);
    block_ended(&running);
    group_member_ends(made->group_note);
}

kept_handler kept_handler_made(void *queue, const void *frame) {
    if (!probe_is_recording() || !blocks_are_recorded()) return (kept_handler){0};
    return (kept_handler){.made = block_to_make(queue_executor(queue), frame), .maker = block_maker()};
}

void kept_handler_runs(const kept_handler *handler, void (*function)(void *), void *context) {
    made_block made = handler->made.recording != 0 ? block_made_again(&handler->made, handler->maker) : handler->made;
    kept_block_runs(&made, function, context);
}

static void call(void *queue, void *block, bool is_barrier) {
    if (is_barrier) RUNTIMES(dispatch_barrier_sync)(queue, block);
    else RUNTIMES(dispatch_sync)(queue, block);
}

void kept_block_is_called(
    void *queue, void *block, bool is_barrier, const void *frame, void (*acquire)(void *context), void *context
) {
    if (!probe_is_recording() || !blocks_are_recorded()) {
        acquire(context);
        call(queue, block, is_barrier);
        return;
    }
    block_wait wait;
    block_is_awaited(&wait, queue_executor(queue), frame);
    acquire(context);
    // The queue is free now, so the block begins at once.
    running_block running;
    awaited_block_began(&running, &wait, block);
    call(queue, block, is_barrier);
    block_ended(&running);
    block_wait_ended(&wait);
}

uint64_t kept_group_awaits(const void *group) {
    return probe_is_recording() ? group_open_member(group) : 0;
}
