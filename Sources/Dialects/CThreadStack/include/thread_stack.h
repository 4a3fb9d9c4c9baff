// The size of the calling thread's stack, and how much of it is free.
//
// Only `pthread_getattr_np` knows the size. Swift cannot call it, and on the main thread it reads /proc, so each thread looks it up once.

#ifndef THREAD_STACK_H
#define THREAD_STACK_H

#include <stddef.h>

typedef struct thread_stack {
    size_t size;       ///< in bytes; 0 if unknown
    size_t remaining;  ///< in bytes, below the caller's frame
} thread_stack;

thread_stack thread_stack_now(void);

#endif
