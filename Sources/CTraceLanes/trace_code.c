// Places in machine code. In the process, an address identifies a place. In the trace, a file and an offset identify it, and a reader finds
// the symbol's name from these.

#define _GNU_SOURCE
#include "trace_region.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A cache entry for one call that this thread has asked for, found by its return addresses.
typedef struct known_code {
    uint64_t generation;
    const void *returns[TRACE_CODE_DEPTH];
    trace_code_kind kind;
    uint32_t count;
    uint32_t id;
} known_code;

typedef struct known_code_label {
    uint64_t generation;
    uint32_t code;
    uint32_t id;
} known_code_label;

enum { KNOWN_CODES = 128 };

typedef struct known_places {
    known_code codes[KNOWN_CODES];
    known_code_label labels[KNOWN_CODES];
} known_places;

/// The thread's cache, allocated at its first use. The initial-exec model makes access to it free of calls.
static __thread known_places *known_here __attribute__((tls_model("initial-exec")));

/// The thread's cache, NULL if memory is short.
static inline known_places *places_known_here(void) {
    if (__builtin_expect(known_here == NULL, 0)) known_here = calloc(1, sizeof *known_here);
    return known_here;
}

void trace_code_forget(void) {
    free(known_here);
    known_here = NULL;
}

/// The text entry for the real path of the program's own file, 0 if it is not known.
static uint32_t program_file(trace_region *region) {
    char path[TRACE_PATH_ROOM];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? trace_intern_text(region, (const uint8_t *)path, (size_t)length) : 0;
}

#if __GLIBC_PREREQ(2, 35)
/// The C library's search that takes no lock. NULL if the C library has none.
static int (*find_object)(void *address, struct dl_find_object *found);

__attribute__((constructor)) static void find_search(void) {
    find_object = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
}
#endif

/// The loaded file that contains an address, NULL if none does. The search does not take the loader's lock where the C library allows that:
/// another thread may hold it while it loads a library whose constructor waits for a lock of the calling thread.
static const struct link_map *file_of(const void *address) {
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (find_object != NULL) return find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map : NULL;
#endif
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
}

static trace_code_address place_of(trace_region *region, trace_code_kind kind, const void *address) {
    // A return address on the stack may already lie in the next function, so the byte before it is used. An awaited call resumes at the
    // beginning of a function.
    const char *call = (const char *)address - (kind == TRACE_CODE_CALLS ? 1 : 0);
    const struct link_map *map = file_of(call);
    if (map == NULL) return (trace_code_address){0};
    uint64_t offset = (uintptr_t)call - map->l_addr;
    if (offset > UINT32_MAX) return (trace_code_address){0};
    // The link map of the program itself has an empty name.
    uint32_t module = map->l_name[0] == 0
        ? program_file(region)
        : trace_intern_text(region, (const uint8_t *)map->l_name, strlen(map->l_name));
    return (trace_code_address){.module = module, .offset = (uint32_t)offset};
}

static __attribute__((noinline)) uint32_t intern_code(trace_code_kind kind, const void *const *returns, size_t count) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return TRACE_ENTRY_NONE;
    trace_code_address places[TRACE_CODE_DEPTH];
    for (size_t index = 0; index < count; index++) places[index] = place_of(region, kind, returns[index]);
    trace_entry entry = {.kind = TRACE_ENTRY_CODE, .a = kind, .length = (uint32_t)(count * sizeof places[0])};
    return trace_intern(region, entry, (const uint8_t *)places);
}

uint32_t trace_code(trace_code_kind kind, const void *const *returns, size_t count) {
    trace_region *region = trace_recorded_into();
    if (region == NULL || count == 0) return TRACE_ENTRY_NONE;
    if (count > TRACE_CODE_DEPTH) count = TRACE_CODE_DEPTH;
    uint64_t hash = count << 1 | kind;
    for (size_t index = 0; index < count; index++) hash = trace_mixed(hash, (uintptr_t)returns[index]);
    known_places *here = places_known_here();
    if (here == NULL) return intern_code(kind, returns, count);
    known_code *known = &here->codes[(hash >> 32) % KNOWN_CODES];
    if (known->generation == region->generation && known->count == count && known->kind == kind
        && memcmp(known->returns, returns, count * sizeof *returns) == 0) return known->id;
    known->id = intern_code(kind, returns, count);
    known->generation = region->generation;
    known->kind = kind;
    known->count = (uint32_t)count;
    memcpy(known->returns, returns, count * sizeof *returns);
    return known->id;
}

uint32_t trace_label_of_code(const char *name, size_t length, uint32_t code) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return TRACE_ENTRY_NONE;
    if (name != NULL) {
        trace_entry entry = {.kind = TRACE_ENTRY_LABEL, .b = code};
        entry.a = trace_intern_text(region, (const uint8_t *)name, length);
        return trace_intern(region, entry, (const uint8_t *)"");
    }
    known_places *here = places_known_here();
    if (here == NULL) return TRACE_ENTRY_NONE;
    known_code_label *known = &here->labels[code % KNOWN_CODES];
    if (known->generation == region->generation && known->code == code) return known->id;
    uint32_t id = trace_intern(region, (trace_entry){.kind = TRACE_ENTRY_LABEL, .a = code, .b = code}, (const uint8_t *)"");
    *known = (known_code_label){.generation = region->generation, .code = code, .id = id};
    return id;
}

uint32_t trace_error_of_code(const uint8_t *type, size_t length, uint32_t code) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return TRACE_ENTRY_NONE;
    trace_entry entry = {.kind = TRACE_ENTRY_ERROR, .c = code};
    entry.a = trace_intern_text(region, type, length);
    return trace_intern(region, entry, (const uint8_t *)"");
}

uint32_t trace_code_of_throws(const uint32_t *codes, size_t count) {
    trace_region *region = trace_recorded_into();
    if (region == NULL || count == 0) return TRACE_ENTRY_NONE;
    if (count == 1) return codes[0];
    trace_entry entry = {.kind = TRACE_ENTRY_THROWS, .length = (uint32_t)(count * sizeof codes[0])};
    return trace_intern(region, entry, (const uint8_t *)codes);
}
