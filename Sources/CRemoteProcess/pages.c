#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

// The pages that exist. A program may reserve far more memory than any machine has: the sanitizers reserve 14 TiB, and a core file may have
// holes.

/// The request of Linux 6.7 for the pages of a kind. Older headers lack it.
struct page_scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages, inverted, all_of, any_of, returned;
};
struct page_region {
    uint64_t start, end, kinds;
};
#define SCAN_PAGES _IOWR('f', 16, struct page_scan)
enum { page_is_present = 1 << 3, page_is_swapped = 1 << 4 };

void remote_forgo_page_scan(struct remote_process *process) { process->lacks_page_scan = true; }

/// The first page that exists at or after `low`, by the kernel's page tables. False if the kernel does not know the request.
static bool scan_pages(struct remote_process *process, uint64_t low, uint64_t high, uint64_t *next) {
    if (process->pagemap < 0 || process->lacks_page_scan) return false;
    struct page_region region = {0};
    struct page_scan scan = {
        .size = sizeof scan, .start = low, .end = high, .regions = (uint64_t)(uintptr_t)&region, .region_count = 1, .most_pages = 1,
        .any_of = page_is_present | page_is_swapped, .returned = page_is_present | page_is_swapped};
    int found = ioctl(process->pagemap, SCAN_PAGES, &scan);
    if (found < 0) {
        process->lacks_page_scan = errno == ENOTTY || errno == EINVAL;
        return false;
    }
    *next = found == 0 ? high : region.start;
    return true;
}

/// Finds the mappings without a page, which an older kernel tells in /proc/PID/smaps.
static void find_empty_mappings(struct remote_process *process) {
    process->knows_empty = true;
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/smaps", process->pid);
    FILE *file = fopen(name, "re");
    if (!file) return;
    char *line = NULL;
    size_t size = 0, room = 0;
    struct remote_range mapping = {0};
    uint64_t kibibytes = 0, resident = 1;
    while (!remote_is_late(process) && getline(&line, &size, file) > 0) {
        uint64_t low, high;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &low, &high) == 2) {
            mapping = (struct remote_range){low, high, 0};
        } else if (sscanf(line, "Rss: %" SCNu64, &kibibytes) == 1) {
            resident = kibibytes;
        } else if (sscanf(line, "Swap: %" SCNu64, &kibibytes) == 1 && resident + kibibytes == 0) {
            if (!remote_make_room((void **)&process->empty, process->empty_count, &room, sizeof mapping)) break;
            process->empty[process->empty_count++] = mapping;
        }
    }
    free(line);
    fclose(file);
}

/// The first page that exists at or after `low`, by one number for each page.
static uint64_t look_up_pages(struct remote_process *process, uint64_t low, uint64_t high) {
    enum { most = 1 << 16, exists = 62 };
    if (process->pagemap < 0) return low;
    if (!process->knows_empty) find_empty_mappings(process);
    for (size_t i = 0; i < process->empty_count; i++)
        if (process->empty[i].low <= low && low < process->empty[i].high) low = process->empty[i].high;
    uint64_t *map = malloc(most * sizeof *map);
    if (!map) return low;
    while (low < high && !remote_is_late(process)) {
        size_t pages = (size_t)((high - low) / remote_page_size), n = pages < most ? pages : most;
        ssize_t bytes = pread(process->pagemap, map, n * sizeof *map, (off_t)(low / remote_page_size * sizeof *map));
        size_t i = 0, known = bytes > 0 ? (size_t)bytes / sizeof *map : 0;
        while (i < known && !(map[i] >> exists)) i++;
        low += i * remote_page_size;
        if (i < known || known == 0) break;
    }
    free(map);
    return low < high ? low : high;
}

/// The range of a core file that contains an address, or NULL.
static const struct remote_range *core_range(const struct remote_process *process, uint64_t address) {
    for (size_t low = 0, high = process->range_count; low < high;) {
        const struct remote_range *middle = &process->ranges[(low + high) / 2];
        if (middle->high <= address) low = (low + high) / 2 + 1;
        else if (middle->low > address) high = (low + high) / 2;
        else return middle;
    }
    return NULL;
}

/// The first address at or after `low` whose page the core file holds and does not leave out as a hole.
static uint64_t find_data(struct remote_process *process, uint64_t low, uint64_t high) {
    const struct remote_range *range = core_range(process, low);
    if (!range) return low;
    off_t from = (off_t)(range->offset + (low - range->low)), data = lseek(process->core, from, SEEK_DATA);
    if (data < 0) return errno == ENXIO ? high : low;
    uint64_t skipped = (uint64_t)(data - from) / remote_page_size * remote_page_size;
    return skipped < high - low ? low + skipped : high;
}

uint64_t remote_next_present(struct remote_process *process, uint64_t low, uint64_t high) {
    uint64_t next;
    if (low >= high || remote_is_late(process)) return high;
    process->lookups++;
    if (process->core >= 0) return find_data(process, low, high);
    return scan_pages(process, low, high, &next) ? next : look_up_pages(process, low, high);
}

uint64_t remote_lookup_count(const struct remote_process *process) { return process->lookups; }

/// Reads pages that follow each other. Returns their number, which is smaller if one cannot be read.
static size_t read_run(struct remote_process *process, uint64_t address, void *into, size_t pages) {
    size_t size = pages * remote_page_size;
    if (process->core >= 0) return remote_read(process, address, into, size) ? pages : 0;
    struct iovec here = {into, size}, there = {(void *)address, size};
    process->reads++;
    ssize_t bytes = process_vm_readv(process->pid, &here, 1, &there, 1, 0);
    return bytes > 0 ? (size_t)bytes / remote_page_size : 0;
}

/// Reads the existing pages, one after the other or each at its distance from `low`.
static size_t read_pages(
    struct remote_process *process, uint64_t low, uint64_t high, void *into, uint8_t *present, bool is_packed) {
    enum { most = 512, exists = 62 };
    size_t pages = (size_t)((high - low) / remote_page_size), count = 0;
    uint64_t map[most];
    memset(present, 0, (pages + 7) / 8);
    if (process->core >= 0 && remote_next_present(process, low, high) == high) return 0;
    for (size_t start = 0; start < pages && !remote_is_late(process);) {
        size_t n = pages - start < most ? pages - start : most;
        process->lookups++;
        // Bit 63 of an entry says that the page is in memory, bit 62 that it is swapped out.
        bool is_known = process->pagemap >= 0
            && pread(process->pagemap, map, n * 8, (off_t)((low / remote_page_size + start) * 8)) == (ssize_t)(n * 8);
        for (size_t i = 0; i < n;) {
            size_t run = 0;
            while (i + run < n && (!is_known || map[i + run] >> exists)) run++;
            if (run == 0) {
                i++;
                continue;
            }
            char *place = (char *)into + (is_packed ? count : start + i) * remote_page_size;
            size_t got = read_run(process, low + (start + i) * remote_page_size, place, run);
            for (size_t page = start + i; page < start + i + got; page++) present[page / 8] |= (uint8_t)(1 << page % 8);
            count += got;
            // A page that vanished meanwhile is left out.
            i += got < run ? got + 1 : run;
        }
        start += n;
    }
    return count;
}

size_t remote_read_present(struct remote_process *process, uint64_t low, uint64_t high, void *into, uint8_t *present) {
    return read_pages(process, low, high, into, present, false);
}

size_t remote_read_packed(struct remote_process *process, uint64_t low, uint64_t high, void *into, uint8_t *present) {
    return read_pages(process, low, high, into, present, true);
}
