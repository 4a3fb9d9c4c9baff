// How much of the calling thread's stack there is, and how much is left.
//
// Glibc says so only by a call that Swift does not see, and that reads /proc on the main thread: the answer is kept for each thread.

#ifndef THREAD_STACK_H
#define THREAD_STACK_H

#include <stddef.h>

typedef struct thread_stack {
    size_t size;       ///< in bytes; 0 if the system does not say
    size_t remaining;  ///< in bytes, below the caller's frame
} thread_stack;

thread_stack thread_stack_now(void);

#endif
