// Threads that the program makes, and processes.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_strands.h"
#include "explore_turns.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);

typedef struct beginning {
    void *(*function)(void *);
    void *argument;
    player *player;
} beginning;

/// The threads that the program may join.
static player *threads[ROOM_FOR_THREADS];
static int thread_count;

/// A thread keeps its turn while the destructors of its variables run: they may release what the program's other threads release, too.
static pthread_key_t last_rounds;
static pthread_once_t last_rounds_once = PTHREAD_ONCE_INIT;

/// The C library calls the destructors in up to four rounds, each of those whose variables have a value again. The last one ends the turn.
static void end_thread(void *rounds) {
    bool is_last = (intptr_t)rounds == 1 || pthread_setspecific(last_rounds, (char *)rounds - 1) != 0;
    if (is_last) turns_end_thread();
}

static void make_last_rounds(void) {
    if (pthread_key_create(&last_rounds, end_thread) != 0) explore_end_refused("pthread_key_create", EAGAIN);
}

static void *run_thread(void *argument) {
    beginning begun = *(beginning *)argument;
    free(argument);
    turns_begin_thread(begun.player);
    pthread_once(&last_rounds_once, make_last_rounds);
    int error = pthread_setspecific(last_rounds, (void *)(intptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
    if (error != 0) explore_end_refused("pthread_setspecific", error);
    return begun.function(begun.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    bool is_programs = has_turn() && !is_in(explore.dispatch, CALLER) && !is_recorders(CALLER) && thread_count < ROOM_FOR_THREADS;
    if (!is_programs) return NEXT(pthread_create)(thread, attributes, function, argument);
    beginning *begun = malloc(sizeof *begun);
    *begun = (beginning){function, argument, calloc(1, sizeof(player))};
    int error = NEXT(pthread_create)(thread, attributes, run_thread, begun);
    if (error != 0) {
        free(begun->player);
        free(begun);
        return error;
    }
    begun->player->thread = *thread;
    threads[thread_count++] = begun->player;
    turns_add_thread(begun->player, (uintptr_t)function);
    turns_offer(EXPLORE_AT_THREAD, CALLER);
    return 0;
}

int ordered_pthread_join(pthread_t thread, void **result) {
    for (int index = 0; has_turn() && index < thread_count; index++) {
        if (!pthread_equal(threads[index]->thread, thread)) continue;
        while (!threads[index]->has_ended) turns_wait(threads[index], INT64_MAX, 0);
        threads[index] = threads[--thread_count];
        break;
    }
    return RECORDED(pthread_join)(thread, result);
}
