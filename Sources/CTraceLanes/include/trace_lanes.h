// The lanes: one ring of fixed records a thread, in one mapped region that readers of any process can share.
//
// Emitting takes the time, stores 32 bytes and increments a counter: no lock, no system call, no allocation, no wait.
// Everything in the region is found by offset from its header, so the same bytes serve as memory and as a file.

#ifndef TRACE_LANES_H
#define TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One event. What `other`, `label` and `detail` mean depends on `kind`; TaskEvents spells it out.
typedef struct trace_record {
    uint64_t time;      ///< in the region's ticks
    uint64_t task;      ///< the task it is about, 0 for none
    uint64_t other;     ///< a second task or a number
    uint32_t label;     ///< an entry of the text table, 0 for none
    uint16_t executor;  ///< 0 for none
    uint8_t kind;
    uint8_t detail;
} trace_record;

_Static_assert(sizeof(trace_record) == 32, "a record is half a cache line");

enum { TRACE_REGION_VERSION = 1 };

/// The one kind that the lanes write themselves, first of all when a thread takes a lane: `other` is the kernel's id of the thread.
enum { TRACE_KIND_THREAD = 1 };

/// Where a region's ticks come from.
typedef enum trace_clock {
    TRACE_CLOCK_FASTEST = 0,    ///< the processor's invariant counter if it has one, else the monotonic clock
    TRACE_CLOCK_MONOTONIC = 1,  ///< nanoseconds of CLOCK_MONOTONIC
    TRACE_CLOCK_VIRTUAL = 2,    ///< what trace_region_set_time says; for tests
    TRACE_CLOCK_COUNTER = 3,    ///< the processor's invariant counter
} trace_clock;

/// The first page of a region. Offsets are in bytes from its start.
typedef struct trace_header {
    char magic[8];  ///< "HOPLANES"
    uint32_t version;
    uint32_t header_size;
    uint64_t region_size;
    uint32_t pid;
    uint32_t clock;  ///< a trace_clock, never TRACE_CLOCK_FASTEST
    uint64_t start_ticks;
    uint64_t start_monotonic_ns;
    uint64_t start_realtime_ns;
    uint64_t ticks_per_second;
    uint32_t lane_limit;
    uint32_t lane_slots;  ///< records that there is a place for in a ring, a power of two
    uint64_t lane_headers_offset;
    uint64_t rings_offset;
    uint64_t entry_index_offset;  ///< uint32_t offsets into the entries, by id
    uint64_t entries_offset;
    uint32_t entry_limit;
    uint32_t entries_size;
    char program[256];
    uint64_t process_start;  ///< of the process, in clock ticks after boot, as /proc/PID/stat has it; 0 if not known
    uint64_t pid_namespace;  ///< the inode number of the process's /proc/self/ns/pid; 0 if not known
    uint8_t boot[16];        ///< the kernel's boot_id, zeros if not known
    // Below: written while the program runs, each with atomic operations.
    uint32_t is_withdrawn;  ///< 1 once the process has stopped publishing the region
    uint32_t lane_count;       ///< lanes ever used
    uint32_t entry_count;      ///< entries published; ids run from 0
    uint64_t entries_refused;  ///< entries asked for after the table was full
    uint64_t unplaced;         ///< records of threads that found no lane
    uint64_t virtual_time;
} trace_header;

_Static_assert(sizeof(trace_header) <= 4096, "the header is one page");

/// What stands before a ring. The writer's counter has a cache line of its own.
typedef struct trace_lane_header {
    uint64_t head;  ///< records ever written to this lane
    uint64_t padding[7];
    uint64_t read;   ///< records that a reader in this process has taken; readers of other processes keep their own
    uint32_t owner;  ///< the kernel's id of the thread that writes here, 0 for none
    uint32_t slots;  ///< records that the ring has now, a power of two; one is always the writer's. It doubles before it first wraps
    uint64_t padding2[6];
} trace_lane_header;

_Static_assert(sizeof(trace_lane_header) == 128, "a lane's header is two cache lines");

typedef enum trace_entry_kind {
    TRACE_ENTRY_TEXT = 1,      ///< the bytes
    TRACE_ENTRY_LABEL = 2,     ///< a: text of the name, b: text of the file, c: line; or a: text or code, b: code, c: 0
    TRACE_ENTRY_ERROR = 3,     ///< a: text of the type, b: text of the message, c: the code that threw it, 0 if not known
    TRACE_ENTRY_EXECUTOR = 4,  ///< a: the executor's id, b: text of its name, c: its kind
    TRACE_ENTRY_CODE = 5,      ///< a: a trace_code_kind; the bytes: a trace_place for each call, the innermost first
    TRACE_ENTRY_THROWS = 7,       ///< the bytes: the code of each throw of one error, the first throw first
    TRACE_ENTRY_SWIFT_ROUTES = 6,  ///< a: the trace_routes that tell of Swift's tasks
} trace_entry_kind;

