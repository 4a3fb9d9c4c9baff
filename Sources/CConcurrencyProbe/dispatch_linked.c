// A program that has Dispatch in its own file: which of its code is whose.
//
// A library's code has one address range. In a program that was linked statically, functions of the program, of Swift's libraries and of Dispatch
// lie in any order, and only their names tell them apart. So the program's symbol table is read once, and the ranges of the libraries'
// functions are kept.

#define _GNU_SOURCE
#include "dispatch_linked.h"

#ifndef HOPSCOPE_PRELOADED

#include "runtime_code.h"
#include "symbol_table.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// The start and the end of the probe's functions that call Dispatch or blocks.
extern const char __start_hopscope_blocks[] __attribute__((visibility("hidden")));
extern const char __stop_hopscope_blocks[] __attribute__((visibility("hidden")));

// MARK: - Names

/// Beginnings of the names of Dispatch's functions. A program may have functions of its own that begin with `dispatch_`.
static const char *const dispatch_names[] = {
    "dispatch_async", "dispatch_sync", "dispatch_barrier_", "dispatch_after", "dispatch_apply", "dispatch_group_", "dispatch_block_",
    "dispatch_source_", "dispatch_io_", "dispatch_read", "dispatch_write", "dispatch_data_", "_dispatch_", "swift_dispatch",
};

static const char *const library_names[] = {"$s8Dispatch", "$s10Foundation", "$s20FoundationEssentials", "CF", "_CF", "__CF", "_cfstream_"};

static bool begins(const char *name, const char *const *beginnings, size_t count) {
    for (size_t index = 0; index < count; index++)
        if (strncmp(name, beginnings[index], strlen(beginnings[index])) == 0) return true;
    return false;
}

/// True for a function that an extension in another module adds to a type: the type's name is followed by the module's and an E. Swift's own
/// libraries extend each other's types, too.
static bool is_of_another_module(const char *name) {
    static const char *const own[] = {"Dispatch", "Foundation", "FoundationEssentials"};
    for (const char *at = name + 2; *at != 0;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *module;
        size_t length = strtoul(at, &module, 10);
        // A zero begins an identifier whose words are abbreviations; it is left to the search for the next number.
        if (length == 0 || strnlen(module, length) < length) {
            at = module;
            continue;
        }
        bool is_own = false;
        for (size_t index = 0; index < sizeof own / sizeof *own; index++)
            is_own |= strlen(own[index]) == length && strncmp(module, own[index], length) == 0;
        if (module[length] == 'E' && !is_own) return true;
        at = module + length;
    }
    return false;
}

static code_owner owner_by_name(const char *name) {
    // The functions of C's blocks have the name of the function around them, after two underscores.
    const char *outer = strncmp(name, "__", 2) == 0 ? name + 2 : name;
    bool enqueues = strncmp(name, "_ZL", 3) == 0 && strstr(name, "dispatchEnqueue") != NULL;
    if (enqueues || begins(outer, dispatch_names, sizeof dispatch_names / sizeof *dispatch_names)) return CODE_OF_DISPATCH;
    if (!begins(name, library_names, sizeof library_names / sizeof *library_names)) return CODE_OF_PROGRAM;
    return name[0] == '$' && is_of_another_module(name) ? CODE_OF_PROGRAM : CODE_OF_LIBRARY;
}

// MARK: - Ranges

typedef struct owned_range {
    code_range range;
    code_owner owner;
} owned_range;

static owned_range *ranges;
static size_t range_count, range_room;

static void note(const char *name, code_range range) {
    code_owner owner = owner_by_name(name);
    if (owner == CODE_OF_PROGRAM) return;
    if (range_count == range_room) {
        size_t room = range_room == 0 ? 4096 : 2 * range_room;
        owned_range *more = realloc(ranges, room * sizeof *more);
        if (more == NULL) return;
        ranges = more;
        range_room = room;
    }
    ranges[range_count++] = (owned_range){.range = range, .owner = owner};
}

static int by_address(const void *one, const void *other) {
    uintptr_t first = ((const owned_range *)one)->range.first, second = ((const owned_range *)other)->range.first;
    return first < second ? -1 : first > second;
}

/// Joins the ranges of one owner between which no other function fits.
static void join(void) {
    enum { ALIGNMENT = 16 };
    qsort(ranges, range_count, sizeof *ranges, by_address);
    size_t kept = 0;
    for (size_t index = 0; index < range_count; index++) {
        owned_range next = ranges[index], *last = kept > 0 ? &ranges[kept - 1] : NULL;
        bool touches = last != NULL && last->owner == next.owner && next.range.first < last->range.end + ALIGNMENT;
        if (!touches) ranges[kept++] = next;
        else if (next.range.end > last->range.end) last->range.end = next.range.end;
    }
    range_count = kept;
    owned_range *fitting = realloc(ranges, kept * sizeof *ranges);
    if (fitting != NULL) ranges = fitting;
}

static int note_base(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    // The program comes first.
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

bool linked_code_learn(void) {
    void *library = dlopen("libdispatch.so", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
        dlclose(library);
        return false;
    }
    uintptr_t base = 0;
    dl_iterate_phdr(note_base, &base);
    bool is_named = symbols_read("/proc/self/exe", base, note);
    if (range_count > 0) join();
    return is_named && range_count > 0;
}

code_owner linked_code_owner(const void *address) {
    if ((const char *)address >= __start_hopscope_blocks && (const char *)address < __stop_hopscope_blocks) return CODE_OF_PROBE;
    size_t first = 0, end = range_count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (ranges[middle].range.first <= (uintptr_t)address) first = middle + 1;
        else end = middle;
    }
    if (first == 0 || !is_in(ranges[first - 1].range, address)) return CODE_OF_PROGRAM;
    return ranges[first - 1].owner;
}

#endif
