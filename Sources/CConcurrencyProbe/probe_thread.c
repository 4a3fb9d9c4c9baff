// The calling thread's state, and its call stack.

#define _GNU_SOURCE
#include "probe_thread.h"

#include "runtime_code.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

__thread probe_thread probe_this __attribute__((tls_model("initial-exec")));

uintptr_t probe_stack_end(void) {
    if (probe_this.stack_end != 0) return probe_this.stack_end;
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    probe_this.stack_end = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        probe_this.stack_start = (uintptr_t)start;
        probe_this.stack_end = (uintptr_t)start + size;
    }
    pthread_attr_destroy(&attributes);
    return probe_this.stack_end;
}

frame_walk frames_from(const void *first) {
    uintptr_t frame = (uintptr_t)first, end = probe_stack_end();
    bool is_own = frame >= probe_this.stack_start && frame < end;
    return (frame_walk){frame, is_own ? end : frame + 2 * sizeof(void *)};
}

#ifdef HOPSCOPE_EXPLORES

// The linker defines both for the library's file.
extern const char __ehdr_start[] __attribute__((visibility("hidden"))), etext[] __attribute__((visibility("hidden")));

/// True for the library's own code: an ordered function has called the probe's.
static inline bool is_own(const void *address) {
    return (const char *)address >= __ehdr_start && (const char *)address < etext;
}

#else
static inline bool is_own(const void *address) {
    (void)address;
    return false;
}
#endif

size_t probe_callers(const void *first, const void **returns, size_t room) {
    frame_walk walk = frames_from(first);
    size_t count = 0;
    while (count < room) {
        const void *address = next_return(&walk);
        // Stop at frames of the runtime: only the innermost return address may lie in it.
        if (address == NULL || (count > 0 && !probe_has_hooks_only && is_in(probe_code.module, address))) break;
        if (!is_own(address)) returns[count++] = address;
    }
    return count;
}

// MARK: - Functions without a frame

#ifdef __x86_64__

enum { NO_PLACE = -1, LONGEST_WRAPPER = 256 };

/// The number of bytes that a function without a frame keeps on the stack, read from its first instructions. `NO_PLACE` for a function
/// with a frame.
static ptrdiff_t kept_bytes(const uint8_t *code) {
    ptrdiff_t bytes = 0;
    if (code[0] == 0x55) return NO_PLACE;  // push %rbp
    for (;;) {
        if (code[0] >= 0x50 && code[0] <= 0x57) {  // push of a register
            bytes += 8;
            code += 1;
        } else if (code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57) {  // push of %r8 to %r15
            bytes += 8;
            code += 2;
        } else if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) {  // sub of a small number from %rsp
            return bytes + code[3];
        } else {
            return bytes;
        }
    }
}

static bool follows_call(const uint8_t *address) {
    enum { CALL = 0xe8, INDIRECT = 0xff, OPERATION = 0x38, CALL_OPERATION = 0x10 };
    if (address[-5] == CALL) return true;
    for (int length = 2; length <= 7; length++)
        if (address[-length] == INDIRECT && (address[1 - length] & OPERATION) == CALL_OPERATION) return true;
    return false;
}

/// Functions of Dispatch's overlay lack what unwinds them, so their symbol is the only way to their start.
static const uint8_t *start_of_function(const void *returns) {
    const uint8_t *start = code_start_of_function(returns);
    Dl_info info;
    return start != NULL ? start : dladdr(returns, &info) != 0 ? info.dli_saddr : NULL;
}

size_t probe_add_hidden_caller(const void *frame, const void **returns, size_t count, size_t room) {
    if (count == 0 || room < 2) return count;
    const uint8_t *inner = start_of_function(returns[0]);
    if (inner == NULL || (uintptr_t)returns[0] - (uintptr_t)inner > LONGEST_WRAPPER) return count;
    ptrdiff_t kept = kept_bytes(inner);
    if (kept == NO_PLACE) return count;
    const uintptr_t *place = (const uintptr_t *)((uintptr_t)frame + 2 * sizeof(void *) + (uintptr_t)kept);
    uintptr_t next = *(const uintptr_t *)frame & ~ASYNCHRONOUS_FRAME;
    if ((uintptr_t)place >= next || next >= probe_stack_end()) return count;
    if (start_of_function((const void *)*place) == NULL || !follows_call((const uint8_t *)*place)) return count;
    if (count == room) count--;
    memmove(returns + 2, returns + 1, (count - 1) * sizeof *returns);
    returns[1] = (const void *)*place;
    return count + 1;
}

#else

size_t probe_add_hidden_caller(const void *frame, const void **returns, size_t count, size_t room) {
    (void)frame, (void)returns, (void)room;
    return count;
}

#endif
