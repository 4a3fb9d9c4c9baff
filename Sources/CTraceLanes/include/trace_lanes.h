// The lanes: one ring of fixed-size records per thread, in one mapped region that readers in any process can share.
//
// Emitting reads the clock, stores 32 bytes and increments a counter. It takes no lock, makes no system call, allocates nothing and never
// waits. All positions in the region are offsets from its start, so the same bytes serve as memory and as a file.

#ifndef TRACE_LANES_H
#define TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One event. The meaning of `other`, `label` and `detail` depends on `kind`; TaskEvents documents it.
typedef struct trace_record {
    uint64_t time;      ///< in the region's ticks
    uint64_t task;      ///< the task that the event is about, 0 for none
    uint64_t other;     ///< a second task or a number
    uint32_t label;     ///< an entry of the text table, 0 for none
    uint16_t executor;  ///< 0 for none
    uint8_t kind;
    uint8_t detail;
} trace_record;

_Static_assert(sizeof(trace_record) == 32, "a record is half a cache line");

/// Version 2 has only the lanes in use in its file, which grows by one lane after the other. Version 1 has all lanes from the start.
enum { TRACE_REGION_VERSION = 2 };

/// The only kind of record that the lanes write themselves: a thread's first record in a lane. `other` is the kernel's id of the thread.
enum { TRACE_KIND_THREAD = 1 };

/// The source of a region's ticks.
typedef enum trace_clock {
    TRACE_CLOCK_FASTEST = 0,    ///< the processor's invariant counter if it has one, else the monotonic clock
    TRACE_CLOCK_MONOTONIC = 1,  ///< nanoseconds of CLOCK_MONOTONIC
    TRACE_CLOCK_VIRTUAL = 2,    ///< the value set by trace_region_set_time; for tests
    TRACE_CLOCK_COUNTER = 3,    ///< the processor's invariant counter
} trace_clock;

/// The processor's counter and CLOCK_MONOTONIC at the same moment, within some tens of nanoseconds.
typedef struct trace_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns;
} trace_anchor;

/// The first page of a region. Offsets are in bytes from the region's start.
typedef struct trace_header {
    char magic[8];  ///< "HOPLANES"
    uint32_t version;
    uint32_t header_size;
    uint64_t region_size;  ///< the size of the file; changes as lanes are added
    uint32_t pid;
    uint32_t clock;  ///< a trace_clock, never TRACE_CLOCK_FASTEST
    uint64_t start_ticks;         ///< together with `start_monotonic_ns` an anchor
    uint64_t start_monotonic_ns;
    uint64_t start_realtime_ns;
    uint64_t ticks_per_second;    ///< measured over less than a second; anchors correct it
    uint32_t lane_limit;
    uint32_t lane_slots;  ///< the maximum number of records in a ring, a power of two
    uint64_t lane_headers_offset;
    uint64_t rings_offset;
    uint64_t entry_index_offset;  ///< uint32_t offsets into the entries, by id
    uint64_t entries_offset;
    uint32_t entry_limit;
    uint32_t entries_size;
    char program[256];
    uint64_t process_start;  ///< start of the process in clock ticks after boot, from /proc/PID/stat; 0 if not known
    uint64_t pid_namespace;  ///< the inode number of the process's /proc/self/ns/pid; 0 if not known
    uint8_t boot[16];        ///< the kernel's boot_id, zeros if not known
    // The following members change while the program runs, by atomic operations.
    uint32_t is_withdrawn;  ///< 1 once the process has stopped publishing the region
    uint32_t lane_count;       ///< lanes ever used
    uint32_t entry_count;      ///< entries published; ids run from 0
    uint64_t entries_refused;  ///< entries refused because the table was full
    uint64_t unplaced;         ///< records lost because a thread found no lane
    uint64_t virtual_time;
    // Zeros in regions of earlier versions, whose first page ends in zeros.
    uint32_t has_exited;  ///< 1 once the process has begun to exit: it called exit, or main returned
    uint32_t flight;      ///< a trace_flight
    // The following members do not change.
    char service[256];    ///< OTEL_SERVICE_NAME of the process; empty if there is none
    char resource[2048];  ///< OTEL_RESOURCE_ATTRIBUTES of the process, as many pairs as fit; empty if there are none
    uint32_t holds_jobs;  ///< 1 while gates hold jobs. Changes while the program runs
    // Written when a thread takes a lane, when a ring grows or wraps around, and at exit, for readers of a process that has ended. The
    // readers of a running process take anchors themselves.
    uint32_t anchor_count;    ///< anchors ever written
    trace_anchor anchors[2];  ///< the last two, so that one is whole: anchor number n, from 0, is at n % 2
} trace_header;

