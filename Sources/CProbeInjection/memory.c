// Reads and writes the memory of the process.

#define _GNU_SOURCE
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

uint64_t injection_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

bool injection_read_memory(pid_t pid, uint64_t address, void *into, size_t size) {
    struct iovec here = {into, size}, there = {(void *)address, size};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool injection_write_memory(pid_t pid, uint64_t address, const void *from, size_t size) {
    struct iovec here = {(void *)from, size}, there = {(void *)address, size};
    return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool injection_read(pid_t pid, uint64_t record, trace_injection *into) {
    return injection_read_memory(pid, record, into, sizeof *into);
}

bool injection_order(pid_t pid, uint64_t record, uint32_t order) {
    return injection_write_memory(pid, record + offsetof(trace_injection, order), &order, sizeof order);
}

bool injection_give(pid_t pid, uint64_t record, const trace_adopted_task *tasks, size_t count, uint32_t batch) {
    uint64_t number = count;
    // The number of the batch comes last: the thread takes what it sees then.
    return count <= TRACE_ADOPTED_TASKS
        && injection_write_memory(pid, record + offsetof(trace_injection, adopted), tasks, count * sizeof *tasks)
        && injection_write_memory(pid, record + offsetof(trace_injection, adopted_count), &number, sizeof number)
        && injection_write_memory(pid, record + offsetof(trace_injection, given), &batch, sizeof batch);
}

bool injection_took(pid_t pid, uint64_t record, uint32_t batch, bool *has_ended) {
    uint32_t taken = 0;
    *has_ended = !injection_read_memory(pid, record + offsetof(trace_injection, taken), &taken, sizeof taken);
    return !*has_ended && taken == batch;
}

// Mappings

struct mapping {
    uint64_t low, high;
    char mode[5];
    const char *name;  ///< the last part of the path
};

/// Calls `visit` for each mapping until it returns false.
static bool visit_mappings(pid_t pid, bool (*visit)(const struct mapping *, void *), void *argument) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps) return false;
    char *line = NULL;
    size_t size = 0;
    bool goes_on = true;
    while (goes_on && getline(&line, &size, maps) > 0) {
        struct mapping mapping;
        int end = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %*u%n", &mapping.low, &mapping.high, mapping.mode, &end) < 3) continue;
        line[strcspn(line, "\n")] = 0;
        const char *last = strrchr(line + end, '/');
        mapping.name = last ? last + 1 : "";
        goes_on = visit(&mapping, argument);
    }
    free(line);
    fclose(maps);
    return true;
}

struct stack_search {
    uint64_t address, low, high;
};

static bool look_for_stack(const struct mapping *mapping, void *argument) {
    struct stack_search *search = argument;
    if (search->address < mapping->low || search->address >= mapping->high) return true;
    if (mapping->mode[0] == 'r' && mapping->mode[1] == 'w') (search->low = mapping->low, search->high = mapping->high);
    return false;
}

bool injection_find_stack(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high) {
    struct stack_search search = {.address = address};
    visit_mappings(pid, look_for_stack, &search);
    *low = search.low;
    *high = search.high;
    return search.high != 0;
}

// The C library's code

struct code_search {
    pid_t pid;
    struct injection_code *code;
};

static bool is_of_c_library(const char *name) {
    static const char *const beginnings[] = {"libc.so", "libc-", "libpthread"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

static bool search_code(const struct mapping *mapping, void *argument) {
    // mov $15, %rax; syscall: the code to which handlers of signals return.
    static const uint8_t restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    enum { most_bytes = 64 << 20, trap = 0xcc };
    struct code_search *search = argument;
    struct injection_code *code = search->code;
    size_t size = mapping->high - mapping->low;
    if (mapping->mode[2] != 'x' || !is_of_c_library(mapping->name) || size > most_bytes) return true;
    uint8_t *bytes = malloc(size);
    if (bytes && injection_read_memory(search->pid, mapping->low, bytes, size)) {
        const uint8_t *found = memchr(bytes, trap, size);
        if (found && code->trap == 0) code->trap = mapping->low + (uint64_t)(found - bytes);
        const uint8_t *next = bytes;
        enum { room = sizeof code->restorers / sizeof *code->restorers };
        while (code->restorer_count < room && (next = memmem(next, size - (size_t)(next - bytes), restorer, sizeof restorer)))
            code->restorers[code->restorer_count++] = mapping->low + (uint64_t)(next++ - bytes);
    }
    free(bytes);
    return true;
}

bool injection_find_code(pid_t pid, struct injection_code *code) {
    *code = (struct injection_code){0};
    struct code_search search = {.pid = pid, .code = code};
    visit_mappings(pid, search_code, &search);
    return code->trap != 0 && code->restorer_count != 0;
}

bool injection_handles_signal(pid_t pid, uint64_t stack, uint64_t high, const struct injection_code *code) {
    // A handler that is further out than this is not looked for.
    enum { most_words = 1 << 16 };
    uint64_t words[most_words];
    size_t count = (high - stack) / sizeof *words < most_words ? (high - stack) / sizeof *words : most_words;
    if (!injection_read_memory(pid, stack & ~UINT64_C(7), words, count * sizeof *words)) return true;
    // The kernel puts the address to which the handler returns below the registers of the interrupted code. Such an address alone is an old
    // word. The distance is that of the registers cs, gs and fs, which share a word.
    enum { code_segment = 24, code_of_64_bits = 0x33 };
    for (size_t i = 0; i + code_segment < count; i++)
        for (size_t k = 0; k < code->restorer_count; k++)
            if (words[i] == code->restorers[k] && (words[i + code_segment] & 0xffff) == code_of_64_bits) return true;
    return false;
}
