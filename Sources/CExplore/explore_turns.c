#define _GNU_SOURCE
#include "explore_turns.h"

#include "explore_choice.h"
#include "explore_outside.h"
#include "explore_players.h"
#include "explore_strands.h"
#include "probe_ordered.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static item *item_of_thread(player *thread, uintptr_t site) {
    item *made = calloc(1, sizeof *made);
    *made = (item){.kind = ITEM_THREAD, .thread = thread, .strand = thread->strand, .site = site};
    return made;
}

/// Lets what is ready run if no thread has the turn or chooses who gets it.
static void run_if_idle(void) {
    if (explore.holder == NULL && !explore.is_choosing) players_run_next(STRAND_OUTSIDE);
}

void turns_add(item *added) {
    explore_lock();
    if (explore_this.player == NULL) explore.record->foreign++;
    explore.record->jobs++;
    choice_add(added);
    run_if_idle();
    explore_unlock();
}

void turns_add_timer(item *timer, int64_t when) {
    explore_lock();
    timer->when = when;
    if (explore.timer_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    explore.timers[explore.timer_count++] = timer;
    run_if_idle();
    explore_unlock();
}

// MARK: - Points at which the order may change

void turns_offer(uint32_t place, uintptr_t site) {
    if (!has_turn() || explore_this.once > 0) return;
    explore_this.is_inside = true;
    player *self = explore_this.player;
    explore_lock();
    uint32_t strand = strand_now();
    if (explore.ready_count > 0 || explore.timer_count > 0) {
        item here = {.kind = ITEM_THREAD, .thread = self, .strand = strand, .site = site};
        item *next = choice_next(strand, &here, place);
        if (next != NULL) {
            item *back = item_of_thread(self, site);
            back->strand = strand;
            choice_add(back);
            players_give(next);
            explore_unlock();
            players_wait(self);
            explore_this.is_inside = false;
            return;
        }
    }
    explore_unlock();
    explore_this.is_inside = false;
}

void turns_offer_own(uint32_t place, uintptr_t site) {
    if (is_in(explore.program, site)) turns_offer(place, site);
}

// MARK: - Waiting

bool turns_block(const void *object, int64_t limit) {
    bool was_inside = explore_this.is_inside;
    explore_this.is_inside = true;
    player *self = explore_this.player;
    explore_lock();
    uint32_t strand = strand_now();
    self->blocked_on = object;
    self->is_timed_out = false;
    if (explore.blocked_count >= ROOM_FOR_THREADS || explore.timer_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    explore.blocked[explore.blocked_count++] = self;
    self->limit = NULL;
    if (limit != INT64_MAX) {
        self->limit = item_of_thread(self, 0);
        self->limit->strand = strand;
        self->limit->when = limit;
        explore.timers[explore.timer_count++] = self->limit;
    }
    players_run_next(strand);
    explore_unlock();
    players_wait(self);
    explore_this.is_inside = was_inside;
    return self->is_timed_out;
}

bool turns_wait(const void *object, int64_t limit, uint64_t awaited) {
    uint64_t waiter = turn_wait_began(awaited, FRAME);
    bool gave_up = turns_block(object, limit);
    turn_wait_ended(waiter, awaited, gave_up);
    return gave_up;
}

/// Takes out the timer of a thread that something else has woken, or else the timer would wake it a second time.
static void forget_limit(player *woken) {
    for (int index = 0; woken->limit != NULL && index < explore.timer_count; index++) {
        if (explore.timers[index] != woken->limit) continue;
        TAKE_OUT(explore.timers, explore.timer_count, index);
        free(woken->limit);
        break;
    }
    woken->limit = NULL;
}

void turns_unblock(const void *object, bool all) {
    if (!explore.is_on || explore.blocked_count == 0) return;
    bool was_inside = explore_this.is_inside;
    explore_this.is_inside = true;
    explore_lock();
    for (int index = 0; index < explore.blocked_count;) {
        player *waiting = explore.blocked[index];
        if (waiting->blocked_on != object) {
            index++;
            continue;
        }
        TAKE_OUT(explore.blocked, explore.blocked_count, index);
        waiting->blocked_on = NULL;
        forget_limit(waiting);
        choice_add(item_of_thread(waiting, 0));
        if (!all) break;
    }
    run_if_idle();
    explore_unlock();
    explore_this.is_inside = was_inside;
}

void turns_await_file(int file, short events) {
    explore_this.is_inside = true;
    player *self = explore_this.player;
    explore_lock();
    self->file = file;
    self->events = events;
    if (explore.reader_count >= ROOM_FOR_THREADS) explore_end(EXPLORE_TOO_LONG);
    explore.readers[explore.reader_count++] = self;
    players_run_next(strand_now());
    explore_unlock();
    players_wait(self);
    explore_this.is_inside = false;
}

void turns_leave(const struct pollfd *polled, unsigned long count) {
    explore_this.is_inside = true;
    player *self = explore_this.player;
    explore_lock();
    if (explore.outside_count >= ROOM_FOR_THREADS) explore_end(EXPLORE_TOO_LONG);
    self->polled = polled;
    self->polled_count = count;
    explore.outside[explore.outside_count++] = self;
    if (self == &explore.main) {
        explore.main_is_busy = false;
        explore.main.is_polling = true;
    } else {
        explore.record->saw |= EXPLORE_SAW_INPUT;
    }
    players_run_next(strand_now());
    explore_unlock();
}

/// Waits for the turn of a thread that comes from outside of the order. The caller holds the lock, which is free afterwards.
static void ask_again(player *self) {
    outside_forget_lost(self);
    choice_add(item_of_thread(self, 0));
    run_if_idle();
    explore_unlock();
    players_wait(self);
}

void turns_return(bool is_in_time) {
    player *self = explore_this.player;
    explore_lock();
    int index = 0;
    while (explore.outside[index] != self) index++;
    explore.outside[index] = explore.outside[--explore.outside_count];
    bool is_chosen = self == &explore.main && explore.holder == self;  // its run loop has a job to do
    if (self == &explore.main) explore.main.is_polling = false;
    if (is_chosen) {
        explore_unlock();
    } else {
        if (self == &explore.main) explore.main_is_busy = true;
        if (!is_in_time) explore.record->outside++;
        ask_again(self);
    }
    explore_this.is_inside = false;
}

void turns_rejoin(void) {
    player *self = explore_this.player;
    explore_this.is_inside = true;
    explore_lock();
    explore.record->outside++;
    ask_again(self);
    explore_this.is_inside = false;
}

// MARK: - Queues whose blocks run on the caller's thread

void turns_acquire(void *queue, bool is_exclusive) {
    explore_this.is_inside = true;
    player *self = explore_this.player;
    explore_lock();
    item asked = {.kind = ITEM_THREAD, .queue = queue, .is_exclusive = is_exclusive};
    bool is_free = choice_is_eligible(&asked) && choice_is_first(&asked, explore.ready_count);
    if (is_free) {
        players_occupy(queue, is_exclusive);
        explore_unlock();
    } else {
        item *waiting = item_of_thread(self, 0);
        waiting->queue = queue;
        waiting->is_exclusive = is_exclusive;
        choice_add(waiting);
        players_run_next(strand_now());
        explore_unlock();
        players_wait(self);
    }
    explore_this.is_inside = false;
}

void turns_release(void *queue, bool is_exclusive) {
    explore_lock();
    players_vacate(queue, is_exclusive);
    explore_unlock();
}

// MARK: - The main thread

void turns_run_main(void) {
    player *self = explore_this.player = &explore.main;
    bool has_begun = false;
    for (;;) {
        explore_this.is_inside = true;
        explore_lock();
        explore.main_is_in_loop = true;
        explore.main_is_busy = false;
        if (!has_begun || explore.holder == self) players_run_next(self->strand);
        has_begun = true;
        explore_unlock();
        players_wait(self);
        explore_this.is_inside = false;
        item *job = self->todo;
        self->todo = NULL;
        players_run(job);
    }
}

// MARK: - Threads of the program

void turns_add_thread(player *thread, uintptr_t site) {
    explore_lock();
    thread->strand = strand_make(EXPLORE_THREAD, site);
    explore.thread_count++;
    choice_add(item_of_thread(thread, site));
    explore_unlock();
}

void turns_begin_thread(player *thread) {
    explore_this.player = thread;
    explore_this.is_inside = true;
    thread->tid = (int)explore_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    players_wait(thread);
    explore_this.is_inside = false;
}

void turns_end_thread(void) {
    player *self = explore_this.player;
    if (self == NULL || !explore.is_on) return;
    self->has_ended = true;
    turns_unblock(self, true);
    explore_this.is_inside = true;
    explore_lock();
    explore.thread_count--;
    outside_forget_lost(self);
    if (explore.holder == self) players_run_next(self->strand);
    explore_unlock();
    explore_this.player = NULL;  // `pthread_join` still reads the player
}

// MARK: - What the library's own thread does

/// The processor time of a thread, in nanoseconds.
static int64_t processor_time(int thread) {
    enum { OF_THREAD = 4, SCHEDULED = 2 };
    struct timespec used = {0};
    explore_kernel(SYS_clock_gettime, (long)(~(unsigned)thread << 3 | OF_THREAD | SCHEDULED), (long)&used, 0, 0, 0, 0);
    return used.tv_sec * 1000000000ll + used.tv_nsec;
}

/// Lets others go on beside the thread that has the turn, which waits in a call or a loop that this library does not see. It has lost
/// the turn before another is chosen, because the choice may wait, and the thread may come back meanwhile and ask for a turn.
static void lose(player *runner) {
    explore.holder = NULL;
    outside_note_lost(runner);
    item *next = choice_next(runner->strand, NULL, EXPLORE_AT_WAIT);
    if (next != NULL) {
        players_give(next);
        return;
    }
    outside_take_back(runner);
    explore.holder = runner;
    bool is_stuck = explore.timer_count == 0 && !outside_is_awaited() && players_state(runner->tid) == 'S'
        && outside_waits_for_thread(runner->tid);
    if (is_stuck) explore_end(EXPLORE_DEADLOCK);
}

void turns_watch(void) {
    enum { MOST_PROCESSOR_TIME = 100000000 };
    static uint32_t last, quiet;
    static int64_t began;
    explore_lock();
    if (explore.holder == NULL && !explore.is_choosing) outside_note_input();
    if (!explore.has_virtual_time) choice_fire_timers(explore_real_now());
    if (explore.ready_count > 0) run_if_idle();
    uint32_t now = explore.record->choices + explore.record->steps + explore.record->jobs;
    player *runner = explore.holder;
    int64_t used = runner != NULL && runner->tid != 0 ? processor_time(runner->tid) : 0;
    bool is_quiet = now == last && (runner == NULL || (runner->tid != 0 && players_state(runner->tid) == 'S'));
    if (now != last) began = used;
    last = now;
    quiet = is_quiet ? quiet + 1 : 0;
    if (quiet >= 2 && runner == NULL) players_judge_silence(quiet >= 350);
    bool is_spinning = runner != NULL && used - began > MOST_PROCESSOR_TIME && choice_can_go_on();
    if (runner != NULL && !explore.is_choosing && (quiet >= 50 || is_spinning)) {
        quiet = 0;
        lose(runner);
    }
    explore_unlock();
}
