#ifndef HOPSCOPE_REMOTE_PROCESS_H
#define HOPSCOPE_REMOTE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The memory, the modules and the stacks of another process, or of a core file.
///
/// A process is read with `process_vm_readv` while it runs. Nothing here stops it or writes to it. Only `remote_stack` needs elfutils'
/// unwinder.
struct remote_process;

enum remote_problem {
    remote_fine,
    /// There is no such process or file.
    remote_missing,
    /// The process has no memory of its own. It is a thread of the kernel, or it is ending.
    remote_no_memory,
    /// The kernel refuses to let this process read the other.
    remote_refused,
    /// The file is not a core file.
    remote_not_a_core,
};

/// Opens a process. `*problem` says why the result is NULL.
struct remote_process *remote_open_process(pid_t pid, enum remote_problem *problem);

/// Opens a core file. `program` is the executable that crashed.
struct remote_process *remote_open_core(const char *core, const char *program, enum remote_problem *problem);

void remote_close(struct remote_process *process);

/// The number of the process. 0 for a core file that does not tell.
pid_t remote_pid(const struct remote_process *process);

/// Sets a limit to the time that the process is read, from now on. Later, every read fails, and `remote_is_late` is true.
void remote_set_limit(struct remote_process *process, uint64_t nanoseconds);
bool remote_is_late(const struct remote_process *process);

// Memory

/// A stretch of writable memory.
struct remote_range {
    uint64_t low, high;
    /// The offset of the stretch in a core file.
    uint64_t offset;
};

size_t remote_range_count(const struct remote_process *process);
struct remote_range remote_range_at(const struct remote_process *process, size_t index);

/// Reads the stretches of a running process again. They change while it runs.
void remote_renew_ranges(struct remote_process *process);

/// Whether the process has writable memory that is not among the ranges: a device, a ring that it shares with the kernel, or a part that a
/// core file lacks.
bool remote_has_hidden_memory(const struct remote_process *process);

/// Reads memory as it is now. False if a byte of it cannot be read.
bool remote_read(struct remote_process *process, uint64_t address, void *into, size_t size);

/// Reads `count` pieces of the same size with few system calls. A piece that cannot be read is all zero.
void remote_read_pieces(struct remote_process *process, const uint64_t *addresses, size_t count, size_t size, void *into);

/// The system calls that have read memory so far, and those that have asked which pages exist.
uint64_t remote_read_count(const struct remote_process *process);
uint64_t remote_lookup_count(const struct remote_process *process);

/// The address of the first page in `[low, high)` that exists; `high` if none does. A hole of a core file does not exist.
uint64_t remote_next_present(struct remote_process *process, uint64_t low, uint64_t high);

/// Works as on a kernel before Linux 6.7, which cannot list the pages that exist.
void remote_forgo_page_scan(struct remote_process *process);

/// Reads the existing pages of `[low, high)` into `into`, at their distance from `low`, and sets a bit of `present` for each page read.
/// Pages that the process never touched are not read, because reading would create them. Returns the number of pages read.
size_t remote_read_present(struct remote_process *process, uint64_t low, uint64_t high, void *into, uint8_t *present);

/// The same with one page after the other in `into`.
size_t remote_read_packed(struct remote_process *process, uint64_t low, uint64_t high, void *into, uint8_t *present);

enum { REMOTE_SAMPLE_FRAMES = 64 };

/// The stack of a thread that runs. `frames` are addresses inside its calls, innermost first, as far as frame pointers lead.
struct remote_sample {
    int32_t thread;
    uint32_t count;
    uint64_t frames[REMOTE_SAMPLE_FRAMES];
};

/// Fills the stacks of the samples' threads from the kernel's performance events: no signal reaches the threads, and none stops. `count` is
/// 0 for a thread that does not run in its own code within that time. False if the kernel allows no sample of any of them.
bool remote_sample_stacks(struct remote_sample *samples, size_t count, uint64_t nanoseconds);

enum { remote_page_size = 4096 };

/// The kinds of objects that a word in memory may begin.
enum remote_candidate_kind { remote_task, remote_object, remote_thread };

struct remote_candidate {
    uint64_t address;
    uint64_t first;
    enum remote_candidate_kind kind;
};