/// What stands before an entry's bytes in the append-only table.
typedef struct trace_entry {
    uint32_t kind;
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t length;
} trace_entry;

/// A place in a program's machine code.
typedef struct trace_place {
    uint32_t module;  ///< text of the path of the file that was loaded, 0 if not known
    uint32_t offset;  ///< the address by the file's own count: of the call's last byte, or of where an awaited call will go on
} trace_place;

typedef enum trace_code_kind {
    TRACE_CODE_CALLS = 0,    ///< calls on a thread's stack
    TRACE_CODE_RESUMES = 1,  ///< calls that a suspended task awaits
} trace_code_kind;

/// The ids that every table begins with: nothing, and what stands for an entry that found no room.
enum { TRACE_ENTRY_NONE = 0, TRACE_TEXT_OVERFLOW = 1, TRACE_LABEL_OVERFLOW = 2, TRACE_ERROR_OVERFLOW = 3 };

typedef struct trace_region trace_region;

typedef struct trace_region_options {
    trace_clock clock;
    uint32_t lane_limit;   ///< threads at a time, at most
    uint32_t lane_slots;   ///< rounded up to a power of two
    uint32_t entry_limit;  ///< names, sites, errors and executors, at most
    uint32_t entries_size;
    const char *program;
} trace_region_options;

/// What a region has unless something else is asked for. They reserve 1 GiB of address space or of a sparse file, of which a program
/// touches what it uses: four MiB a busy thread, which is five milliseconds of the fastest emitting measured.
enum {
    TRACE_DEFAULT_LANES = 256,
    TRACE_DEFAULT_SLOTS = 131072,
    TRACE_DEFAULT_ENTRIES = 262144,
    TRACE_DEFAULT_ENTRY_BYTES = 48 << 20,
};

/// The most lanes that a region can have.
enum { TRACE_LANE_LIMIT = 4096 };

/// What the regions of this process are called from now on that are given no name; the process's own without this. Before anything is
/// recorded.
void trace_name_process(const char *name);

/// Maps an anonymous region, or returns NULL with errno set. Where the machine does not lend that much address space it has fewer lanes.
trace_region *trace_region_create(const trace_region_options *options);

/// Gives the region's pages back, and removes its file if it has one. Its address range stays reserved: a thread that was about to emit
/// into it does no harm.
void trace_region_discard(trace_region *region);

const trace_header *trace_region_header(const trace_region *region);
uint64_t trace_region_now(const trace_region *region);
void trace_region_set_time(trace_region *region, uint64_t ticks);

/// What a clock other than the virtual one shows now; the same for all processes of a machine.
uint64_t trace_clock_now(uint32_t clock);

/// The time now by the clock that is recorded with, in ticks; and such a time span in nanoseconds. 0 if nothing is being recorded.
uint64_t trace_ticks(void);
uint64_t trace_nanoseconds(uint64_t ticks);

/// Makes `region` the one that this process emits into; NULL stops recording. Returns the one before.
trace_region *trace_install(trace_region *region);

/// Stops recording if it is `region` that is recorded into.
void trace_uninstall(trace_region *region);

extern trace_region *trace_active;

/// Whether anything is being recorded: one relaxed load.
static inline bool trace_is_recording(void) {
    return __atomic_load_n(&trace_active, __ATOMIC_RELAXED) != NULL;
}

/// Tells what is recorded now from what was recorded before: entries are of one recording. 0 if nothing is.
uint64_t trace_recording(void);

/// Records an event in the calling thread's lane, if anything is being recorded. Returns its time in ticks, 0 if nothing was recorded.
uint64_t trace_emit(uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other);

/// The entry for a name and a call site in the active region, 0 if nothing is being recorded.
/// The second form is for literals: it knows them by address, and costs a few nanoseconds after the first time.
uint32_t trace_label(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line);
uint32_t trace_label_of_literals(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line);
uint32_t trace_error(const uint8_t *type, size_t type_length, const uint8_t *message, size_t message_length);
uint32_t trace_text(const uint8_t *bytes, size_t length);

