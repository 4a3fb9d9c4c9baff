// Recording of what run loops run: timers and blocks.

#ifndef RUN_LOOPS_H
#define RUN_LOOPS_H

#include "dispatch_abi.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef void run_loop_callback(void *object, void *info);

/// The context that a run loop's timer is made with. The run loop copies it.
typedef struct run_loop_context {
    intptr_t version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    const void *(*describe)(const void *info);
} run_loop_context;

/// The functions of Foundation's run loops that the probe stands before.
#define RUN_LOOP_FUNCTIONS(ROW)                                                                                                        \
    ROW(CFRunLoopTimerCreate, CFRunLoopTimerCreate, false, void *,                                                                     \
        (const void *allocator, double date, double interval, uintptr_t flags, intptr_t order, run_loop_callback *callback,            \
         run_loop_context *context), (allocator, date, interval, flags, order, callback, context))                                     \
    ROW(CFRunLoopPerformBlock, CFRunLoopPerformBlock, false, void, (void *loop, const void *mode, dispatch_block *block), (loop, mode, block))

/// Lets the program's calls of run loops pass through the probe.
void run_loops_watch(void);

#pragma GCC visibility pop

#endif
