// Values of Swift's type `String`.

#include "swift_string.h"

#include "swift_abi.h"

#include <string.h>

SWIFT_RUNTIME void swift_bridgeObjectRelease(void *object);

#define IS_SMALL ((uint64_t)1 << 61)
#define IS_TAIL_ALLOCATED ((uint64_t)1 << 60)
#define COUNT_MASK (((uint64_t)1 << 48) - 1)
#define ADDRESS_MASK (((uint64_t)1 << 60) - 1)

bool string_copy(const swift_string *string, char *out, size_t room) {
    enum { HEADER = 32 };
    const char *bytes = (const char *)string;
    uint64_t length = string->object >> 56 & 15;
    if ((string->object & IS_SMALL) == 0) {
        // The probe reads small strings, and others whose bytes follow the object's header.
        if (string->object == 0 || (string->count_and_flags & IS_TAIL_ALLOCATED) == 0) return false;
        bytes = (const char *)(string->object & ADDRESS_MASK) + HEADER;
        length = string->count_and_flags & COUNT_MASK;
    }
    if (length >= room) return false;
    memcpy(out, bytes, length);
    out[length] = 0;
    return true;
}

void string_release(const swift_string *string) {
    if ((string->object & IS_SMALL) == 0 && swift_bridgeObjectRelease != NULL) swift_bridgeObjectRelease((void *)string->object);
}