/// States the routes that tell of Swift's tasks, a set of trace_route. Routes that a later statement lacks have ended.
void trace_state_swift_routes(uint32_t routes);

/// The most calls that a place in code is told by.
enum { TRACE_CODE_DEPTH = 8 };

/// The entry for a call, by the addresses that it and those around it return to, the innermost first. A thread that asks again for the same
/// calls is answered in a few nanoseconds.
uint32_t trace_code(trace_code_kind kind, const void *const *returns, size_t count);

/// The entry for something made by that code, called `name` or, if that is NULL, after the code.
uint32_t trace_label_of_code(const char *name, size_t length, uint32_t code);

/// The entry for all throws of one error, by the code of each, the first throw first. One throw is its code.
uint32_t trace_code_of_throws(const uint32_t *codes, size_t count);

/// The entry for an error thrown by that code, or by those throws.
uint32_t trace_error_of_code(const uint8_t *type, size_t length, uint32_t code);

/// Makes an executor known to this and every later region of the process. Ids run from 1; 65,535 stands for all that came too late.
uint16_t trace_executor_register(const uint8_t *name, size_t name_length, uint8_t kind);

/// Copies up to `room` records of a lane, from number `*next` on, and moves `*next` behind them.
/// `*lost` grows by exactly the records that the writer had overrun. Any number of readers, any thread.
size_t trace_lane_read(const trace_region *region, uint32_t lane, uint64_t *next, trace_record *out, size_t room, uint64_t *lost);

/// Tells the writers how far a reader in this process has come, so that a lane with unread records is handed on last.
void trace_lane_set_read(trace_region *region, uint32_t lane, uint64_t next);

uint32_t trace_lane_count(const trace_region *region);

/// Records ever written to a lane.
uint64_t trace_lane_head(const trace_region *region, uint32_t lane);
uint32_t trace_entry_count(const trace_region *region);
uint64_t trace_entries_refused(const trace_region *region);
uint64_t trace_unplaced(const trace_region *region);

/// The entry with that id, or NULL if there is none yet; `*bytes` points into the region.
const trace_entry *trace_entry_at(const trace_region *region, uint32_t id, const uint8_t **bytes);

/// Words of the calling thread's own, for the runtime's use.
enum { TRACE_THREAD_SLOTS = 2 };
void **trace_thread_slots(void);

/// Names the calling thread for debuggers and top; the kernel keeps 15 bytes.
void trace_thread_set_name(const char *name);

// MARK: - Two copies in one process

/// The task of a chain whose body the calling thread runs, 0 for none, and an address in that body's part of the stack; 0 for a body that
/// is being made, as a Swift task.
typedef uint64_t trace_running_chain(uintptr_t *frame);

/// What the parts above the lanes offer to the lanes, and through them to each other. The lanes call no part that has not registered.
typedef struct trace_parts {
    void (*recording_began)(void);  ///< the probe: an event is recorded from now on, or has been asked for
    uint64_t (*swift_task)(void);   ///< the probe: see trace_swift_task
    void (*error_left)(const void *box, uint64_t task);  ///< the probe: see trace_error_left
    uint64_t (*error_source)(const void *box);           ///< the probe: see trace_error_source
    void (*region_published)(void);      ///< the transport: the region that the environment asks for is there
    trace_running_chain *running_chain;  ///< the runtime of chains
} trace_parts;

/// The constructor priority of a function that registers a part, so that all parts have registered before the lanes look at the
/// environment. Swift's section for it is `.init_array.01000`.
enum { TRACE_REGISTRATION_PRIORITY = 1000 };

/// Registers what one part offers: its own members, the others NULL. While the program is loaded.
void trace_register(const trace_parts *part);

enum { TRACE_LANES_TABLE_VERSION = 2 };

/// What a copy of the lanes offers to another in the same process: a program that has them may run under a probe that brings its own. Then
/// there is one region, one list of executors, and chains and Swift's tasks are counted together.
typedef struct trace_lanes_table {
    uint32_t version;
    trace_region *(*region)(void);  ///< what is recorded into; made if it was only asked for
    trace_region *(*install)(trace_region *region);
    void (*uninstall)(trace_region *region);
    uint16_t (*register_executor)(const uint8_t *name, size_t name_length, uint8_t kind);
    uint64_t *(*share_numbers)(trace_running_chain *chain);  ///< returns where the latest number is; the caller tells of its chains
    uint64_t (*swift_task)(void);
    void (*error_left)(const void *box, uint64_t task);
    uint64_t (*error_source)(const void *box);
} trace_lanes_table;

