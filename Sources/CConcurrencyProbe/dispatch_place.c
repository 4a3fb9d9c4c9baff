// The place in the program that gives a block to Dispatch.
//
// Between the program's call and the probe lie functions of Swift's libraries: the overlay's `async(group:qos:flags:execute:)`, Foundation's
// operations and timers. On x86-64 most of them keep no frame, and use the frame register for other values, so a walk along the frames
// loses the program's function. The walk steps over such a function by its first instructions.

#define _GNU_SOURCE
#include "dispatch_place.h"

#include "dispatch_blocks.h"
#include "dispatch_library.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// A word of the stack that a walk has read.
typedef struct read_word {
    const uintptr_t *place;
    uintptr_t value;
} read_word;

/// A walk from one frame, and the label that it came to. It comes to the same label again if all words that it read are as they were.
enum { WORDS_OF_A_WALK = 12, KNOWN_WALKS = 8 };
typedef struct known_walk {
    const void *frame;
    const void *outer;      ///< the running block, beyond which no walk goes
    uint64_t recording;
    uint32_t label;
    uint32_t count;         ///< the number of words; above WORDS_OF_A_WALK for a walk that is not kept
    read_word words[WORDS_OF_A_WALK];
} known_walk;

/// A label that the thread has asked for. One comparison in the place of the two that an entry for code and one for its label would take.
typedef struct known_place {
    uint64_t recording;
    const void *returns[SITE_DEPTH];
    uint32_t label;
} known_place;

/// The effect of the first instructions of a function on the stack.
typedef struct prologue {
    const void *returns;  ///< the address in the function that this was asked for
    int32_t kept;         ///< bytes between the stack and the return address; -1 for a function with a frame
    int32_t frame;        ///< the position of the caller's frame register among them, from the return address; -1 if it is not kept
} prologue;

/// A thread's cache of places. The thread allocates it at its first block. It is no thread-local variable, because the loader has little room
/// for those of a library that is loaded while the program runs.
enum { KNOWN_PROLOGUES = 64, KNOWN_PLACES = 64 };
typedef struct place_cache {
    known_walk walks[KNOWN_WALKS];
    prologue prologues[KNOWN_PROLOGUES];
    known_place places[KNOWN_PLACES];
} place_cache;

static __thread place_cache *cache __attribute__((tls_model("initial-exec")));
static pthread_key_t cache_ends;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;

static void free_cache(void *ended) {
    cache = NULL;
    free(ended);
}

static void prepare_caches(void) {
    pthread_key_create(&cache_ends, free_cache);
}

static __attribute__((noinline)) place_cache *make_cache(void) {
    pthread_once(&cache_once, prepare_caches);
    place_cache *made = calloc(1, sizeof *made);
    if (made != NULL && pthread_setspecific(cache_ends, made) != 0) {
        free(made);
        return NULL;
    }
    return cache = made;
}

/// The thread's cache, NULL if memory is short.
static inline place_cache *cache_here(void) {
    return __builtin_expect(cache != NULL, 1) ? cache : make_cache();
}

/// The registers that lead from a function to its caller.
typedef struct caller {
    const void *returns;     ///< the address in the caller at which it continues
    const uintptr_t *stack;  ///< the caller's stack when it made the call
    const uintptr_t *frame;  ///< the caller's frame register
    known_walk *walk;
} caller;

static inline uintptr_t read_stack(caller *at, const uintptr_t *place) {
    known_walk *walk = at->walk;
    if (walk->count < WORDS_OF_A_WALK) walk->words[walk->count] = (read_word){.place = place, .value = *place};
    walk->count++;
    return *place;
}

enum { LONGEST_WALK = 24 };

static bool is_on_stack(const uintptr_t *from, const uintptr_t *to) {
    uintptr_t distance = (uintptr_t)to - (uintptr_t)from;
    return (uintptr_t)to % sizeof(void *) == 0 && (uintptr_t)to >= (uintptr_t)from && distance < LARGEST_FRAME
        && (uintptr_t)to + 2 * sizeof(void *) <= probe_stack_end() && (uintptr_t)from >= probe_this.stack_start;
}

// MARK: - Functions without a frame

#ifdef __x86_64__

static prologue read_prologue(const void *returns) {
    prologue read = {.returns = returns, .kept = -1, .frame = -1};
    const uint8_t *code = code_start_of_function(returns);
    if (code == NULL) return read;
    int32_t kept = 0;
    if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e) code += 4;  // endbr64
    for (;;) {
        bool keeps_frame = code[0] == 0x55;  // push %rbp
        if (keeps_frame && code[1] == 0x48 && code[2] == 0x89 && code[3] == 0xe5) return read;  // mov %rsp,%rbp
        if (code[0] >= 0x50 && code[0] <= 0x57) {  // push of a register
            kept += 8;
            code += 1;
            if (keeps_frame) read.frame = kept;
        } else if (code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57) {  // push of %r8 to %r15
            kept += 8;
            code += 2;
        } else if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) {  // sub of a small number from %rsp
            kept += code[3];
            break;
        } else if (code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec) {  // sub of a large one
            int32_t size;
            memcpy(&size, code + 3, sizeof size);
            kept += size;
            break;
        } else {
            break;
        }
    }
    read.kept = kept;
    return read;
}