/// Whether a flight recorder is to keep the region's last seconds.
typedef enum trace_flight {
    TRACE_FLIGHT_NONE = 0,
    TRACE_FLIGHT_ASKED = 1,    ///< HOPSCOPE=flight asks for one
    TRACE_FLIGHT_ABOARD = 2,   ///< one runs in the process itself
} trace_flight;

_Static_assert(sizeof(trace_header) <= 4096, "the header fits into the smallest page");

/// A lane's state, apart from its ring. The writer's counter has a cache line of its own.
typedef struct trace_lane_header {
    uint64_t head;  ///< records ever written to this lane
    uint64_t padding[7];
    uint64_t read;   ///< records taken by a reader in this process; other processes' readers keep their own count
    uint32_t owner;  ///< the kernel's id of the thread that writes here, 0 for none
    uint32_t slots;  ///< the ring's current size, a power of two; one slot belongs to the writer. It doubles before it first wraps
    uint64_t padding2[6];
} trace_lane_header;

_Static_assert(sizeof(trace_lane_header) == 128, "a lane's header is two cache lines");

typedef enum trace_entry_kind {
    TRACE_ENTRY_TEXT = 1,      ///< the bytes
    TRACE_ENTRY_LABEL = 2,     ///< a: text of the name, b: text of the file, c: line; or a: text or code, b: code, c: 0
    TRACE_ENTRY_ERROR = 3,     ///< a: text of the type, b: text of the message, c: the code that threw it, 0 if not known
    TRACE_ENTRY_EXECUTOR = 4,  ///< a: the executor's id, b: text of its name, c: its kind
    TRACE_ENTRY_CODE = 5,      ///< a: a trace_code_kind; the bytes: a trace_code_address for each call, the innermost first
    TRACE_ENTRY_THROWS = 7,       ///< the bytes: the code of each throw of one error, the first throw first
    TRACE_ENTRY_SWIFT_ROUTES = 6,  ///< a: the trace_routes that report Swift's tasks
} trace_entry_kind;

/// The header in front of an entry's bytes in the append-only table.
typedef struct trace_entry {
    uint32_t kind;
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t length;
} trace_entry;

/// A place in a program's machine code.
typedef struct trace_code_address {
    uint32_t module;  ///< text of the path of the file that was loaded, 0 if not known
    uint32_t offset;  ///< the offset in the file of the call's last byte, or of the code at which an awaited call resumes
} trace_code_address;

typedef enum trace_code_kind {
    TRACE_CODE_CALLS = 0,    ///< calls on a thread's stack
    TRACE_CODE_RESUMES = 1,  ///< calls that a suspended task awaits
} trace_code_kind;

/// The first ids of every table: no entry, and the substitutes for a text, label or error that found no room.
enum { TRACE_ENTRY_NONE = 0, TRACE_TEXT_OVERFLOW = 1, TRACE_LABEL_OVERFLOW = 2, TRACE_ERROR_OVERFLOW = 3 };

typedef struct trace_region trace_region;

typedef struct trace_region_options {
    trace_clock clock;
    uint32_t lane_limit;   ///< maximum number of threads at a time
    uint32_t lane_slots;   ///< rounded up to a power of two
    uint32_t entry_limit;  ///< maximum number of names, sites, errors and executors
    uint32_t entries_size;
    const char *program;
} trace_region_options;

/// The default sizes of a region. They take 50 MiB of address space or of a sparse file, and 4 MiB for each thread that emits. A program
/// touches only the part that it uses: up to 4 MiB per busy thread, which holds five milliseconds of events at the fastest measured rate.
enum {
    TRACE_DEFAULT_LANES = 8192,
    TRACE_DEFAULT_SLOTS = 131072,
    TRACE_DEFAULT_ENTRIES = 262144,
    TRACE_DEFAULT_ENTRY_BYTES = 48 << 20,
};

/// The maximum number of lanes in a region.
enum { TRACE_LANE_LIMIT = 8192 };

/// Sets the program name for regions whose options have none; without this call it is the process's own name. Call it before anything is
/// recorded.
void trace_name_process(const char *name);

/// Maps an anonymous region, or returns NULL with errno set. The region has fewer lanes if the address space is limited.
trace_region *trace_region_create(const trace_region_options *options);

/// Releases the region's pages, and removes its file if it has one. Its address range stays reserved, so a thread that is about to emit
/// into the region does no harm.
void trace_region_discard(trace_region *region);

const trace_header *trace_region_header(const trace_region *region);
uint64_t trace_region_now(const trace_region *region);
void trace_region_set_time(trace_region *region, uint64_t ticks);

