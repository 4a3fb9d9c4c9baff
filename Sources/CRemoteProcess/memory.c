#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

size_t remote_range_count(const struct remote_process *process) { return process->range_count; }
struct remote_range remote_range_at(const struct remote_process *process, size_t index) { return process->ranges[index]; }

bool remote_has_hidden_memory(const struct remote_process *process) {
    // The kernel leaves out variables of a library that the process never wrote: a part of its file, or the zeros behind it.
    for (size_t i = 0; i < process->cut_count; i++) {
        bool is_of_library = false;
        for (size_t k = 0; k < process->module_count; k++) {
            const struct remote_module *module = &process->modules[k].shown;
            is_of_library = is_of_library || (module->low <= process->cut[i].low && process->cut[i].low <= module->high);
        }
        if (!is_of_library) return true;
    }
    return process->has_hidden_memory;
}

static bool read_whole(int file, void *into, size_t size, uint64_t offset) {
    return pread(file, into, size, (off_t)offset) == (ssize_t)size;
}

/// Reads from a module's file. A core file leaves out the pages that are equal to those of the module's file.
static bool read_module_file(struct remote_process *process, uint64_t address, void *into, size_t size) {
    for (size_t m = 0; m < process->module_count; m++) {
        struct module *module = &process->modules[m];
        if (address < module->shown.low || address >= module->shown.high || module->file < 0 || !module->elf) continue;
        size_t headers = 0;
        elf_getphdrnum(module->elf, &headers);
        uint64_t place = address - module->shown.bias;
        for (size_t i = 0; i < headers; i++) {
            GElf_Phdr header;
            if (!gelf_getphdr(module->elf, (int)i, &header) || header.p_type != PT_LOAD) continue;
            if (place >= header.p_vaddr && place - header.p_vaddr < header.p_filesz && size <= header.p_filesz - (place - header.p_vaddr))
                return read_whole(module->file, into, size, header.p_offset + (place - header.p_vaddr));
        }
    }
    return false;
}

static bool read_core(struct remote_process *process, uint64_t address, void *into, size_t size) {
    size_t low = 0, high = process->range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (process->ranges[middle].high <= address) low = middle + 1;
        else high = middle;
    }
    if (low == process->range_count || address < process->ranges[low].low) return read_module_file(process, address, into, size);
    const struct remote_range *range = &process->ranges[low];
    size_t here = range->high - address < size ? (size_t)(range->high - address) : size;
    if (!read_whole(process->core, into, here, range->offset + (address - range->low))) return false;
    return here == size || read_core(process, address + here, (char *)into + here, size - here);
}

bool remote_is_late(const struct remote_process *process) {
    if (process->deadline == 0) return false;
    return remote_now() >= process->deadline;
}

uint64_t remote_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void remote_set_limit(struct remote_process *process, uint64_t nanoseconds) {
    uint64_t now = remote_now();
    process->deadline = now + nanoseconds < now ? UINT64_MAX : now + nanoseconds;
}

uint64_t remote_read_count(const struct remote_process *process) { return process->reads; }

