#define _GNU_SOURCE
#include "explore_turns.h"

#include "explore_choice.h"
#include "explore_players.h"
#include "explore_strands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void push(item *added) {
    if (explore.ready_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    explore.ready[explore.ready_count++] = added;
}

static item *item_of_thread(player *thread, uintptr_t site) {
    item *made = calloc(1, sizeof *made);
    *made = (item){.kind = ITEM_THREAD, .thread = thread, .strand = thread->strand, .site = site};
    return made;
}

void turns_add(item *added) {
    explore_lock();
    if (explore_this.player == NULL) explore.record->foreign++;
    explore.record->jobs++;
    push(added);
    if (explore.holder == NULL) players_run_next(STRAND_OUTSIDE);
    explore_unlock();
}

void turns_add_timer(item *timer, int64_t when) {
    explore_lock();
    timer->when = when;
    if (explore.timer_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    explore.timers[explore.timer_count++] = timer;
    if (explore.holder == NULL) players_run_next(STRAND_OUTSIDE);
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
            push(back);
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
    item *timer = NULL;
    if (limit != INT64_MAX) {
        timer = item_of_thread(self, 0);
        timer->strand = strand;
        timer->when = limit;
        explore.timers[explore.timer_count++] = timer;
    }
    players_run_next(strand);
    explore_unlock();
    players_wait(self);
    explore_lock();
    for (int index = 0; timer != NULL && !self->is_timed_out && index < explore.timer_count; index++) {
        if (explore.timers[index] != timer) continue;
        memmove(explore.timers + index, explore.timers + index + 1, sizeof *explore.timers * (size_t)(explore.timer_count - index - 1));
        explore.timer_count--;
        free(timer);
        break;
    }
    explore_unlock();
    explore_this.is_inside = was_inside;
    return self->is_timed_out;
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
        memmove(explore.blocked + index, explore.blocked + index + 1, sizeof *explore.blocked * (size_t)(explore.blocked_count - index - 1));
        explore.blocked_count--;
        waiting->blocked_on = NULL;
        push(item_of_thread(waiting, 0));
        if (!all) break;
    }
    if (explore.holder == NULL) players_run_next(STRAND_OUTSIDE);
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

void turns_leave(void) {
    explore_this.is_inside = true;
    explore_lock();
    explore.outside_count++;
    explore.record->saw |= EXPLORE_SAW_INPUT;
    players_run_next(strand_now());
    explore_unlock();
}

/// Waits for the turn of a thread that comes from outside of the order.
static void ask_again(void) {
    player *self = explore_this.player;
    push(item_of_thread(self, 0));
    if (explore.holder == NULL) players_run_next(STRAND_OUTSIDE);
    explore_unlock();
    players_wait(self);
}

void turns_return(void) {
    explore_lock();
    explore.outside_count--;
    explore.record->outside++;
    ask_again();
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
        push(waiting);
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
    for (;;) {
        explore_this.is_inside = true;
        explore_lock();
        explore.main_is_in_loop = true;
        explore.main_is_busy = false;
        players_run_next(self->strand);
        explore_unlock();
        players_wait(self);
        explore_this.is_inside = false;
        item *job = self->todo;
        self->todo = NULL;
        players_run(job);
    }
}

void turns_begin_poll(const struct pollfd *polled, unsigned long count) {
    explore_this.is_inside = true;
    explore_lock();
    explore.record->saw |= EXPLORE_SAW_RUN_LOOP;
    explore.main_is_busy = false;
    explore.main.is_polling = true;
    explore.polled = polled;
    explore.polled_count = count;
    explore.outside_count++;
    players_run_next(explore.main.strand);
    explore_unlock();
}

void turns_end_poll(void) {
    explore_lock();
    explore.main.is_polling = false;
    explore.outside_count--;
    if (explore.holder != &explore.main) {
        explore.main_is_busy = true;
        explore.record->outside++;
        ask_again();
    } else {
        explore_unlock();
    }
    explore_this.is_inside = false;
}

// MARK: - Threads of the program

void turns_add_thread(player *thread, uintptr_t site) {
    explore_lock();
    thread->strand = strand_make(EXPLORE_THREAD, site);
    explore.thread_count++;
    push(item_of_thread(thread, site));
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
    players_run_next(self->strand);
    explore_unlock();
    explore_this.player = NULL;  // `pthread_join` still reads the player
}

// MARK: - What the library's own thread does

void turns_watch(char (*state)(int thread)) {
    static uint32_t last, quiet;
    explore_lock();
    if (explore.holder == NULL) choice_note_input();
    if (!explore.has_virtual_time) choice_fire_timers(explore_real_now());
    if (explore.holder == NULL && explore.ready_count > 0) players_run_next(STRAND_OUTSIDE);
    uint32_t now = explore.record->choices + explore.record->steps + explore.record->jobs;
    player *runner = explore.holder;
    bool is_quiet = now == last && (runner == NULL || (runner->tid != 0 && state(runner->tid) == 'S'));
    last = now;
    quiet = is_quiet ? quiet + 1 : 0;
    if (quiet >= 2 && runner == NULL) players_judge_silence(quiet >= 350);
    if (quiet >= 50 && runner != NULL) {
        // The thread waits in the kernel, in a call that this library does not stand before: the others go on.
        quiet = 0;
        item *next = choice_next(runner->strand, NULL, EXPLORE_AT_WAIT);
        if (next == NULL) {
            if (explore.timer_count == 0 && explore.outside_count == 0 && explore.reader_count == 0) explore_end(EXPLORE_DEADLOCK);
        } else {
            explore.record->lost++;
            players_give(next);
        }
    }
    explore_unlock();
}
