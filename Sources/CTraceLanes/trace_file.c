// Regions in files. A file is made without a name, its disk space is reserved before it is written, and a name publishes it.

#define _GNU_SOURCE
#include "trace_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/// The number of names tried for one process and program. Files of ended processes with the same id may occupy some names.
enum { NAME_ATTEMPTS = 99 };

// MARK: - Disk space

/// Reserves space by writing zeros, for file systems without fallocate.
static bool write_zeros(int file, uint64_t offset, uint64_t length) {
    static const char zeros[4096];
    while (length > 0) {
        ssize_t written = pwrite(file, zeros, length < sizeof zeros ? length : sizeof zeros, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        offset += (uint64_t)written;
        length -= (uint64_t)written;
    }
    return true;
}

bool trace_holds_file(const trace_region *region) {
    struct stat status;
    return fstat(region->file, &status) == 0 && status.st_dev == region->device && status.st_ino == region->inode;
}

bool trace_reserve(const trace_region *region, void *address, uint64_t offset, uint64_t length) {
    if (region->file < 0) return true;
    if (!trace_holds_file(region)) return false;
    int result;
    do result = fallocate(region->file, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
        // A seccomp filter can refuse the call with EPERM. A file that may not be written refuses the zeros too.
        if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM) return false;
        if (!write_zeros(region->file, offset, length)) return false;
    }
    // Fault all pages in at once. Otherwise a thread takes the page faults one by one while it emits.
    if ((uintptr_t)address % trace_page_size() == 0) madvise(address, length, MADV_POPULATE_WRITE);
    return true;
}

// MARK: - Size

