// What `hopscope explore` and the library that it preloads tell each other: an order that is asked for, and what happened in it.
//
// Both map one file. A byte on a socket says that the other side has written it.

#ifndef EXPLORE_RECORD_H
#define EXPLORE_RECORD_H

#include <stddef.h>
#include <stdint.h>

/// The environment's variables: the folder with the socket and the file, and a text that the command line of an explored process contains.
#define EXPLORE_FOLDER "HOPSCOPE_EXPLORE"
#define EXPLORE_ONLY "HOPSCOPE_EXPLORE_ONLY"

/// The names in the folder.
#define EXPLORE_SOCKET "socket"
#define EXPLORE_RECORD "record"
#define EXPLORE_OUTPUT "output"

enum {
    EXPLORE_VERSION = 6,
    EXPLORE_NAME = 48,
    EXPLORE_CHOICES = 1 << 19,
    EXPLORE_STRANDS = 1 << 15,
    EXPLORE_DEVIATIONS = 1 << 14,
    EXPLORE_DEPTH = 16,
    EXPLORE_SLOTS = 8,  ///< the most orders that run at once; each has a part of the file of its own
};

/// The command sends two bytes: a request and a slot. A request is for one order in a child, for one in the process itself, for the process
/// without the library, or for its end. The process answers with the slot of a child that has ended.
enum { EXPLORE_RUN = 'r', EXPLORE_RUN_HERE = 'h', EXPLORE_RUN_PLAIN = 'p', EXPLORE_END = 'e' };

/// The ways to choose. A plan is first come, first served, but for its deviations.
enum { EXPLORE_BY_PLAN, EXPLORE_BY_CHANCE, EXPLORE_BY_PRIORITY };

/// How an order ended: the program ended, nothing could run, it was too long, it did nothing when its time was up, or the system refused
/// what the order needs.
enum { EXPLORE_ENDED, EXPLORE_DEADLOCK, EXPLORE_TOO_LONG, EXPLORE_TIMED_OUT, EXPLORE_REFUSED };

/// What was not controlled in an order.
enum {
    EXPLORE_SAW_SOURCES = 1,
    EXPLORE_SAW_INPUT = 4,
    EXPLORE_SAW_PROCESSES = 8,
    EXPLORE_SAW_ALARMS = 16,
    EXPLORE_SAW_HASTE = 32,  ///< virtual time passed while something from outside was awaited
};

/// What a strand is. A strand is what runs in one sequence: a task, a block, a thread.
enum { EXPLORE_MAIN = 1, EXPLORE_TASK, EXPLORE_BLOCK, EXPLORE_THREAD, EXPLORE_TIME, EXPLORE_OUTSIDE };

/// The number of the passing of time among the strands of a deviation.
#define EXPLORE_TIME_ID 2u

/// Places at which another strand may go on.
enum {
    EXPLORE_AT_END = 1, EXPLORE_AT_CREATE, EXPLORE_AT_HOP, EXPLORE_AT_CONTINUATION, EXPLORE_AT_RESUME, EXPLORE_AT_CANCEL,
    EXPLORE_AT_SLICE, EXPLORE_AT_LOCK, EXPLORE_AT_WAIT, EXPLORE_AT_DISPATCH, EXPLORE_AT_THREAD, EXPLORE_AT_INPUT, EXPLORE_AT_ACCESS,
};

/// One choice that differs from first come, first served: at its nth point, this strand is followed by that one.
typedef struct explore_deviation {
    uint32_t strand, point, next;
} explore_deviation;

/// A choice among two strands or more.
typedef struct explore_choice {
    uint32_t strand, point;   ///< who ran, and how many points it had passed
    uint32_t next, usual;     ///< who was chosen, and who would have been, first come, first served
    uint16_t pick, count;
    uint32_t place;
    uint64_t here, there;     ///< where the one was, and where the other goes on: offsets in the program; 0 for elsewhere
    int64_t early;            ///< by how many nanoseconds a timer fired early
} explore_choice;

/// A strand's number does not depend on the order: it is made of its maker's number, and of how many strands the maker had made.
typedef struct explore_strand {
    uint32_t id, kind, parent, points, children;
    uint64_t site;  ///< where it was made: an offset in the program; 0 for a place elsewhere
    uint64_t caller;  ///< from where the function that holds the site was called, likewise; a site in compiled-in library code has no line
    char name[EXPLORE_NAME];  ///< the name that the program gave it, cut and ended by 0; empty for none
} explore_strand;

typedef struct explore_header {
    uint32_t version;
    // The order that is asked for.
    uint32_t policy, depth, length, max_choices, limit_ms, is_real_time, is_patient, is_fine, deviations;
    int32_t exit_status;
    uint64_t seed;
    int64_t early_limit;
    // What happened.
    int32_t status;  ///< as `waitpid` tells it
    int32_t refusal;  ///< the system's error number
    uint32_t ending, choices, steps, jobs, timers, early, foreign, outside, lost, strands, saw, blocked;
    uint64_t hash;
    int32_t process;
    char refused[32];  ///< the call that the system refused
    char program[1024];
} explore_header;

typedef struct explore_file {
    explore_header header;
    explore_deviation plan[EXPLORE_DEVIATIONS];
    explore_strand strands[EXPLORE_STRANDS];
    explore_choice choices[EXPLORE_CHOICES];
} explore_file;

/// The processors that the calling process may run on.
int explore_processors(void);

// Swift imports no arrays of such a size.
static inline size_t explore_file_size(void) { return sizeof(explore_file); }
static inline explore_header *_Nonnull explore_header_of(void *_Nonnull file) { return &((explore_file *)file)->header; }
static inline explore_deviation *_Nonnull explore_plan_of(void *_Nonnull file) { return ((explore_file *)file)->plan; }
static inline explore_strand *_Nonnull explore_strands_of(void *_Nonnull file) { return ((explore_file *)file)->strands; }
static inline const char *_Nonnull explore_name_of(const explore_strand *_Nonnull strand) { return strand->name; }
static inline explore_choice *_Nonnull explore_choices_of(void *_Nonnull file) { return ((explore_file *)file)->choices; }

#endif