/// This copy's.
const trace_lanes_table *trace_lanes_own_table(void);

/// Set when the program is loaded; read through trace_has_both_worlds.
extern bool trace_both_worlds;

/// Whether one trace has chains and Swift's tasks. The same from the program's beginning to its end.
static inline bool trace_has_both_worlds(void) {
    return __atomic_load_n(&trace_both_worlds, __ATOMIC_RELAXED);
}

/// The number of a task that is made now, in a trace of both.
uint64_t trace_next_task(void);

/// The number of the Swift task that the calling thread runs; 0 without one, or without a probe.
uint64_t trace_swift_task(void);

/// The chain's task whose body the calling thread runs, for the probe.
uint64_t trace_chain_running(uintptr_t *frame);

/// That chain's task hands its error, which is in that box, to the Swift task that the calling thread runs.
void trace_error_left(const void *box, uint64_t task);

/// The Swift task that ended with the error in that box, 0 for none or where it is not known.
uint64_t trace_error_source(const void *box);

// MARK: - Regions as files

/// Why something could not be done, as a sentence for the user.
typedef struct trace_problem {
    char sentence[768];
} trace_problem;

/// Where regions lie, the first that is there being used: the directory that HOPSCOPE in the environment names; `hopscope` in
/// XDG_RUNTIME_DIR, if that is the user's own; `hopscope-UID` in TMPDIR or /tmp.
typedef enum trace_directory {
    TRACE_DIRECTORY_ASKED = 0,
    TRACE_DIRECTORY_RUNTIME = 1,
    TRACE_DIRECTORY_TEMPORARY = 2,
} trace_directory;

/// The path of one of them, as the environment has it now; false if it has none.
bool trace_directory_path(trace_directory which, char *path, size_t room);

/// Opens a directory that only the user can enter: no symbolic link, mode 0700. Makes it if it is missing and `make` is true.
/// Returns its descriptor, or -1 with errno set and the reason.
int trace_directory_open(const char *path, bool make, trace_problem *problem);

/// Opens, and makes if missing, the directory that this process puts its region in. The path's buffer has at least TRACE_PATH_ROOM bytes.
int trace_directory_open_own(char *path, size_t room, trace_problem *problem);

enum { TRACE_PATH_ROOM = 4096, TRACE_NAME_ROOM = 128 };

/// Maps a new file in that directory: sparse, 0600, without a name until it is published (under a hidden one where the file system has no
/// files without names). Returns NULL with the reason.
///
/// A hole in a mapped file is a promise that a full disk breaks with SIGBUS. So room is reserved before anything is written: the front at
/// once, a ring in steps as its lane fills, the table in steps as it grows. Where the disk gives no more, rings stay as they are, new
/// threads find no lane and new names no entry, and all of it is counted. (A file system that copies on every write, as btrfs does,
/// promises this only for the first time a page is written.)
trace_region *trace_region_create_file(const trace_region_options *options, int directory, trace_problem *problem);

/// Gives the region's file its name for others to find, `PID-PROGRAM.hoplanes`. Does nothing if it has it.
bool trace_region_publish(trace_region *region, trace_problem *problem);

/// Takes that name back. A reader that has the file open goes on reading.
void trace_region_withdraw(trace_region *region);

/// The name of the region's file when it is published; empty for an anonymous region.
const char *trace_region_name(const trace_region *region);

/// What tells this process from every other that ever had its number. Each is 0 where the system does not say.
uint64_t trace_process_start(uint32_t pid);
uint64_t trace_process_namespace(void);
void trace_boot(uint8_t boot[16]);

/// Does what HOPSCOPE with that value in the environment does: 1 or a directory's full path has the first event publish a region. Called
/// when the program is loaded; before anything is recorded.
void trace_environment_ask(const char *value);

/// The region that HOPSCOPE in the environment asks for: made and installed at the first event, or by this. NULL if it asks for none, if
/// something else is recorded into, or if it could not be made, which standard error has been told.
trace_region *trace_environment_region(void);

/// The directory of that region.
const char *trace_environment_directory(void);

#ifdef __cplusplus
}
#endif

/// The thread sanitizer's: what happened before a release at an address happened before a later acquire at it. In sanitized builds only.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

/// The Swift runtime's attempt to retain an object, on which weak references rest: NULL for an object that is deinitialising.
void *swift_tryRetain(void *object);

/// Has the processor bring memory near that will be looked at soon; the thread does not wait for it.
static inline void trace_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