/// True if the process may have a file of that size; sets errno if not. Beyond RLIMIT_FSIZE, ftruncate raises SIGXFSZ, which ends the
/// program.
static bool may_have_size(uint64_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    errno = EFBIG;
    return limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

static bool set_size(const trace_region *region, uint64_t size) {
    if (!may_have_size(size)) return false;
    int result;
    do result = ftruncate(region->file, (off_t)size);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/// At the first access to a page of a mapped file the kernel also reads the pages around it. These are empty here, and a disk's file system
/// would fill them with zeros: milliseconds at the program's start.
static void read_nothing_ahead(void *mapped, uint64_t length) {
    madvise(mapped, length, MADV_RANDOM);
}

trace_record *trace_map_lanes(trace_region *region, uint32_t first) {
    trace_header *header = region->header;
    uint64_t offset = trace_ring_offset(header, first);
    uint64_t size = trace_ring_offset(header, first + trace_lanes_of_step(header));
    bool is_file = region->file >= 0;
    if (is_file && (!trace_holds_file(region) || !set_size(region, size))) return NULL;
    int flags = is_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *mapped = mmap(NULL, size - offset, PROT_READ | PROT_WRITE, flags, region->file, is_file ? (off_t)offset : 0);
    if (mapped == MAP_FAILED) return NULL;
    if (is_file) read_nothing_ahead(mapped, size - offset);
    __atomic_store_n(&header->region_size, size, __ATOMIC_RELEASE);
    __atomic_store_n(&region->shared->region_size, size, __ATOMIC_RELEASE);
    return mapped;
}

// MARK: - Names

/// The program's name without characters that are special in a shell, a terminal or a path.
static void plain_name(const char *program, char *out, size_t room) {
    size_t length = 0;
    for (const char *next = program; *next != 0 && length + 1 < room; next++) {
        char c = *next;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        out[length] = is_plain || (c == '.' && length > 0) ? c : '_';
        length++;
    }
    out[length] = 0;
}

/// Sets the region's name for the given attempt.
static void name_region(trace_region *region, const trace_header *header, int attempt) {
    char program[65];
    plain_name(header->program, program, sizeof program);
    if (attempt == 1) snprintf(region->stem, sizeof region->stem, "%u-%s", header->pid, program);
    else snprintf(region->stem, sizeof region->stem, "%u-%s.%d", header->pid, program, attempt);
    snprintf(region->name, sizeof region->name, "%.*s.hoplanes", (int)sizeof region->name - 12, region->stem);
}

static void hidden_name(const trace_region *region, char out[TRACE_NAME_ROOM + 1]) {
    snprintf(out, TRACE_NAME_ROOM + 1, ".%s", region->name);
}

static bool is_there(int directory, const char *name) {
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/// Creates a file without a name, or one with a hidden name if the file system has no files without names.
static bool create_file(trace_region *region, const trace_header *header) {
    name_region(region, header, 1);
    // Without /proc/self/fd, a nameless file could not be named later.
    if (access("/proc/self/fd", X_OK) == 0) region->file = openat(region->directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    region->is_nameless = region->file >= 0;
    if (region->is_nameless) return true;
    for (int attempt = 1; attempt <= NAME_ATTEMPTS; attempt++) {
        char hidden[TRACE_NAME_ROOM + 1];
        name_region(region, header, attempt);
        hidden_name(region, hidden);
        if (is_there(region->directory, region->name)) continue;
        region->file = openat(region->directory, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (region->file >= 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

// MARK: - Making

static bool map_file(trace_region *region, trace_header *header) {
    struct stat status;
    // The process's umask may have removed bits from the mode.
    if (fchmod(region->file, 0600) != 0 || fstat(region->file, &status) != 0) return false;
    region->device = status.st_dev;
    region->inode = status.st_ino;
    while (!may_have_size(trace_layout_full_size(header)) && trace_layout_shrink(header)) {}
    if (!set_size(region, header->region_size)) return false;
    uint8_t *base = mmap(NULL, header->region_size, PROT_READ | PROT_WRITE, MAP_SHARED, region->file, 0);
    if (base == MAP_FAILED) return false;
    read_nothing_ahead(base, header->region_size);
    region->base = base;
    region->size = header->region_size;
    // Reserve the region's header. Lane headers, the table and the rings are reserved as they are used.
    return trace_reserve(region, base, 0, header->lane_headers_offset);
}

trace_region *trace_region_create_file(const trace_region_options *options, int directory, trace_problem *problem) {
    trace_region *region = trace_region_allocate();
    if (region == NULL) {
        trace_explain(problem, "There is no memory for recording.");
        return NULL;
    }
    trace_header header = trace_region_layout(options);
    region->directory = fcntl(directory, F_DUPFD_CLOEXEC, 3);
    if (trace_layout_fit(&header) && region->directory >= 0 && create_file(region, &header) && map_file(region, &header)
        && trace_region_begin(region, &header, options)) {
        trace_watch_file(region);
        return region;
    }
    int error = errno;
    trace_explain(problem, "The file for recording could not be made: %s.", strerror(error));
    trace_region_close(region);
    trace_region_free(region);
    errno = error;
    return NULL;
}

void trace_region_close(trace_region *region) {
    if (region->file >= 0 && !region->is_nameless && region->pid == getpid()) {
        char hidden[TRACE_NAME_ROOM + 1];
        hidden_name(region, hidden);
        unlinkat(region->directory, region->is_published ? region->name : hidden, 0);
    }
    if (region->file >= 0) close(region->file);
    if (region->directory >= 0) close(region->directory);
    region->file = region->directory = -1;
}

// MARK: - Publishing

/// Renames a file within the directory and never replaces another file. Returns 0 or an error number.
static int rename_in(int directory, const char *from, const char *to) {
    if (renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (linkat(directory, from, directory, to, 0) != 0) return errno;
    unlinkat(directory, from, 0);
    return 0;
}

/// Gives a nameless file its first name. Returns 0 or an error number.
static int give_name(trace_region *region) {
    char path[32], hidden[TRACE_NAME_ROOM + 1];
    int error = EEXIST;
    snprintf(path, sizeof path, "/proc/self/fd/%d", region->file);
    for (int attempt = 1; attempt <= NAME_ATTEMPTS && error == EEXIST; attempt++) {
        name_region(region, region->header, attempt);
        hidden_name(region, hidden);
        if (is_there(region->directory, hidden)) continue;
        error = linkat(AT_FDCWD, path, region->directory, region->name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    return error;
}

bool trace_region_publish(trace_region *region, trace_problem *problem) {
    char hidden[TRACE_NAME_ROOM + 1];
    int error = 0;
    pthread_mutex_lock(&region->lane_lock);
    if (region->file < 0) {
        error = EBADF;
    } else if (!region->is_published) {
        hidden_name(region, hidden);
        error = region->is_nameless ? give_name(region) : rename_in(region->directory, hidden, region->name);
        region->is_published = error == 0;
        region->is_nameless = region->is_nameless && error != 0;
        if (error == 0) __atomic_store_n(&region->shared->is_withdrawn, 0, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&region->lane_lock);
    if (error == EBADF) trace_explain(problem, "What is recorded lies in memory alone and cannot be published.");
    else if (error != 0) trace_explain(problem, "The file for recording could not be published as %s: %s.", region->name, strerror(error));
    return error == 0;
}

void trace_region_withdraw(trace_region *region) {
    char hidden[TRACE_NAME_ROOM + 1];
    pthread_mutex_lock(&region->lane_lock);
    if (region->file >= 0 && region->is_published && region->pid == getpid()) {
        hidden_name(region, hidden);
        __atomic_store_n(&region->shared->is_withdrawn, 1, __ATOMIC_RELEASE);
        region->is_published = rename_in(region->directory, region->name, hidden) != 0;
    }
    pthread_mutex_unlock(&region->lane_lock);
}

const char *trace_region_name(const trace_region *region) {
    return region->name;
}

void trace_region_set_flight(trace_region *region, trace_flight flight) {
    region->header->flight = flight;
    __atomic_store_n(&region->shared->flight, flight, __ATOMIC_RELEASE);
}

void trace_region_set_holding(trace_region *region, bool holds_jobs) {
    region->header->holds_jobs = holds_jobs;
    __atomic_store_n(&region->shared->holds_jobs, holds_jobs, __ATOMIC_RELEASE);
}

bool trace_region_is_holding(const trace_region *region) {
    return __atomic_load_n(&region->shared->holds_jobs, __ATOMIC_ACQUIRE) != 0;
}
