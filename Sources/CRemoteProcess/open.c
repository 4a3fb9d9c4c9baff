#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pid_t remote_pid(const struct remote_process *process) { return process->pid; }

struct remote_process *remote_make_process(const Dwfl_Callbacks *callbacks) {
    struct remote_process *process = calloc(1, sizeof *process);
    if (!process) abort();
    elf_version(EV_CURRENT);
    process->core = process->pagemap = -1;
    process->dwfl = dwfl_begin(callbacks);
    if (!process->dwfl) abort();
    return process;
}

void remote_close(struct remote_process *process) {
    dwfl_end(process->dwfl);
    for (size_t i = 0; i < process->module_count; i++)
        if (process->modules[i].file >= 0) close(process->modules[i].file);
    if (process->core_elf) elf_end(process->core_elf);
    if (process->core >= 0) close(process->core);
    if (process->pagemap >= 0) close(process->pagemap);
    free(process->modules);
    free(process->ranges);
    free(process->empty);
    free(process->cut);
    free(process->threads);
    free(process);
}

/// The symbolizer reads separate files of debug information. Without this function, elfutils might ask servers for them.
int remote_find_no_debug_information(
    Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link, GElf_Word checksum,
    char **path) {
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)path;
    return -1;
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf) {
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

/// A line of /proc/PID/maps.
struct mapping {
    uint64_t low, high, offset, inode;
    unsigned major, minor;
    char mode[5];
    const char *path;
    bool is_deleted;
};

/// The beginning of a mapped file. It becomes a module once one of the file's mappings after it has code. Without code it is data: a program
/// may map a library, and even its own runtime, to read it.
struct beginning {
    struct mapping mapping;
    char path[4096];
    bool is_open;
};

/// Opens the mapped file itself, not a file that has replaced it, and not a file of the same name in this mount namespace.
static int open_mapped(pid_t pid, const struct mapping *mapping, char *path, size_t room) {
    char names[3][4200];
    snprintf(names[0], sizeof names[0], "%s", mapping->path);
    snprintf(names[1], sizeof names[1], "/proc/%d/root%s", pid, mapping->path);
    snprintf(names[2], sizeof names[2], "/proc/%d/exe", pid);
    // On a layered file system, /proc/PID/maps may show a different inode number than stat. The name in the process's own root then
    // decides.
    for (int needs_number = 1; needs_number >= 0; needs_number--) {
        for (int i = needs_number ? 0 : 1; i < (needs_number ? 3 : 2); i++) {
            struct stat status;
            // `O_NONBLOCK`: opening a pipe of that name must not block.
            int file = mapping->is_deleted && i < 2 ? -1 : open(names[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
            if (file < 0) continue;
            if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && (!needs_number || status.st_ino == mapping->inode)) {
                snprintf(path, room, "%s", names[i]);
                return file;
            }
            close(file);
        }
    }
    return -1;
}

static void report_module(struct remote_process *process, const struct mapping *mapping) {
    char path[4200], magic[4];
    int file = open_mapped(process->pid, mapping, path, sizeof path);
    if (file < 0) return;
    bool is_elf = pread(file, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
    // The library closes the file, unless the call fails.
    if (!is_elf || !dwfl_report_elf(process->dwfl, mapping->path, path, file, mapping->low, false)) close(file);
}

/// Looks for the code of a file that begins at an earlier mapping.
static void look_for_code(struct remote_process *process, struct beginning *beginning, const struct mapping *mapping) {
    const struct mapping *first = &beginning->mapping;
    if (*mapping->path != '/') return;
    if (mapping->offset == 0) {
        beginning->mapping = *mapping;
        snprintf(beginning->path, sizeof beginning->path, "%s", mapping->path);
        beginning->mapping.path = beginning->path;
        beginning->is_open = true;
    }
    bool is_same = first->inode == mapping->inode && first->major == mapping->major && first->minor == mapping->minor;
    if (!beginning->is_open || !is_same || mapping->mode[2] != 'x') return;
    report_module(process, first);
    beginning->is_open = false;
}

static bool is_scanned(const struct mapping *mapping) {
    return mapping->mode[0] == 'r' && mapping->mode[1] == 'w' && strncmp(mapping->path, "[v", 2) != 0
        && strncmp(mapping->path, "/dev/", 5) != 0;
}

/// Whether other programs or the kernel may keep pointers in a mapping that is not scanned.
static bool is_hidden(const struct mapping *mapping) {
    return mapping->mode[1] == 'w' && strncmp(mapping->path, "[v", 2) != 0
        && (!is_scanned(mapping) || strstr(mapping->path, "io_uring") != NULL);
}

static enum remote_problem read_maps(struct remote_process *process) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/maps", process->pid);
    FILE *maps = fopen(name, "re");
    if (!maps) return errno == EACCES || errno == EPERM ? remote_refused : remote_missing;
    char *line = NULL;
    size_t size = 0, room = 0;
    bool is_empty = true, has_memory = true;
    struct beginning beginning = {0};
    while (has_memory && getline(&line, &size, maps) > 0) {
        struct mapping mapping = {0};
        int end = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &mapping.low, &mapping.high, mapping.mode,
                &mapping.offset, &mapping.major, &mapping.minor, &mapping.inode, &end) < 7)
            continue;
        is_empty = false;
        char *path = line + end;
        while (*path == ' ') path++;
        path[strcspn(path, "\n")] = 0;
        mapping.path = path;
        if (is_scanned(&mapping)) {
            has_memory = remote_make_room((void **)&process->ranges, process->range_count, &room, sizeof(struct remote_range));
            if (has_memory) process->ranges[process->range_count++] = (struct remote_range){mapping.low, mapping.high, 0};
        }
        process->has_hidden_memory = process->has_hidden_memory || is_hidden(&mapping);
        static const char deleted[] = " (deleted)";
        size_t length = strlen(path);
        mapping.is_deleted = length > sizeof deleted && strcmp(path + length - (sizeof deleted - 1), deleted) == 0;
        if (mapping.is_deleted) path[length - (sizeof deleted - 1)] = 0;
        look_for_code(process, &beginning, &mapping);
    }
    free(line);
    fclose(maps);
    return is_empty ? remote_no_memory : remote_fine;
}

