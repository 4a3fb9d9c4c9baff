// The calling thread's state, and its call stack.

#define _GNU_SOURCE
#include "probe.h"

#include <pthread.h>

__thread probe_thread probe_this __attribute__((tls_model("initial-exec")));
bool probe_misses_ends;

/// The end of the calling thread's stack, beyond which no frame lies; 1 if it is not known.
static uintptr_t stack_end(void) {
    if (probe_this.stack_end != 0) return probe_this.stack_end;
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    probe_this.stack_end = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) probe_this.stack_end = (uintptr_t)start + size;
    pthread_attr_destroy(&attributes);
    return probe_this.stack_end;
}

/// Swift keeps frame pointers. It marks the frames of async functions with this bit, which is clear in every address.
#define ASYNCHRONOUS_FRAME ((uintptr_t)1 << 60)

size_t probe_callers(const void *first, const void **returns, size_t room) {
    uintptr_t frame = (uintptr_t)first, end = stack_end();
    size_t count = 0;
    while (count < room) {
        if (frame % sizeof(void *) != 0 || frame + 2 * sizeof(void *) > end) break;
        const void *address = ((const void *const *)frame)[1];
        if (address == NULL) break;
        // Stop at frames of the runtime: only the innermost return address may lie in it.
        if (count > 0 && !hooks_are_alone && is_in(probe_code.module, address)) break;
        returns[count++] = address;
        uintptr_t next = *(const uintptr_t *)frame & ~ASYNCHRONOUS_FRAME;
        if (next <= frame) break;
        frame = next;
    }
    return count;
}