/// Steps from a function without a frame to its caller. False if it has a frame.
static bool step_without_frame(caller *at) {
    place_cache *here = cache_here();
    if (here == NULL) return false;
    prologue *place = &here->prologues[((uintptr_t)at->returns * 0x9E3779B97F4A7C15u >> 40) % KNOWN_PROLOGUES];
    if (place->returns != at->returns) *place = read_prologue(at->returns);
    if (place->kept < 0 || place->kept >= LARGEST_FRAME) return false;
    const uintptr_t *up = (const uintptr_t *)((uintptr_t)at->stack + (uintptr_t)place->kept);
    if (!is_on_stack(at->stack, up)) return false;
    if (place->frame >= 0) at->frame = (const uintptr_t *)read_stack(at, up - place->frame / (int32_t)sizeof(void *));
    at->returns = (const void *)read_stack(at, up);
    at->stack = up + 1;
    return true;
}

#else

static bool step_without_frame(caller *at) {
    (void)at;
    return false;
}

#endif

// MARK: - The walk

static bool step_along_frame(caller *at) {
    if (!is_on_stack(at->stack - 2, at->frame)) return false;
    const uintptr_t *frame = at->frame;
    at->returns = (const void *)read_stack(at, frame + 1);
    at->stack = frame + 2;
    at->frame = (const uintptr_t *)(read_stack(at, frame) & ~ASYNCHRONOUS_FRAME);
    return at->returns != NULL;
}

/// The function of a block's body. Swift's block calls the closure whose function it captured first, before the closure's context. A block
/// of C has its code in its own function.
static const void *code_of(const dispatch_block *body) {
    enum { SIZE_OF_SWIFTS = sizeof(dispatch_block) + 2 * sizeof(void *) };
    bool is_of_swift = body->descriptor->size == SIZE_OF_SWIFTS && !dispatch_is_between((const void *)body->invoke);
    return is_of_swift ? body->captured[0] : (const void *)body->invoke;
}

/// Stores the program's calls, the innermost first. A walk that does not reach the program stores the call of Dispatch.
static size_t calls(known_walk *walk, const void **returns, size_t room) {
    const uintptr_t *own = walk->frame;
    caller at = {.stack = own + 2, .walk = walk};
    at.returns = (const void *)read_stack(&at, own + 1);
    at.frame = (const uintptr_t *)(read_stack(&at, own) & ~ASYNCHRONOUS_FRAME);
    const void *first = at.returns;
    for (int steps = 0; dispatch_is_between(at.returns); steps++) {
        if (steps == LONGEST_WALK || !(step_without_frame(&at) || step_along_frame(&at))) {
            returns[0] = first;
            return 1;
        }
    }
    size_t count = 0;
    // Beyond the running block lie the probe's frames and Dispatch's.
    const void *outer = probe_this.block;
    while (count < room && (outer == NULL || (const void *)at.stack <= outer) && !dispatch_is_probe(at.returns)) {
        if (count > 0 && dispatch_is_between(at.returns)) break;
        returns[count++] = at.returns;
        if (!step_along_frame(&at)) break;
    }
    if (count > 0) return count;
    // The call is the last act of the running block's body, and so a jump. The body stands for it.
    walk->count = WORDS_OF_A_WALK + 1;
    const dispatch_block *body = probe_this.block != NULL ? probe_this.block->body : NULL;
    if (body == NULL) return 0;
    returns[0] = (const char *)code_of(body) + 1;
    return 1;
}

// MARK: - Labels

static __attribute__((noinline)) uint32_t learn_place(known_place *place, const void *const *returns, size_t count, uint64_t recording) {
    uint32_t code = trace_code(TRACE_CODE_CALLS, returns, count);
    uint32_t label = code != TRACE_ENTRY_NONE ? trace_label_of_code(NULL, 0, code) : TRACE_ENTRY_NONE;
    memcpy(place->returns, returns, sizeof place->returns);
    place->label = label;
    place->recording = recording;
    return label;
}

/// Walks from the frame and keeps the walk.
static __attribute__((noinline)) uint32_t walk_from(known_walk *walk, const void *frame, uint64_t recording) {
    const void *returns[SITE_DEPTH] = {NULL};
    *walk = (known_walk){.frame = frame, .outer = probe_this.block};
    size_t count = calls(walk, returns, SITE_DEPTH);
    uintptr_t hash = 0;
    for (size_t index = 0; index < SITE_DEPTH; index++) hash = (hash ^ (uintptr_t)returns[index]) * 0x9E3779B97F4A7C15u;
    known_place *place = &cache->places[(hash >> 40) % KNOWN_PLACES];
    bool is_known = place->recording == recording && memcmp(place->returns, returns, sizeof returns) == 0;
    walk->label = is_known ? place->label : learn_place(place, returns, count, recording);
    if (walk->count <= WORDS_OF_A_WALK) walk->recording = recording;
    return walk->label;
}

static inline bool is_as_before(const known_walk *walk, const void *frame, uint64_t recording) {
    if (walk->frame != frame || walk->recording != recording || walk->outer != probe_this.block) return false;
    bool differs = false;
    for (uint32_t index = 0; index < walk->count; index++) differs |= *walk->words[index].place != walk->words[index].value;
    return !differs;
}

uint32_t block_place(const void *frame, uint64_t recording) {
    place_cache *here = cache_here();
    if (here == NULL) return TRACE_ENTRY_NONE;
    known_walk *walk = &here->walks[((uintptr_t)frame >> 4) % KNOWN_WALKS];
    return is_as_before(walk, frame, recording) ? walk->label : walk_from(walk, frame, recording);
}

uint32_t block_named_place(const void *frame, const char *name) {
    const void *returns[SITE_DEPTH] = {NULL};
    known_walk walk = {.frame = frame, .outer = probe_this.block};
    uint32_t code = trace_code(TRACE_CODE_CALLS, returns, calls(&walk, returns, SITE_DEPTH));
    return trace_label_of_code(name, strlen(name), code);
}