void remote_renew_ranges(struct remote_process *process) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/maps", process->pid);
    FILE *maps = process->core < 0 ? fopen(name, "re") : NULL;
    if (!maps) return;
    char *line = NULL;
    size_t size = 0, room = process->range_count;
    process->range_count = process->empty_count = 0;
    process->knows_empty = process->has_hidden_memory = false;
    free(process->empty);
    process->empty = NULL;
    while (getline(&line, &size, maps) > 0) {
        struct mapping mapping = {0};
        int end = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %*u%n", &mapping.low, &mapping.high, mapping.mode, &end) < 3) continue;
        mapping.path = line + end + strspn(line + end, " ");
        process->has_hidden_memory = process->has_hidden_memory || is_hidden(&mapping);
        if (!is_scanned(&mapping)) continue;
        if (!remote_make_room((void **)&process->ranges, process->range_count, &room, sizeof(struct remote_range))) break;
        process->ranges[process->range_count++] = (struct remote_range){mapping.low, mapping.high, 0};
    }
    free(line);
    fclose(maps);
}

struct remote_process *remote_open_process(pid_t pid, enum remote_problem *problem) {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = find_no_file, .find_debuginfo = remote_find_no_debug_information};
    struct remote_process *process = remote_make_process(&callbacks);
    process->pid = pid;
    *problem = read_maps(process);
    uint64_t word;
    if (*problem == remote_fine && process->range_count == 0) *problem = remote_no_memory;
    if (*problem == remote_fine && !remote_read(process, process->ranges[0].low, &word, sizeof word))
        *problem = errno == ESRCH ? remote_missing : errno == EPERM || errno == ENOSYS ? remote_refused : remote_fine;
    if (*problem != remote_fine || !remote_add_modules(process)) {
        if (*problem == remote_fine) *problem = remote_missing;
        remote_close(process);
        return NULL;
    }
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/pagemap", pid);
    process->pagemap = open(name, O_RDONLY | O_CLOEXEC);
    return process;
}
