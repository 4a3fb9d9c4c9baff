#define _GNU_SOURCE
#include "explore_players.h"

#include "explore_choice.h"
#include "explore_functions.h"
#include "explore_outside.h"
#include "explore_strands.h"
#include "probe_ordered.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Dispatch's functions, which the program may not have.
extern __attribute__((weak)) void dispatch_sync_f(void *queue, void *context, void (*function)(void *));
extern __attribute__((weak)) void dispatch_barrier_sync_f(void *queue, void *context, void (*function)(void *));
extern __attribute__((weak)) void dispatch_release(void *object);
extern __attribute__((weak)) char _dispatch_main_q[];
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);

int64_t explore_real_now(void) {
    struct timespec now = {0};
    explore_kernel(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

void players_wait(player *self) {
    while (__atomic_load_n(&self->turn, __ATOMIC_ACQUIRE) == 0)
        explore_kernel(SYS_futex, (long)&self->turn, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    __atomic_store_n(&self->turn, 0, __ATOMIC_RELEASE);
}

static void wake(player *next) {
    __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
    explore_kernel(SYS_futex, (long)&next->turn, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

void players_occupy(void *queue, bool is_exclusive) {
    if (explore.busy_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    explore.busy[explore.busy_count++] = (busy_queue){queue, is_exclusive};
}

void players_vacate(void *queue, bool is_exclusive) {
    for (int index = 0; index < explore.busy_count; index++) {
        if (explore.busy[index].queue != queue || explore.busy[index].is_exclusive != is_exclusive) continue;
        explore.busy[index] = explore.busy[--explore.busy_count];
        return;
    }
}

// MARK: - Running

void players_run(item *job) {
    player *self = explore_this.player;
    self->is_fresh = true;
    self->strand = job->strand;
    kept_block_runs(&job->made, job->function, job->context);
    free(job);
}

static void run_on_queue(void *job) {
    explore_this.is_inside = false;
    players_run(job);
    explore_this.is_inside = true;
}

/// Runs a block as one of its queue, so that values of the queue and its preconditions keep their meaning. The queue is free: the choice
/// has seen to it.
static void run_queued(item *job) {
    void *queue = job->queue, *submitted = job->submitted;
    bool is_exclusive = job->is_exclusive;
    explore_this.is_inside = true;
    if (job->is_barrier) dispatch_barrier_sync_f(submitted, job, run_on_queue);
    else dispatch_sync_f(submitted, job, run_on_queue);
    explore_lock();
    players_vacate(queue, is_exclusive);
    explore_unlock();
    dispatch_release(submitted);
    explore_this.is_inside = false;
}

static void *run_worker(void *argument) {
    player *self = explore_this.player = argument;
    self->tid = (int)explore_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    for (;;) {
        players_wait(self);
        for (;;) {
            item *job = self->todo;
            self->todo = NULL;
            if (job->kind == ITEM_QUEUE) run_queued(job);
            else players_run(job);
            explore_this.is_inside = true;
            explore_lock();
            bool has_turn = explore.holder == self;  // else others go on already, because the job took too long
            if (!has_turn) outside_forget_lost(self);
            item *next = has_turn ? choice_next(self->strand, NULL, EXPLORE_AT_END) : NULL;
            if (next == NULL || next->kind == ITEM_THREAD || next->kind == ITEM_MAIN) {
                explore.idle[explore.idle_count++] = self;
                if (next != NULL) players_give(next);
                else if (has_turn) explore.holder = NULL, players_judge_silence(false);
                explore_unlock();
                explore_this.is_inside = false;
                break;
            }
            explore.record->steps++;
            if (next->queue != NULL) players_occupy(next->queue, next->is_exclusive);
            self->todo = next;
            explore_unlock();
            explore_this.is_inside = false;
        }
    }
    return NULL;
}

/// Run by a run loop of Foundation: the main thread keeps its turn until it polls.
static void run_on_main(void *argument) {
    explore_this.player = &explore.main;
    players_run(argument);
}

// MARK: - Handing the turn over

static void submit(void *queue, item *job, void (*function)(void *)) {
    bool was_inside = explore_this.is_inside;
    explore_this.is_inside = true;
    RECORDED(dispatch_async_f)(queue, job, function);
    explore_this.is_inside = was_inside;
}

static player *idle_worker(void) {
    if (explore.idle_count > 0) return explore.idle[--explore.idle_count];
    if (explore.thread_count >= ROOM_FOR_THREADS) explore_end(EXPLORE_TOO_LONG);
    player *made = calloc(1, sizeof *made);
    explore.thread_count++;
    bool was_inside = explore_this.is_inside;
    explore_this.is_inside = true;
    pthread_t thread;
    int error = NEXT(pthread_create)(&thread, NULL, run_worker, made);
    if (error != 0) explore_end_refused("pthread_create", error);
    explore_this.is_inside = was_inside;
    return made;
}

void players_give(item *next) {
    explore.record->steps++;
    if (next->kind != ITEM_MAIN && next->queue != NULL) players_occupy(next->queue, next->is_exclusive);
    switch (next->kind) {
    case ITEM_THREAD:
        explore.holder = next->thread;
        wake(next->thread);
        free(next);
        break;
    case ITEM_GLOBAL:
    case ITEM_QUEUE: {
        player *worker = idle_worker();
        worker->todo = next;
        explore.holder = worker;
        wake(worker);
        break;
    }
    case ITEM_CLOCK: break;  // it is never ready: the thread that waits for the file is
    case ITEM_MAIN:
        explore.main_is_busy = true;
        explore.main.todo = next;
        explore.holder = &explore.main;
        if (explore.main_is_in_loop) wake(&explore.main);
        else submit(_dispatch_main_q, next, run_on_main);
        break;
    }
}

void players_run_next(uint32_t strand) {
    item *next = choice_next(strand, NULL, EXPLORE_AT_END);
    if (next != NULL) {
        players_give(next);
    } else {
        explore.holder = NULL;
        players_judge_silence(false);
    }
}

// MARK: - Silence

char players_state(int thread) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 'S';
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    char *end = strrchr(text, ')');
    return end != NULL ? end[2] : 'S';
}

/// True if all threads of the process are known, but for idle ones of Dispatch.
static bool is_alone(void) {
    DIR *folder = opendir("/proc/self/task");
    int others = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[64], text[200] = "";
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        ssize_t count = read(file, text, sizeof text - 1);
        close(file);
        char *end = count > 0 ? strrchr(text, ')') : NULL;
        bool is_idle = end != NULL && strstr(text, "-qos") != NULL && end[2] == 'S';
        if (!is_idle) others++;
    }
    if (folder != NULL) closedir(folder);
    return others <= explore.thread_count + 2;  // the main thread, and this library's
}

void players_judge_silence(bool is_long) {
    if (explore.timer_count > 0 || outside_is_awaited() || choice_can_go_on()) return;
    bool main_waits = explore.main_is_in_loop || explore.main.blocked_on != NULL;
    if (is_long || (main_waits && explore.record->lost == 0 && is_alone())) explore_end(EXPLORE_DEADLOCK);
}
