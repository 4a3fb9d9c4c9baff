// Values of Swift's type `String`.

#ifndef SWIFT_STRING_H
#define SWIFT_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A value of Swift's type `String`, or of its optional: nil has no object.
typedef struct swift_string {
    uint64_t count_and_flags;
    uint64_t object;
} swift_string;

/// Copies the text and a final zero. False for a text without room, and for the bytes of a foreign object, which are not read.
bool string_copy(const swift_string *string, char *out, size_t room);

/// Releases a value that a function has returned.
void string_release(const swift_string *string);

#pragma GCC visibility pop

#endif
