// The executors of Dispatch's queues.

#ifndef DISPATCH_QUEUES_H
#define DISPATCH_QUEUES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The number of the executor that runs a queue's blocks: the serial queue at the bottom of its chain of targets, or else the concurrent
/// queue itself. NULL stands for a queue that Dispatch chooses.
uint16_t queue_executor(void *queue);

/// The queue of a source, NULL if it is not known.
void *queue_of(void *source);

/// The number of the executor of the calling thread's run loop: main on the main thread.
uint16_t run_loop_executor(void);

#pragma GCC visibility pop

#endif
