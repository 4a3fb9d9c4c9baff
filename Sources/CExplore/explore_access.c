// Fine orders may also change where the program makes an object, counts references or accesses a variable. So they can part two uses of a
// variable, and two of an uncontended lock in optimized code, which call nothing else.

#define _GNU_SOURCE
#include "explore_turns.h"

EXPORTED void swift_once(intptr_t *once, void (*initialize)(void *), void *context);
EXPORTED void swift_beginAccess(void *variable, void *buffer, uintptr_t flags, void *counter);
#if defined(__x86_64__)
EXPORTED void *swift_allocObject(const void *type, size_t size, size_t alignment);
EXPORTED void *swift_bridgeObjectRetain(void *object);
EXPORTED void swift_bridgeObjectRelease(void *object);
EXPORTED void *swift_retain(void *object);
EXPORTED void swift_release(void *object);
#endif

/// Other threads would wait in the C library for the end of the initialization, so it is not interrupted.
void swift_once(intptr_t *once, void (*initialize)(void *), void *context) {
    explore_this.once++;
    NEXT(swift_once)(once, initialize, context);
    explore_this.once--;
}

static inline void offer(uintptr_t caller) {
    if (__builtin_expect(explore.is_fine, 0) && is_in(explore.program, caller)) turns_offer(EXPLORE_AT_ACCESS, caller);
}

void swift_beginAccess(void *variable, void *buffer, uintptr_t flags, void *counter) {
    offer(CALLER);
    NEXT(swift_beginAccess)(variable, buffer, flags, counter);
}

#if defined(__x86_64__)
// Elsewhere these keep registers that a C function would not.

void *swift_allocObject(const void *type, size_t size, size_t alignment) {
    offer(CALLER);
    return NEXT(swift_allocObject)(type, size, alignment);
}

void *swift_bridgeObjectRetain(void *object) {
    offer(CALLER);
    return NEXT(swift_bridgeObjectRetain)(object);
}

void swift_bridgeObjectRelease(void *object) {
    offer(CALLER);
    NEXT(swift_bridgeObjectRelease)(object);
}

void *swift_retain(void *object) {
    offer(CALLER);
    return NEXT(swift_retain)(object);
}

void swift_release(void *object) {
    offer(CALLER);
    NEXT(swift_release)(object);
}
#endif
