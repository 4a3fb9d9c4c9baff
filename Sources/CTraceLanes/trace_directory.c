// The directories for regions, and the identity of a process.

#define _GNU_SOURCE
#include "trace_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int trace_explain(trace_problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->sentence, sizeof problem->sentence, format, arguments);
    va_end(arguments);
    return -1;
}

// MARK: - Directories

/// True if the path leads to a directory that the user owns.
static bool is_own(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

bool trace_directory_path(trace_directory which, char *path, size_t room) {
    const char *asked;
    int length = -1;
    switch (which) {
    case TRACE_DIRECTORY_ASKED:
        asked = trace_environment_directory();
        if (asked != NULL) length = snprintf(path, room, "%s", asked);
        break;
    case TRACE_DIRECTORY_RUNTIME:
        asked = secure_getenv("XDG_RUNTIME_DIR");
        // After su, the variable may still name another user's directory.
        if (asked != NULL && *asked == '/' && is_own(asked)) length = snprintf(path, room, "%s/hopscope", asked);
        break;
    case TRACE_DIRECTORY_TEMPORARY:
        asked = secure_getenv("TMPDIR");
        if (asked == NULL || *asked != '/') asked = "/tmp";
        length = snprintf(path, room, "%s/hopscope-%u", asked, geteuid());
        break;
    }
    return length >= 0 && (size_t)length < room;
}

static int refuse(int descriptor, int error) {
    if (descriptor >= 0) close(descriptor);
    errno = error;
    return -1;
}

int trace_directory_open(const char *path, bool make, trace_problem *problem) {
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST) {
        int error = errno;
        trace_explain(problem, "The directory %s could not be made: %s.", path, strerror(error));
        return refuse(-1, error);
    }
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        int error = errno;
        struct stat status;
        if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
            trace_explain(
                problem, "%s is a symbolic link, which another user may have made; remove it, or let HOPSCOPE name another directory.",
                path);
            error = ELOOP;
        } else {
            trace_explain(problem, "The directory %s could not be opened: %s.", path, strerror(error));
        }
        return refuse(-1, error);
    }
    struct stat status;
    if (fstat(descriptor, &status) != 0) return refuse(descriptor, errno);
    if (status.st_uid != geteuid()) {
        trace_explain(
            problem, "The directory %s belongs to the user with id %u and not to you; remove it, or let HOPSCOPE name another.", path,
            status.st_uid);
        return refuse(descriptor, EPERM);
    }
    if ((status.st_mode & 0077) != 0) {
        trace_explain(
            problem, "The directory %s is open to other users (its mode is %04o); chmod 700 makes it yours alone.", path,
            status.st_mode & 07777);
        return refuse(descriptor, EPERM);
    }
    return descriptor;
}

int trace_directory_open_own(char *path, size_t room, trace_problem *problem) {
    trace_explain(problem, "There is no directory to record into; let HOPSCOPE name one.");
    if (trace_directory_path(TRACE_DIRECTORY_ASKED, path, room)) return trace_directory_open(path, true, problem);
    if (trace_directory_path(TRACE_DIRECTORY_RUNTIME, path, room)) {
        int descriptor = trace_directory_open(path, true, problem);
        // If the runtime directory is read-only, the next directory is tried. An unsafe directory is an error instead.
        if (descriptor >= 0 || errno == EPERM || errno == ELOOP) return descriptor;
    }
    return trace_directory_path(TRACE_DIRECTORY_TEMPORARY, path, room) ? trace_directory_open(path, true, problem) : -1;
}

// MARK: - Processes

/// Reads the beginning of a file in /proc. Returns the number of bytes read, 0 if the file is missing.
static size_t read_start(const char *path, char *out, size_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length;
    do length = read(file, out, room - 1);
    while (length < 0 && errno == EINTR);
    close(file);
    if (length < 0) length = 0;
    out[length] = 0;
    return (size_t)length;
}

uint64_t trace_process_start(uint32_t pid) {
    char path[48], text[1024];
    // The first thread starts with its process. qemu's user mode shows a process another time in its own /proc/PID/stat, and not in this file.
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, pid);
    if (read_start(path, text, sizeof text) == 0) return 0;
    // The second field is the name in parentheses, which may contain any character; the start time is the 22nd field.
    char *next = strrchr(text, ')');
    if (next == NULL) return 0;
    // A zombie counts as ended.
    if (next[1] == ' ' && (next[2] == 'Z' || next[2] == 'X')) return 0;
    for (int field = 2; field < 22; field++) {
        next = strchr(next + 1, ' ');
        if (next == NULL) return 0;
    }
    return strtoull(next + 1, NULL, 10);
}

uint64_t trace_address_space(void) {
    char text[64];
    return read_start("/proc/self/statm", text, sizeof text) == 0 ? 0 : strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t trace_process_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

void trace_boot(uint8_t boot[16]) {
    char text[64];
    memset(boot, 0, 16);
    size_t length = read_start("/proc/sys/kernel/random/boot_id", text, sizeof text), digits = 0;
    for (size_t index = 0; index < length && digits < 32; index++) {
        char c = text[index];
        int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (value < 0) continue;
        boot[digits / 2] = (uint8_t)(boot[digits / 2] << 4 | value);
        digits++;
    }
}
