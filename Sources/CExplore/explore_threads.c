// Threads that the program makes, and processes.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_strands.h"
#include "explore_turns.h"

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

static void end_thread(void *unused) {
    (void)unused;
    turns_end_thread();
}

static void *run_thread(void *argument) {
    beginning begun = *(beginning *)argument;
    free(argument);
    turns_begin_thread(begun.player);
    void *result;
    pthread_cleanup_push(end_thread, NULL);
    result = begun.function(begun.argument);
    pthread_cleanup_pop(1);
    return result;
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
        while (!threads[index]->has_ended) turns_block(threads[index], INT64_MAX);
        threads[index] = threads[--thread_count];
        break;
    }
    return RECORDED(pthread_join)(thread, result);
}
