// Clock files in virtual time: the kernel's clock is never set to a time, and made ready when the order's time has come.

#define _GNU_SOURCE
#include "explore_clocks.h"

#include "explore_strands.h"
#include "explore_time.h"
#include "explore_turns.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

EXPORTED int timerfd_create(int clock, int flags);
EXPORTED int timerfd_settime(int file, int flags, const struct itimerspec *asked, struct itimerspec *before);

enum { ROOM_FOR_CLOCKS = 1024 };
static const int64_t FOR_EVER = 10 * 86400 * 1000000000ll;

static clock_file clocks[ROOM_FOR_CLOCKS];
static int clock_count;

static clock_file *find(int file) {
    for (int index = 0; index < clock_count; index++)
        if (clocks[index].file == file) return &clocks[index];
    return NULL;
}

static struct itimerspec soon(void) {
    return (struct itimerspec){.it_value = {.tv_nsec = 1}};
}

void clocks_fire(item *due) {
    clock_file *fired = due->context;
    struct itimerspec now = soon();
    struct pollfd polled = {fired->file, POLLIN, 0};
    explore_kernel(SYS_timerfd_settime, fired->file, 0, (long)&now, 0, 0, 0);
    explore_kernel(SYS_poll, (long)&polled, 1, 10, 0, 0, 0);
    if (fired->interval > 0 && explore.timer_count < ROOM_FOR_ITEMS) {
        due->when += fired->interval;
        explore.timers[explore.timer_count++] = due;
    } else {
        fired->set = NULL;
        free(due);
    }
}

/// Returns what was left of the time.
static int64_t unset(clock_file *clock) {
    int64_t left = 0;
    for (int index = 0; clock->set != NULL && index < explore.timer_count; index++) {
        if (explore.timers[index] != clock->set) continue;
        TAKE_OUT(explore.timers, explore.timer_count, index);
        left = clock->set->when > explore.now ? clock->set->when - explore.now : 1;
        free(clock->set);
        break;
    }
    clock->set = NULL;
    return left;
}

bool clocks_begin(clock_file *clock, int64_t when) {
    int file = (int)explore_kernel(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC, 0, 0, 0, 0);
    if (file < 0) return false;
    item *timer = calloc(1, sizeof *timer);
    explore_lock();
    *timer = (item){.kind = ITEM_CLOCK, .context = clock, .strand = strand_now()};
    explore_unlock();
    *clock = (clock_file){.file = file, .set = timer};
    turns_add_timer(timer, when);
    return true;
}

void clocks_end(clock_file *clock) {
    explore_lock();
    unset(clock);
    explore_unlock();
    explore_kernel(SYS_close, clock->file, 0, 0, 0, 0, 0);
}

static bool is_programs(uintptr_t caller) {
    return explore.is_on && explore.has_virtual_time && !explore_this.is_inside && !is_in(explore.dispatch, caller);
}

int timerfd_create(int clock, int flags) {
    int file = NEXT(timerfd_create)(clock, flags);
    if (file < 0 || !is_programs(CALLER)) return file;
    explore_lock();
    clock_file *known = find(file);
    if (known == NULL && clock_count < ROOM_FOR_CLOCKS) known = &clocks[clock_count++];
    if (known != NULL) {
        unset(known);  // of a file that was closed
        *known = (clock_file){.file = file, .clock = clock};
    }
    explore_unlock();
    return file;
}

static int64_t time_of(const clock_file *clock, int flags, const struct timespec *time) {
    if ((flags & TFD_TIMER_ABSTIME) == 0) return time_now() + time_nanoseconds(time);
    return time_of_clock(clock->clock, time);
}

int timerfd_settime(int file, int flags, const struct itimerspec *asked, struct itimerspec *before) {
    clock_file *clock = asked != NULL && is_programs(CALLER) ? find(file) : NULL;
    if (clock == NULL) return NEXT(timerfd_settime)(file, flags, asked, before);
    static const struct itimerspec never;
    int result = NEXT(timerfd_settime)(file, 0, &never, NULL);
    if (result != 0) return result;
    int64_t when = time_of(clock, flags, &asked->it_value);
    // A run loop that waits for ever sets its clock to a day weeks ahead.
    bool is_set = (asked->it_value.tv_sec != 0 || asked->it_value.tv_nsec != 0) && when - time_now() < FOR_EVER;
    item *timer = is_set ? calloc(1, sizeof *timer) : NULL;
    explore_lock();
    int64_t interval = clock->interval, left = unset(clock);
    if (timer != NULL) *timer = (item){.kind = ITEM_CLOCK, .context = clock, .strand = strand_now()};
    clock->set = timer;
    clock->interval = is_set ? time_nanoseconds(&asked->it_interval) : 0;
    explore_unlock();
    if (before != NULL)
        *before = (struct itimerspec){{interval / 1000000000, interval % 1000000000}, {left / 1000000000, left % 1000000000}};
    if (timer != NULL) turns_add_timer(timer, when);
    return 0;
}
