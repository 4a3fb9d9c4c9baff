// The labels that a thread has asked for, so that it needs no lock to ask for one again.

#define _GNU_SOURCE
#include "trace_region.h"

#include <string.h>

/// The label of a literal, found by the literal's address.
typedef struct literal_label {
    const uint8_t *name;
    const uint8_t *file;
    uint64_t generation;
    uint32_t line;
    uint32_t id;
} literal_label;

enum { LONGEST_KNOWN_NAME = 39 };

/// The label of a name that is no literal, found by the name's bytes.
typedef struct named_label {
    const uint8_t *file;
    uint64_t generation;
    uint32_t line;
    uint32_t id;
    uint8_t length;
    uint8_t name[LONGEST_KNOWN_NAME];
} named_label;

_Static_assert(sizeof(named_label) == 64, "a cache line");

/// A label of each kind for each value of a hash's highest bits.
enum { LITERAL_BITS = 8, NAMED_BITS = 7 };

typedef struct label_cache {
    literal_label literals[1 << LITERAL_BITS];
    named_label named[1 << NAMED_BITS];
} label_cache;

static __thread label_cache labels;
/// The thread's `labels` once it has learned one. Unlike the large table, a pointer fits among the variables that a library reaches without
/// a call.
static __thread label_cache *own_labels __attribute__((tls_model("initial-exec")));

static inline size_t place_of_literal(const uint8_t *name, const uint8_t *file, uint32_t line) {
    return (((uintptr_t)name ^ (uintptr_t)file << 16 ^ line) * 0x9E3779B97F4A7C15u) >> (64 - LITERAL_BITS);
}

static inline size_t place_of_name(const uint8_t *name, size_t length, const uint8_t *file, uint32_t line) {
    return trace_hash((uintptr_t)file ^ line, name, length) * 0x9E3779B97F4A7C15u >> (64 - NAMED_BITS);
}

static __attribute__((noinline)) uint32_t learn_literal(
    const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line
) {
    // The number comes first: if another recording begins now, the entry is stored for the ended one and is never found.
    uint64_t recording = trace_recording();
    uint32_t id = trace_label(name, name_length, file, file_length, line);
    own_labels = &labels;
    labels.literals[place_of_literal(name, file, line)] =
        (literal_label){.name = name, .file = file, .generation = recording, .line = line, .id = id};
    return id;
}

static __attribute__((noinline)) uint32_t learn_name(
    const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line
) {
    // As above.
    uint64_t recording = trace_recording();
    uint32_t id = trace_label(name, name_length, file, file_length, line);
    if (name_length > LONGEST_KNOWN_NAME) return id;
    own_labels = &labels;
    named_label *known = &labels.named[place_of_name(name, name_length, file, line)];
    *known = (named_label){.file = file, .generation = recording, .line = line, .id = id, .length = (uint8_t)name_length};
    if (name_length > 0) memcpy(known->name, name, name_length);
    return id;
}

/// Like `trace_emit`, the common case needs no stack frame.
uint32_t trace_label_of_literals(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    if (region == NULL) return TRACE_ENTRY_NONE;
    if (own_labels == NULL) return learn_literal(name, name_length, file, file_length, line);
    const literal_label *known = &own_labels->literals[place_of_literal(name, file, line)];
    if (known->generation == region->generation && known->name == name && known->file == file && known->line == line) return known->id;
    return learn_literal(name, name_length, file, file_length, line);
}

uint32_t trace_label_of_name(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    if (region == NULL) return TRACE_ENTRY_NONE;
    if (own_labels == NULL || name_length > LONGEST_KNOWN_NAME) return learn_name(name, name_length, file, file_length, line);
    const named_label *known = &own_labels->named[place_of_name(name, name_length, file, line)];
    if (known->generation == region->generation && known->file == file && known->line == line && known->length == name_length
        && (name_length == 0 || memcmp(known->name, name, name_length) == 0))
        return known->id;
    return learn_name(name, name_length, file, file_length, line);
}
