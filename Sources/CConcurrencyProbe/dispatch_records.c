// Memory for the records of pending blocks. One thread gives a block to a queue and another runs it, so records travel from thread to thread
// in bundles: the allocator of the C library would take a lock for each.

#include "dispatch_records.h"

#include "probe_thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/// A free record. The first one of a bundle leads to the next bundle, too.
typedef struct free_record {
    struct free_record *next;
    struct free_record *next_bundle;
} free_record;

enum { BUNDLE = 32 };

/// The thread's free records: up to a bundle, and a full one.
typedef struct free_records {
    free_record *first;
    free_record *full;
    int count;
    bool is_watched;  ///< the thread's end gives its records back
} free_records;

static __thread free_records own __attribute__((tls_model("initial-exec")));
static free_record *bundles;
static pthread_mutex_t bundles_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t leaving;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// The probe records waits for the program's locks, and not for this one.
static void lock_bundles(void) {
    probe_this.is_busy = true;
    pthread_mutex_lock(&bundles_lock);
}

static void unlock_bundles(void) {
    pthread_mutex_unlock(&bundles_lock);
    probe_this.is_busy = false;
}

static void give_bundle(free_record *bundle) {
    if (bundle == NULL) return;
    lock_bundles();
    bundle->next_bundle = bundles;
    bundles = bundle;
    unlock_bundles();
}

static void leave(void *unused) {
    (void)unused;
    give_bundle(own.first);
    give_bundle(own.full);
    own = (free_records){0};
}

/// Runs in a forked child. The thread that held the lock, and had changed the list halfway, is the parent's.
static void child_begins(void) {
    bundles_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    bundles = NULL;
}

static void prepare(void) {
    pthread_key_create(&leaving, leave);
    pthread_atfork(NULL, NULL, child_begins);
}

static void watch_end(void) {
    pthread_once(&once, prepare);
    pthread_setspecific(leaving, &own);
    own.is_watched = true;
}

/// A new bundle. Its memory stays with the process, for later records.
static free_record *make_bundle(void) {
    char *memory = malloc((size_t)BUNDLE * BLOCK_RECORD_SIZE);
    free_record *first = NULL;
    for (int index = BUNDLE - 1; memory != NULL && index >= 0; index--) {
        free_record *record = (free_record *)(memory + (size_t)index * BLOCK_RECORD_SIZE);
        *record = (free_record){.next = first};
        first = record;
    }
    return first;
}

static __attribute__((noinline)) void take_bundle(void) {
    if (!own.is_watched) watch_end();
    own.first = own.full;
    own.full = NULL;
    if (own.first == NULL) {
        lock_bundles();
        own.first = bundles;
        if (bundles != NULL) bundles = bundles->next_bundle;
        unlock_bundles();
    }
    if (own.first == NULL) own.first = make_bundle();
    own.count = own.first != NULL ? BUNDLE : 0;
}

void *block_record_take(void) {
    if (__builtin_expect(own.first == NULL, 0)) take_bundle();
    free_record *record = own.first;
    if (record == NULL) return NULL;
    own.first = record->next;
    own.count--;
    return record;
}

static __attribute__((noinline)) void put_bundle_aside(void) {
    if (!own.is_watched) watch_end();
    give_bundle(own.full);
    own.full = own.first;
    own.first = NULL;
    own.count = 0;
}

void block_record_give(void *record) {
    if (__builtin_expect(own.count >= BUNDLE || !own.is_watched, 0)) put_bundle_aside();
    free_record *free = record;
    free->next = own.first;
    own.first = free;
    own.count++;
}