bool remote_read(struct remote_process *process, uint64_t address, void *into, size_t size) {
    if (address + size < address || remote_is_late(process)) return false;
    process->reads++;
    if (process->core >= 0) return read_core(process, address, into, size);
    struct iovec here = {into, size}, there = {(void *)address, size};
    return process_vm_readv(process->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

enum { span_size = 1 << 16 };

/// Reads the pieces from `first` on that lie close together, as one span, of which each page has a piece. Returns how many; 0 if they are
/// few, or if not all of the span can be read.
static size_t read_span(
    struct remote_process *process, const uint64_t *addresses, size_t first, size_t count, size_t size, char *span, char *into) {
    enum { least = 16 };
    uint64_t base = addresses[first];
    size_t end = first + 1;
    while (end < count && addresses[end] - addresses[end - 1] <= remote_page_size && addresses[end] - base <= span_size - size) end++;
    if (end - first < least || !remote_read(process, base, span, (size_t)(addresses[end - 1] - base) + size)) return 0;
    for (size_t i = first; i < end; i++) memcpy(into + i * size, span + (addresses[i] - base), size);
    return end - first;
}

void remote_read_pieces(struct remote_process *process, const uint64_t *addresses, size_t count, size_t size, void *into) {
    enum { most = 512 };
    struct iovec here[most], there[most];
    char *span = size <= span_size ? malloc(span_size) : NULL;
    memset(into, 0, count * size);
    for (size_t done = 0; done < count && !remote_is_late(process);) {
        // The kernel takes as long for a piece as for a page.
        size_t got = span ? read_span(process, addresses, done, count, size, span, into) : 0;
        if (got > 0) {
            done += got;
            continue;
        }
        size_t n = count - done < most ? count - done : most;
        if (process->core < 0) {
            for (size_t i = 0; i < n; i++) {
                here[i] = (struct iovec){(char *)into + (done + i) * size, size};
                there[i] = (struct iovec){(void *)addresses[done + i], size};
            }
            process->reads++;
            ssize_t bytes = process_vm_readv(process->pid, here, n, there, n, 0);
            got = bytes > 0 ? (size_t)bytes / size : 0;
        }
        // The call stops at a piece that cannot be read. That piece is read alone, and the next call begins after it.
        if (got < n) {
            char *piece = (char *)into + (done + got) * size;
            if (!remote_read(process, addresses[done + got], piece, size)) memset(piece, 0, size);
            got++;
        }
        done += got;
    }
    free(span);
}

// A reader

enum { slot_count = 256 };

struct slot {
    uint64_t page;
    uint64_t generation;
    char bytes[remote_page_size];
};

struct remote_reader {
    struct remote_process *process;
    /// The cache ignores slots of an earlier generation.
    uint64_t generation;
    uint64_t lent_base, lent_size;
    const char *lent;
    const uint8_t *lent_present;
    struct slot slots[slot_count];
};

struct remote_reader *remote_reader_make(struct remote_process *process) {
    struct remote_reader *reader = calloc(1, sizeof *reader);
    if (!reader) abort();
    reader->process = process;
    reader->generation = 1;
    return reader;
}

void remote_reader_free(struct remote_reader *reader) { free(reader); }

void remote_reader_forget(struct remote_reader *reader) {
    reader->generation++;
    reader->lent = NULL;
    reader->lent_size = 0;
}

void remote_reader_lend(struct remote_reader *reader, uint64_t base, const void *bytes, size_t size, const uint8_t *present) {
    reader->lent_base = base;
    reader->lent = bytes;
    reader->lent_size = size;
    reader->lent_present = present;
}

static const char *page_of(struct remote_reader *reader, uint64_t page) {
    if (page - reader->lent_base < reader->lent_size) {
        uint64_t index = (page - reader->lent_base) / remote_page_size;
        if (reader->lent_present[index / 8] >> index % 8 & 1) return reader->lent + index * remote_page_size;
    }
    struct slot *slot = &reader->slots[page / remote_page_size % slot_count];
    if (slot->page == page && slot->generation == reader->generation) return slot->bytes;
    slot->generation = 0;
    if (!remote_read(reader->process, page, slot->bytes, remote_page_size)) return NULL;
    slot->page = page;
    slot->generation = reader->generation;
    return slot->bytes;
}

bool remote_reader_read(struct remote_reader *reader, uint64_t address, void *into, size_t size) {
    if (address + size < address) return false;
    while (size > 0) {
        uint64_t page = address & ~(uint64_t)(remote_page_size - 1);
        size_t offset = (size_t)(address - page), here = remote_page_size - offset < size ? remote_page_size - offset : size;
        const char *bytes = page_of(reader, page);
        // A core file may contain only a part of a page.
        if (!bytes) return remote_read(reader->process, address, into, size);
        memcpy(into, bytes + offset, here);
        address += here;
        into = (char *)into + here;
        size -= here;
    }
    return true;
}