/// An anchor of this moment. The counter is the same in all processes of a machine.
trace_anchor trace_anchor_now(void);

/// The time now by a clock other than the virtual one. All processes of a machine read the same time.
uint64_t trace_clock_now(uint32_t clock);

/// The time now by the recording's clock, in ticks; and a number of ticks as nanoseconds. Both are 0 if nothing is being recorded.
uint64_t trace_ticks(void);
uint64_t trace_nanoseconds(uint64_t ticks);

/// Makes this process emit into `region`; NULL stops recording. Returns the region installed before, NULL for none.
trace_region *trace_install(trace_region *region);

/// Stops recording if `region` is the installed region.
void trace_uninstall(trace_region *region);

extern trace_region *trace_active;

/// True if anything is being recorded. Costs one relaxed load.
static inline bool trace_is_recording(void) {
    return __atomic_load_n(&trace_active, __ATOMIC_RELAXED) != NULL;
}

/// The number of the current recording, 0 if nothing is being recorded. An entry's id is valid in one recording only.
uint64_t trace_recording(void);

/// Records an event in the calling thread's lane, if anything is being recorded. Returns the event's time in ticks, 0 if not recorded.
uint64_t trace_emit(uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other);

/// The same for a caller that runs none of the program's code after an event `before` of the same task. If that is the thread's last event,
/// the two share their time, because reading the counter is the largest part of an event's cost.
uint64_t trace_emit_after(
    uint8_t before, uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other);

/// Takes a lane for the calling thread, if anything is being recorded, and returns the time in ticks.
uint64_t trace_lane_begin(void);

/// Records an event of an earlier time: one that `trace_lane_begin` returned, or an event of this thread.
uint64_t trace_emit_at(uint64_t time, uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other);

/// The entry for a name and a call site in the active region, 0 if nothing is being recorded.
/// The other forms cost a few nanoseconds after a thread's first call, and identify the literal of the file by its address: the second form
/// the name too, which is a literal, the third form a name of up to 39 bytes by its bytes.
uint32_t trace_label(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line);
uint32_t trace_label_of_literals(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line);
uint32_t trace_label_of_name(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line);
uint32_t trace_error(const uint8_t *type, size_t type_length, const uint8_t *message, size_t message_length);
uint32_t trace_text(const uint8_t *bytes, size_t length);

/// States the routes that report Swift's tasks: a set of trace_route. A route that is missing from a later statement has ended.
void trace_state_swift_routes(uint32_t routes);

/// A place in code is described by at most this many calls.
enum { TRACE_CODE_DEPTH = 8 };

/// The entry for a chain of calls, given their return addresses, the innermost call first. Asking again for the same calls on the same
/// thread takes a few nanoseconds.
uint32_t trace_code(trace_code_kind kind, const void *const *returns, size_t count);

/// The entry for the label of a task made by the code with entry `code`. The label is `name`, or the code's own name if `name` is NULL.
uint32_t trace_label_of_code(const char *name, size_t length, uint32_t code);

/// The entry for all throws of one error, given the code of each, the first throw first. For a single throw it is that throw's code.
uint32_t trace_code_of_throws(const uint32_t *codes, size_t count);

/// The entry for an error. `code` is the entry of the code that threw it, or of its throws.
uint32_t trace_error_of_code(const uint8_t *type, size_t length, uint32_t code);

/// Registers an executor in this region of the process and in every later one until it ends. Ids start at 1. Executors beyond the limit
/// share the id 65,535.
uint16_t trace_executor_register(const uint8_t *name, size_t name_length, uint8_t kind);

/// The executor emits no more events: later regions do not have it, and may have a later executor with its id.
void trace_executor_end(uint16_t id);

/// Copies up to `room` records of a lane, from record number `*next` on, and moves `*next` past them. Adds to `*lost` exactly the number of
/// records that the writer has overwritten. Any number of readers may call it, on any thread.
size_t trace_lane_read(const trace_region *region, uint32_t lane, uint64_t *next, trace_record *out, size_t room, uint64_t *lost);

/// Reports how far a reader in this process has read, so that a lane with unread records is reused last.
void trace_lane_set_read(trace_region *region, uint32_t lane, uint64_t next);

uint32_t trace_lane_count(const trace_region *region);

/// No lane has more records: at a nanosecond a record, they take 13 days. A larger count is damage, and its lane is not read.
#define TRACE_MOST_RECORDS 0x4000000000000

/// The number of records ever written to a lane, 0 if the count is damaged.
uint64_t trace_lane_head(const trace_region *region, uint32_t lane);
uint32_t trace_entry_count(const trace_region *region);
uint64_t trace_entries_refused(const trace_region *region);
uint64_t trace_unplaced(const trace_region *region);

