// Foundation's operations. An OperationQueue gives Dispatch a work item for each. The item's block is a closure of Foundation's, which has
// captured the queue and the operation.
//
// The layout of such a closure is no contract. So the probe proves once for each closure's code where the operation is: one of the two
// captured words is an `OperationQueue`, and the other one an `Operation`. The same code captures the same types each time.

#define _GNU_SOURCE
#include "dispatch_operations.h"

#include "dispatch_library.h"
#include "interposition.h"
#include "probe_memory.h"
#include "swift_abi.h"
#include "swift_string.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// MARK: - Classes

/// The first fields of a class's metadata.
typedef struct swift_class {
    uintptr_t kind;
    const struct swift_class *superclass;
} swift_class;

typedef SWIFT_CC swift_string operation_name_function(SWIFT_CONTEXT const void *operation);

/// Foundation's classes and functions. Each is NULL until the probe has looked it up.
typedef struct operation_classes {
    const swift_class *operation, *queue;
    operation_name_function *name;
} operation_classes;

static operation_classes classes;

static void find_classes(void) {
    classes = (operation_classes){
        .operation = SYMBOL($s10Foundation9OperationCN), .queue = SYMBOL($s10Foundation14OperationQueueCN),
        .name = (operation_name_function *)SYMBOL($s10Foundation9OperationC4nameSSSgvg)};
}

static bool is_readable(const void *place, size_t size) {
    return place != NULL && (uintptr_t)place % sizeof(void *) == 0 && memory_is_mapped(place, size);
}

/// Whether a word, which may be anything, refers to an object of a class or of one derived from it.
static bool is_proven_a(const void *word, const swift_class *wanted) {
    enum { DEEPEST_CLASS = 64, KIND_OF_CLASSES = 0 };
    if (!is_readable(word, sizeof(void *))) return false;
    const swift_class *class = *(const swift_class *const *)word;
    for (int depth = 0; depth < DEEPEST_CLASS && is_readable(class, sizeof *class); depth++) {
        if (class == wanted) return true;
        if (class->kind != KIND_OF_CLASSES) return false;
        class = class->superclass;
    }
    return false;
}

// MARK: - Closures

/// A closure's context behind the header of every object, which is two words.
enum { CONTEXT_WORDS = 4, FIRST_CAPTURED = 2 };

/// A closure of Foundation's that Dispatch was given, and the word of its context that is the operation; 0 if it performs none.
typedef struct known_closure {
    const void *code;
    size_t word;
} known_closure;

enum { KNOWN_CLOSURES = 32 };
static known_closure closures[KNOWN_CLOSURES];
static size_t closure_count;
static pthread_mutex_t closures_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t prove(const void *const *context) {
    if (!memory_is_mapped(context, CONTEXT_WORDS * sizeof *context)) return 0;
    for (size_t word = FIRST_CAPTURED; word < CONTEXT_WORDS; word++) {
        const void *other = context[CONTEXT_WORDS + FIRST_CAPTURED - 1 - word];
        if (is_proven_a(context[word], classes.operation) && is_proven_a(other, classes.queue)) return word;
    }
    return 0;
}

static size_t learn(const void *code, const void *const *context) {
    pthread_mutex_lock(&closures_lock);
    if (classes.operation == NULL) find_classes();
    size_t count = closure_count, index = 0;
    while (index < count && closures[index].code != code) index++;
    size_t word = index < count ? closures[index].word : 0;
    if (index == count && count < KNOWN_CLOSURES) {
        bool can_prove = classes.operation != NULL && classes.queue != NULL && classes.name != NULL;
        word = can_prove ? prove(context) : 0;
        closures[count] = (known_closure){.code = code, .word = word};
        // Another thread may be looking.
        __atomic_store_n(&closure_count, count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&closures_lock);
    return word;
}

/// The operation that the block of an operation's item performs, NULL for any other block.
static const void *operation_of(const dispatch_block *block) {
    enum { SIZE_OF_SWIFTS = sizeof(dispatch_block) + 2 * sizeof(void *) };
    if (block->descriptor->size != SIZE_OF_SWIFTS) return NULL;
    const void *code = block->captured[0];
    const void *const *context = block->captured[1];
    if (context == NULL || !dispatch_is_between(code)) return NULL;
    size_t count = __atomic_load_n(&closure_count, __ATOMIC_ACQUIRE), index = 0;
    while (index < count && closures[index].code != code) index++;
    size_t word = index < count ? closures[index].word : learn(code, context);
    return word != 0 ? context[word] : NULL;
}

// MARK: - Names

bool operation_name(const dispatch_block *block, char room[OPERATION_NAME_ROOM]) {
    const void *operation = operation_of(block);
    if (operation == NULL) return false;
    swift_string name = classes.name(operation);
    bool is_named = string_copy(&name, room, OPERATION_NAME_ROOM) && room[0] != 0;
    string_release(&name);
    if (is_named) return true;
    swift_type_name type = swift_getTypeName(*(const swift_class *const *)operation, false);
    // Foundation has a private class for barriers.
    bool is_private = type.length > 0 && type.bytes[0] == '_';
    int length = type.length < OPERATION_NAME_ROOM && !is_private ? (int)type.length : 0;
    snprintf(room, OPERATION_NAME_ROOM, "%.*s", length, type.bytes);
    return length != 0;
}
