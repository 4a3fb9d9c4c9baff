#ifndef HOPSCOPE_REMOTE_PROCESS_INTERNAL_H
#define HOPSCOPE_REMOTE_PROCESS_INTERNAL_H

#include "CRemoteProcess.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

struct module {
    struct remote_module shown;
    Dwfl_Module *dwfl;
    Elf *elf;
    int file;
    char path[4096];
    char name[256];
};

struct core_thread {
    pid_t id;
    struct remote_registers registers;
};

/// The progress of the unwinder in one stack. It begins again each time that a frame's caller is found in another way.
struct unwinding {
    /// The registers of the outermost frame so far, as far as they are known.
    struct remote_registers outermost;
    /// The first frame of this run: where the thread is, a frame that is in the list already, or the caller of the list's last frame.
    enum { first_is_exact, first_is_known, first_is_caller } first;
    /// Whether the outermost frame's function has no rules for the unwinder.
    bool lacks_rules;
};

struct remote_process {
    pid_t pid;
    /// The descriptor of the core file. -1 for a running process.
    int core;
    Elf *core_elf;
    int pagemap;
    /// Whether the kernel cannot list the pages that exist.
    bool lacks_page_scan;
    /// The mappings without a page, if they are known.
    struct remote_range *empty;
    size_t empty_count;
    bool knows_empty;
    /// The monotonic time in nanoseconds from which on nothing is read; 0 for none.
    uint64_t deadline;
    uint64_t reads, lookups;
    struct remote_range *ranges;
    size_t range_count;
    bool has_hidden_memory;
    /// The writable stretches that a core file lacks.
    struct remote_range *cut;
    size_t cut_count;
    struct module *modules;
    size_t module_count, module_room;
    struct core_thread *threads;
    size_t thread_count;
    /// The signal that ended the process; 0 if the core file names none.
    int signal;
    Dwfl *dwfl;
    bool is_attached;
    /// The thread whose stack is being unwound.
    pid_t unwound;
    const struct remote_registers *registers;
    struct remote_frame *frames;
    size_t frame_count, frame_room;
    struct unwinding unwinding;
};

/// Makes room for one more element of a list. False if memory is short.
bool remote_make_room(void **list, size_t count, size_t *room, size_t size);

/// The monotonic time in nanoseconds.
uint64_t remote_now(void);

struct remote_process *remote_make_process(const Dwfl_Callbacks *callbacks);

int remote_find_no_debug_information(
    Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link, GElf_Word checksum,
    char **path);

/// The kernel's line about the system call in which a thread waits.
struct call_line {
    char text[512];
};

/// Reads the line of a thread of a running process.
bool remote_read_call_line(struct remote_process *process, pid_t thread, struct call_line *line);

/// Adds the modules that elfutils has reported.
bool remote_add_modules(struct remote_process *process);

#endif
