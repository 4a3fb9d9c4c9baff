// Regions as files: their directories and names, and the region that the environment asks for.

#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include "trace_lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The reason for a failure, as a sentence for the user.
typedef struct trace_problem {
    char sentence[768];
} trace_problem;

/// The directories for regions, in the order in which they are tried: the one that the environment variable HOPSCOPE names; `hopscope` in
/// XDG_RUNTIME_DIR, if the user owns that; `hopscope-UID` in TMPDIR or /tmp.
typedef enum trace_directory {
    TRACE_DIRECTORY_ASKED = 0,
    TRACE_DIRECTORY_RUNTIME = 1,
    TRACE_DIRECTORY_TEMPORARY = 2,
} trace_directory;

/// Writes the path of one of the directories according to the current environment. False if the environment has none.
bool trace_directory_path(trace_directory which, char *path, size_t room);

/// Opens a directory that only the user can enter: not a symbolic link, mode 0700. Makes it if it is missing and `make` is true.
/// Returns its descriptor, or -1 with errno and `problem` set.
int trace_directory_open(const char *path, bool make, trace_problem *problem);

/// Opens the directory for this process's region, and makes it if it is missing. The buffer `path` has at least TRACE_PATH_ROOM bytes.
int trace_directory_open_own(char *path, size_t room, trace_problem *problem);

enum { TRACE_PATH_ROOM = 4096, TRACE_NAME_ROOM = 128 };

/// Maps a new sparse file in the directory, mode 0600. The file has no name until it is published, or a hidden name if the file system
/// has no files without names. Returns NULL with `problem` set if that fails.
///
/// Writing to a hole in a mapped file raises SIGBUS if the disk is full, so space is reserved before it is written: the headers at once,
/// a ring in steps as its lane fills, the table in steps as it grows. Once the disk is full, rings keep their size, new threads get no
/// lane and new names get no entry; every such loss is counted. On a copy-on-write file system such as btrfs, the reservation covers only
/// the first write to a page.
trace_region *trace_region_create_file(const trace_region_options *options, int directory, trace_problem *problem);

/// Gives the region's file its public name, `PID-PROGRAM.hoplanes`. Does nothing if the file already has it.
bool trace_region_publish(trace_region *region, trace_problem *problem);

/// Removes the file's public name. A reader that has the file open can continue to read.
void trace_region_withdraw(trace_region *region);

/// The public name of the region's file; empty for an anonymous region.
const char *trace_region_name(const trace_region *region);

/// The most regions of ended processes that a directory keeps, and the most bytes that they take together. A runtime directory is in
/// memory, so it must stay small.
enum { TRACE_KEPT_REGIONS = 16, TRACE_KEPT_BYTES = 256 << 20 };

/// Removes the regions of ended processes beyond these limits, those that began first. Opens no file unless there are more regions.
void trace_prune(int directory);

/// Together these values distinguish a process from every other process that ever had its id. Each is 0 if it is not known.
uint64_t trace_process_start(uint32_t pid);
uint64_t trace_process_namespace(void);
void trace_boot(uint8_t boot[16]);

/// States whether a flight recorder keeps the region's last seconds.
void trace_region_set_flight(trace_region *region, trace_flight flight);

/// States whether gates hold jobs.
void trace_region_set_holding(trace_region *region, bool holds_jobs);
bool trace_region_is_holding(const trace_region *region);

/// Acts as if the environment variable HOPSCOPE had this value. With 1, flight or a directory's full path, the first event publishes a
/// region. Must run before anything is recorded; the lanes call it when the program is loaded.
void trace_environment_ask(const char *value);

/// The region that the environment variable HOPSCOPE asks for. The first event or this call makes and installs it. NULL if the variable
/// asks for none, if another region is installed, or if making it failed; standard error then has the reason.
trace_region *trace_environment_region(void);

/// Makes, publishes and installs a region at once, as HOPSCOPE=1 or the directory that HOPSCOPE names would with the first event, and writes
/// its path. If a region is installed, it is that one. For a probe that is loaded into a running process. NULL with `problem` set if that
/// fails.
trace_region *trace_environment_begin(char *path, size_t room, trace_problem *problem);

/// Whether enough descriptors are free for a recording that the environment variable HOPSCOPE asks for: in this process, or in a program
/// that it starts, which does not inherit all of them. Sets `problem` and errno if not. Uses no descriptor itself.
bool trace_environment_has_descriptors(bool is_for_child, trace_problem *problem);

/// The directory that HOPSCOPE names, NULL if it names none.
const char *trace_environment_directory(void);

#ifdef __cplusplus
}
#endif

#endif
