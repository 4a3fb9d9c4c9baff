// Where a queue of this process's Dispatch keeps what decides which blocks run one at a time.

#ifndef QUEUE_LAYOUT_H
#define QUEUE_LAYOUT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Offsets in a queue; 0 for those that are not known.
typedef struct queue_layout {
    ptrdiff_t target;  ///< of the queue that it targets
    ptrdiff_t width;   ///< of the number of its blocks that run at once, two bytes
    ptrdiff_t serial;  ///< of its number, which no other queue of the process has
} queue_layout;

/// Learns them from queues of its own, because they differ between versions.
queue_layout queue_layout_learn(void);

#pragma GCC visibility pop

#endif
