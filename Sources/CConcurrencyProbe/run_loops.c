// Recording of what run loops run: timers and blocks. On the main thread they run on main, between the blocks of the main queue.

#define _GNU_SOURCE
#include "run_loops.h"

#include "interposition.h"

#include "dispatch_blocks.h"
#include "dispatch_items.h"
#include "dispatch_queues.h"
#include "probe_executors.h"
#include <dlfcn.h>
#include <stdlib.h>

PROBE_SECTION

// MARK: - Timers

/// A timer's callback and its context, in the place of which the run loop has this record.
typedef struct watched_timer {
    run_loop_callback *callback;
    run_loop_context context;
    made_block made;
    uint64_t maker;
} watched_timer;

static void timer_fires(void *timer, void *info) {
    watched_timer *watched = info;
    made_block made = watched->made;
    made.executor = run_loop_executor();
    made = block_made_again(&made, watched->maker);
    running_block running;
    block_began(&running, &made, NULL);
    watched->callback(timer, watched->context.info);
    block_ended(&running);
}

/// The run loop releases its context once.
static void release_timer(const void *info) {
    watched_timer *watched = (watched_timer *)info;
    if (watched->context.release != NULL) watched->context.release(watched->context.info);
    free(watched);
}

static const void *describe_timer(const void *info) {
    const watched_timer *watched = info;
    return watched->context.describe != NULL ? watched->context.describe(watched->context.info) : NULL;
}

static void *watch_CFRunLoopTimerCreate(
    const void *allocator, double date, double interval, uintptr_t flags, intptr_t order, run_loop_callback *callback,
    run_loop_context *context
) {
    watched_timer *watched = blocks_are_watched(CALLER) ? malloc(sizeof *watched) : NULL;
    run_loop_context watching = {.info = watched, .release = release_timer, .describe = describe_timer};
    if (watched != NULL) {
        *watched = (watched_timer){.callback = callback, .made = block_to_make(0, PROBE_FRAME), .maker = block_maker()};
        if (context != NULL) watched->context = *context;
        if (watched->context.retain != NULL) watched->context.info = (void *)watched->context.retain(watched->context.info);
        callback = timer_fires;
        context = &watching;
    }
    void *timer = RUNTIMES(CFRunLoopTimerCreate)(allocator, date, interval, flags, order, callback, context);
    PROBE_KEEP_FRAME();
    return timer;
}

// MARK: - Blocks

static bool is_main(void *loop) {
    typedef void *get_loop(void);
    get_loop *main = (get_loop *)SYMBOL(CFRunLoopGetMain);
    return main != NULL && main() == loop;
}

static void watch_CFRunLoopPerformBlock(void *loop, const void *mode, dispatch_block *block) {
    if (blocks_are_watched(CALLER)) {
        keeping_block keeping = block_performed(block, is_main(loop) ? executors_main : 0, PROBE_FRAME);
        RUNTIMES(CFRunLoopPerformBlock)(loop, mode, (dispatch_block *)&keeping);
    } else {
        RUNTIMES(CFRunLoopPerformBlock)(loop, mode, block);
    }
    PROBE_KEEP_FRAME();
}

void run_loops_watch(void) {
    RUN_LOOP_FUNCTIONS(WATCH_ROW)
}
