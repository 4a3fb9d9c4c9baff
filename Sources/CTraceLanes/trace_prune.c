// Removes regions that ended processes have left, so that a program that crashes again and again does not fill its file system.

#define _GNU_SOURCE
#include "trace_region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// A region of an ended process.
typedef struct leftover {
    char name[TRACE_NAME_ROOM];
    uint64_t start;  ///< nanoseconds since 1970
    uint64_t bytes;
    ino_t inode;
} leftover;

/// Whether the region's process has ended. False where that cannot be known.
static bool has_ended(const trace_header *header) {
    static const uint8_t unknown[16];
    uint8_t boot[16];
    trace_boot(boot);
    if (memcmp(boot, unknown, sizeof boot) == 0 || memcmp(header->boot, unknown, sizeof boot) == 0) return false;
    if (memcmp(boot, header->boot, sizeof boot) != 0) return true;
    if (header->process_start == 0 || header->pid_namespace != trace_process_namespace()) return false;
    // Without /proc, no process can be found.
    return trace_process_start(header->pid) != header->process_start && trace_process_start((uint32_t)getpid()) != 0;
}

/// False if the file is no region, or its process may still run.
static bool read_leftover(int directory, const char *name, leftover *found) {
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    trace_header header;
    struct stat status;
    bool is_ended = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid()
        && pread(file, &header, sizeof header, 0) == sizeof header && memcmp(header.magic, "HOPLANES", sizeof header.magic) == 0
        && has_ended(&header);
    close(file);
    if (!is_ended) return false;
    *found = (leftover){.start = header.start_realtime_ns, .bytes = (uint64_t)status.st_blocks * 512, .inode = status.st_ino};
    snprintf(found->name, sizeof found->name, "%s", name);
    return true;
}

static void remove_leftover(int directory, const leftover *old) {
    struct stat status;
    if (fstatat(directory, old->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_ino == old->inode) unlinkat(directory, old->name, 0);
}

static bool is_published_name(const char *name) {
    static const char suffix[] = ".hoplanes";
    size_t length = strlen(name);
    return *name != '.' && length < TRACE_NAME_ROOM && length >= sizeof suffix && strcmp(name + length - sizeof suffix + 1, suffix) == 0;
}

void trace_prune(int directory) {
    // The latest ones first, and one place for the next.
    leftover kept[TRACE_KEPT_REGIONS + 1];
    size_t published = 0, count = 0;
    // A descriptor of its own, because reading a directory moves the position of its open file description.
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (stream == NULL) {
        if (copy >= 0) close(copy);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) published += is_published_name(entry->d_name);
    // Nearly always there is nothing to do, and no file is opened.
    if (published > TRACE_KEPT_REGIONS) {
        rewinddir(stream);
        for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
            leftover next;
            if (!is_published_name(entry->d_name) || !read_leftover(directory, entry->d_name, &next)) continue;
            size_t place = count++;
            for (; place > 0 && kept[place - 1].start < next.start; place--) kept[place] = kept[place - 1];
            kept[place] = next;
            if (count > TRACE_KEPT_REGIONS) remove_leftover(directory, &kept[--count]);
        }
        uint64_t bytes = 0;
        for (size_t i = 0; i < count; i++) {
            bytes += kept[i].bytes;
            if (bytes > TRACE_KEPT_BYTES) remove_leftover(directory, &kept[i]);
        }
    }
    closedir(stream);
}