/// Finds words at 16-byte alignment in a piece of memory that equal `task`, that begin an object with a plausible reference count, or that
/// point to themselves, as a thread's control block does. If `room` is too small, the next call continues at `next`.
///
/// Objects whose first word is in `ignored` are left out. `ignored` is a table of `remote_ignored_count` words, and `remote_ignored_slot`
/// is the place of a word in it.
size_t remote_scan(
    const uint64_t *words, size_t count, uint64_t base, uint64_t task, const uint64_t *ignored, size_t *next,
    struct remote_candidate *found, size_t room);

enum { remote_ignored_count = 1 << 14 };

static inline size_t remote_ignored_slot(uint64_t word) { return (size_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> 50); }

/// A reader with a cache of pages. Not thread-safe: one thread uses it.
struct remote_reader;

struct remote_reader *remote_reader_make(struct remote_process *process);
void remote_reader_free(struct remote_reader *reader);

/// Empties the cache, so that the next reads see the memory as it is then.
void remote_reader_forget(struct remote_reader *reader);

/// Adds a piece of memory that was just read to the cache. `remote_reader_forget` removes it.
void remote_reader_lend(struct remote_reader *reader, uint64_t base, const void *bytes, size_t size, const uint8_t *present);

bool remote_reader_read(struct remote_reader *reader, uint64_t address, void *into, size_t size);

// Modules

/// The program, or a library that the process has loaded.
struct remote_module {
    uint64_t low, high;
    /// The difference between an address in memory and the same address in the module's file.
    uint64_t bias;
    /// The path of the file, or an empty string.
    const char *path;
    const char *name;
};

size_t remote_module_count(const struct remote_process *process);
struct remote_module remote_module_at(const struct remote_process *process, size_t index);

/// Finds the addresses of symbols in one pass. The address of a symbol that the module lacks is 0.
void remote_symbols(struct remote_process *process, size_t module, const char *const *names, size_t count, uint64_t *addresses);

/// Whether a module calls a function of another one whose name begins like this.
bool remote_imports(struct remote_process *process, size_t module, const char *name);

/// Whether a program or library contains Swift's metadata.
bool remote_is_swift(const char *path);

/// The name of the function at an address, or NULL. The name comes from the unwinder's tables, not from debug information.
const char *remote_function(struct remote_process *process, size_t module, uint64_t address);

/// The name of the global variable that contains an address, or NULL.
const char *remote_variable(struct remote_process *process, size_t module, uint64_t address);

/// The writable segments of a module that its file fills. Returns their number, which may be greater than `room`.
size_t remote_data_segments(struct remote_process *process, size_t module, struct remote_range *segments, size_t room);

/// The most bytes that the thread-local variables of all modules take in each thread. 0 if the file of a module cannot be read.
size_t remote_thread_variables(struct remote_process *process);

// Threads

struct remote_registers {
    uint64_t stack, program_counter, frame;
    /// The thread pointer; 0 if unknown.
    uint64_t thread;
    /// Whether all of a thread's registers are known, and `all` holds them in the order of DWARF.
    bool is_complete;
    uint64_t all[17];
};

/// The registers of the threads in a core file, the crashing thread first.
size_t remote_core_threads(const struct remote_process *process, pid_t *threads, struct remote_registers *registers, size_t room);

/// The signal that ended the process of a core file, in its first thread. 0 if the file names none.
int remote_core_signal(const struct remote_process *process);

/// The stack pointer, the program counter and the number of the system call of a thread that waits in the kernel. False while the thread
/// runs.
bool remote_blocked_registers(struct remote_process *process, pid_t thread, struct remote_registers *registers, long *call);

struct remote_frame {
    /// Inside the calling instruction, so that it belongs to the line of the call.
    uint64_t address;
    /// The frame pointer there; 0 if unknown.
    uint64_t frame;
    /// The other registers that a function preserves: rbx, r12, r13, r14, r15. A register is 0 if unknown.
    uint64_t preserved[5];
};

/// A thread's native stack, innermost frame first.
size_t remote_stack(
    struct remote_process *process, pid_t thread, const struct remote_registers *registers, struct remote_frame *frames, size_t room);

#include "RemoteCalls.h"
#include "RemoteHolders.h"

#endif