/// The entry with the given id, or NULL if there is none yet. `*bytes` points into the region.
const trace_entry *trace_entry_at(const trace_region *region, uint32_t id, const uint8_t **bytes);

/// Thread-local words for the runtime of chains.
enum { TRACE_THREAD_SLOTS = 2 };
void **trace_thread_slots(void);

/// Names the calling thread for debuggers and top; the kernel keeps 15 bytes.
void trace_thread_set_name(const char *name);

// MARK: - Two copies in one process

/// Returns the chain's task whose body the calling thread runs, 0 for none. `*frame` becomes an address in that body's part of the stack,
/// or 0 if the body is just being started as a Swift task.
typedef uint64_t trace_running_chain(uintptr_t *frame);

/// Functions that the layers above the lanes offer to the lanes, and through the lanes to each other. A layer registers its functions;
/// the lanes treat a member that is NULL as absent.
typedef struct trace_parts {
    void (*recording_began)(void);  ///< the probe: a recording has begun or been requested
    uint64_t (*swift_task)(void);   ///< the probe: see trace_swift_task
    void (*error_left)(const void *box, uint64_t task);  ///< the probe: see trace_error_left
    uint64_t (*error_source)(const void *box);           ///< the probe: see trace_error_source
    void (*region_published)(void);      ///< the transport: the region that the environment asks for is published
    void (*flight_asked)(void);          ///< the module Hopscope: the environment asks for a flight recorder, too
    trace_running_chain *running_chain;  ///< the runtime of chains
} trace_parts;

/// The constructor priority for functions that call trace_register. With it, all parts register before the lanes read the environment.
/// The Swift equivalent is the section `.init_array.01000`.
enum { TRACE_REGISTRATION_PRIORITY = 1000 };

/// Registers the functions of one part; members that belong to other parts are NULL. Must run while the program is being loaded.
void trace_register(const trace_parts *part);

enum { TRACE_LANES_TABLE_VERSION = 5 };

/// The functions that one copy of the lanes offers to another copy in the same process. A program with its own copy may run under a probe
/// with another. Both then share one region, one list of executors, and one sequence of numbers for chains and Swift's tasks.
typedef struct trace_lanes_table {
    uint32_t version;
    trace_region *(*region)(void);  ///< the installed region, made now if it was only requested
    trace_region *(*install)(trace_region *region);
    void (*uninstall)(trace_region *region);
    uint16_t (*register_executor)(const uint8_t *name, size_t name_length, uint8_t kind);
    void (*end_executor)(uint16_t id);
    uint64_t *(*share_numbers)(trace_running_chain *chain);  ///< returns the latest number's address; the caller passes its chain function
    uint64_t (*swift_task)(void);
    void (*error_left)(const void *box, uint64_t task);
    uint64_t (*error_source)(const void *box);
} trace_lanes_table;

/// The table of this copy.
const trace_lanes_table *trace_lanes_own_table(void);

/// Set while the program is loaded. Read it through trace_has_both_worlds.
extern bool trace_both_worlds;

/// True if one trace has both chains and Swift's tasks. The answer does not change once the program is loaded.
static inline bool trace_has_both_worlds(void) {
    return __atomic_load_n(&trace_both_worlds, __ATOMIC_RELAXED);
}

/// Returns the next task number, in a trace with chains and Swift's tasks.
uint64_t trace_next_task(void);

/// The number of the Swift task that the calling thread runs; 0 if it runs none or the process has no probe.
uint64_t trace_swift_task(void);

/// The chain's task whose body the calling thread runs, 0 for none; see trace_running_chain. The probe calls it.
uint64_t trace_chain_running(uintptr_t *frame);

/// Reports that the chain's task `task` hands the error in `box` to the Swift task that the calling thread runs.
void trace_error_left(const void *box, uint64_t task);

/// The Swift task that ended with the error in `box`, 0 if there is none or it is not known.
uint64_t trace_error_source(const void *box);

#ifdef __cplusplus
}
#endif

/// Functions of the thread sanitizer, in sanitized builds only. Events before a release at an address happen before a later acquire of it.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

/// The Swift runtime's function that tries to retain an object, the basis of weak references. NULL for an object that is deinitializing.
void *swift_tryRetain(void *object);

/// Makes every running thread of the process execute a full memory fence before it returns. It costs microseconds. False if the kernel
/// refuses membarrier(2).
bool trace_fence_threads(void);

/// Keeps the compiler from moving memory accesses across it. The processor may still do so, unless another thread calls
/// `trace_fence_threads`.
static inline void trace_fence_compiler(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// Prefetches memory that is written soon. The thread does not wait for it.
static inline void trace_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
