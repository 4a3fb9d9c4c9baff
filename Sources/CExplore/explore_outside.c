#include "explore_outside.h"

#include "explore_choice.h"
#include "explore_players.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void outside_note_lost(player *thread) {
    explore.record->lost++;
    if (explore.lost_count < ROOM_FOR_THREADS) explore.lost[explore.lost_count++] = thread;
}

void outside_forget_lost(player *thread) {
    for (int index = 0; index < explore.lost_count; index++) {
        if (explore.lost[index] != thread) continue;
        TAKE_OUT(explore.lost, explore.lost_count, index);
        return;
    }
}

void outside_take_back(player *thread) {
    explore.record->lost--;
    outside_forget_lost(thread);
}

bool outside_waits_for_thread(int thread) {
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return true;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 && atoi(text) == SYS_futex;
}

/// True if a thread that has lost its turn may come back by itself: it computes, or is in a call of the system.
static bool is_lost_thread_out(void) {
    for (int index = 0; index < explore.lost_count; index++)
        if (!outside_waits_for_thread(explore.lost[index]->tid)) return true;
    return false;
}

bool outside_is_awaited(void) {
    if (is_lost_thread_out()) return true;
    return explore.outside_count > 0 || explore.reader_count > 0 || __atomic_load_n(&explore.source_count, __ATOMIC_RELAXED) > 0;
}

uint32_t outside_wake_readers(void) {
    uint32_t count = 0;
    for (int index = 0; index < explore.reader_count;) {
        player *reader = explore.readers[index];
        struct pollfd polled = {reader->file, reader->events, 0};
        if (explore_kernel(SYS_poll, (long)&polled, 1, 0, 0, 0, 0) == 0) {
            index++;
            continue;
        }
        TAKE_OUT(explore.readers, explore.reader_count, index);
        item *back = calloc(1, sizeof *back);
        *back = (item){.kind = ITEM_THREAD, .thread = reader, .strand = reader->strand};
        choice_add(back);
        count++;
    }
    return count;
}

void outside_note_input(void) {
    uint32_t count = outside_wake_readers();
    explore.record->outside += count;
    if (count > 0) explore.record->saw |= EXPLORE_SAW_INPUT;
}

/// True if a thread other than the caller runs, or is about to: one that the order does not know, or one that a file has woken.
static bool has_running_thread(void) {
    DIR *folder = opendir("/proc/self/task");
    int self = (int)explore_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    bool is_found = false;
    for (struct dirent *entry; folder != NULL && !is_found && (entry = readdir(folder)) != NULL;) {
        int thread = atoi(entry->d_name);
        is_found = thread > 0 && thread != self && players_state(thread) != 'S';
    }
    if (folder != NULL) closedir(folder);
    return is_found;
}

/// Lets others have the lock for a millisecond. True if something has become ready.
static bool let_others(void) {
    struct timespec millisecond = {.tv_nsec = 1000000};
    explore_unlock();
    explore_kernel(SYS_nanosleep, (long)&millisecond, 0, 0, 0, 0, 0);
    explore_lock();
    outside_note_input();
    return explore.ready_count > 0;
}

bool outside_await_input(int64_t passing) {
    enum { PATIENCE = 20, TRIES = 5, LONG = 1000000000, MOST_RUNNING = 1000, MILLISECOND = 1000000 };
    static int in_vain;  // waits without an event
    bool has_sources = __atomic_load_n(&explore.source_count, __ATOMIC_RELAXED) > 0;
    if (explore.outside_count + explore.reader_count == 0 && !has_sources && explore.record->lost == 0) return false;
    for (int round = 0; round < MOST_RUNNING && has_running_thread(); round++)
        if (let_others()) return true;
    // The main thread's run loop alone is no reason: the program itself wakes it.
    bool is_input = explore.outside_count + explore.reader_count > (explore.main.is_polling ? 1 : 0);
    if (!is_input && !has_sources) {
        if (!is_lost_thread_out()) return false;
        if (explore.record->is_patient == 0) {
            explore.record->saw |= EXPLORE_SAW_HASTE;
            return false;
        }
    }
    bool is_likely = in_vain < TRIES || passing > LONG || (explore.record->saw & EXPLORE_SAW_PROCESSES) != 0;
    int64_t rounds = is_likely ? PATIENCE : 1;
    // In real time the program would have waited as long as this.
    if (explore.record->is_patient != 0) rounds = passing / MILLISECOND + 1;
    for (int64_t round = 0; round < rounds; round++) {
        if (!let_others()) continue;
        in_vain = 0;
        return true;
    }
    if (passing > rounds * MILLISECOND) explore.record->saw |= EXPLORE_SAW_HASTE;
    in_vain++;
    return false;
}

static bool has_ready_file(const player *waiting) {
    struct pollfd copy[64];
    unsigned long count = waiting->polled_count < 64 ? waiting->polled_count : 64;
    memcpy(copy, waiting->polled, count * sizeof *copy);
    return explore_kernel(SYS_poll, (long)copy, (long)count, 0, 0, 0, 0) > 0;
}

bool outside_is_ready(void) {
    for (int index = 0; index < explore.outside_count; index++)
        if (explore.outside[index] == explore_this.player) return has_ready_file(explore.outside[index]);
    return false;
}

/// True if another thread than the caller waits for files of which one is ready.
static bool has_ready_poller(void) {
    for (int index = 0; index < explore.outside_count; index++)
        if (explore.outside[index] != explore_this.player && has_ready_file(explore.outside[index])) return true;
    return false;
}

void outside_await_pollers(void) {
    enum { MOST_YIELDS = 2000, MOST_ROUNDS = 20000 };
    for (int round = 0; round < MOST_ROUNDS && has_ready_poller(); round++) {
        struct timespec while_others_run = {.tv_nsec = 50000};
        explore_unlock();
        if (round < MOST_YIELDS) explore_kernel(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        else explore_kernel(SYS_nanosleep, (long)&while_others_run, 0, 0, 0, 0, 0);
        explore_lock();
    }
}
