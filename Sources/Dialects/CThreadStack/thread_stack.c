#define _GNU_SOURCE

#include "thread_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

static __thread struct {
    bool is_known;
    uintptr_t lowest;
    size_t size;
} stack;

static void look_up(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) != 0) size = 0;
        pthread_attr_destroy(&attributes);
    }
    stack.lowest = (uintptr_t)lowest;
    stack.size = size;
    stack.is_known = true;
}

// Not inlined, because then the frame address would be the caller's.
__attribute__((noinline)) thread_stack thread_stack_now(void) {
    if (!stack.is_known) look_up();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bool is_inside = here >= stack.lowest && here - stack.lowest <= stack.size;
    return (thread_stack){.size = is_inside ? stack.size : 0, .remaining = is_inside ? here - stack.lowest : 0};
}
