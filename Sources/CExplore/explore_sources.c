// Sources of Dispatch. Timers fire in the order's time; the events of other sources come from outside.

#define _GNU_SOURCE
#include "explore_dispatch.h"
#include "explore_events.h"
#include "explore_functions.h"
#include "explore_time.h"
#include "explore_turns.h"
#include "probe_ordered.h"

#include <stdlib.h>
#include <string.h>

extern __attribute__((weak)) const char _dispatch_source_type_timer[];
extern __attribute__((weak)) void *dispatch_get_global_queue(intptr_t quality, uintptr_t flags);
extern __attribute__((weak)) void dispatch_retain(void *object);
extern __attribute__((weak)) void dispatch_release(void *object);
extern __attribute__((weak)) void *_Block_copy(const void *block);
extern __attribute__((weak)) void _Block_release(const void *block);
EXPORTED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue);
EXPORTED void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway);
EXPORTED void dispatch_source_cancel(void *source);
EXPORTED void dispatch_activate(void *object);
EXPORTED void dispatch_resume(void *object);
EXPORTED void dispatch_suspend(void *object);

/// A timer of the program. The source of Dispatch is never set, so it does not fire.
typedef struct timer_source {
    void *source, *queue;       ///< the source is kept, so that its address means this timer
    const int *references;      ///< to the source, which the program and this library have; NULL if it is not known where they are counted
    int kept;                   ///< their number when only this library has one
    block *handler, *on_cancel;  ///< NULL for none
    kept_handler recorded;    ///< how a recording names the runs of the handler
    int64_t when, interval;     ///< INT64_MAX for never
    uint64_t setting;           ///< counts how often it was set; a firing of an earlier setting is none
    int suspensions;
    bool is_active, has_ended;
} timer_source;

typedef struct firing {
    timer_source *timer;
    uint64_t setting;
} firing;

enum { ROOM_FOR_SOURCES = 1024 };

static timer_source *sources[ROOM_FOR_SOURCES];
static int source_count;

static timer_source *find(const void *source) {
    for (int index = 0; explore.is_on && index < source_count; index++)
        if (sources[index]->source == source && !sources[index]->has_ended) return sources[index];
    return NULL;
}

static void end(timer_source *timer) {
    timer->has_ended = true;
    timer->setting++;
    if (timer->handler != NULL) _Block_release(timer->handler);
    if (timer->on_cancel != NULL) _Block_release(timer->on_cancel);
    dispatch_release(timer->source);
    dispatch_release(timer->queue);
}

static void fire(void *argument);

/// Sets the timer anew, as its schedule and its state demand.
static void set(timer_source *timer) {
    timer->setting++;
    if (timer->has_ended || !timer->is_active || timer->suspensions > 0 || timer->when == INT64_MAX || timer->handler == NULL) return;
    firing *next = malloc(sizeof *next);
    *next = (firing){timer, timer->setting};
    turns_add_timer(item_of_call(timer->queue, next, fire, (uintptr_t)timer->handler->invoke), timer->when);
}

static void fire(void *argument) {
    firing due = *(firing *)argument;
    timer_source *timer = due.timer;
    free(argument);
    if (timer->setting != due.setting) return;
    if (timer->references != NULL && *timer->references == timer->kept) {  // the program has let it go
        end(timer);
        return;
    }
    block *handler = _Block_copy(timer->handler);
    kept_handler_runs(&timer->recorded, handler->invoke, handler);
    _Block_release(handler);
    if (timer->setting != due.setting) return;
    if (timer->interval == INT64_MAX || timer->interval <= 0) timer->when = INT64_MAX;
    else
        do timer->when += timer->interval;
        while (timer->when <= time_now());
    set(timer);
}

/// Keeps the source, and learns where an object of Dispatch counts the references to it.
static void keep(timer_source *timer) {
    enum { FIRST = 8, LAST = 16 };
    int before[LAST / sizeof(int) + 1];
    memcpy(before, timer->source, sizeof before);
    dispatch_retain(timer->source);
    const int *words = timer->source;
    for (size_t index = FIRST / sizeof(int); index <= LAST / sizeof(int); index++) {
        if (words[index] != before[index] + 1) continue;
        timer->references = &words[index];
        timer->kept = before[index];
        return;
    }
}

// MARK: - The program's calls

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    void *source = NEXT(dispatch_source_create)(type, handle, mask, queue);
    if (dispatch_passes(CALLER) || source == NULL) return source;
    if (type != _dispatch_source_type_timer || source_count == ROOM_FOR_SOURCES) {
        explore.record->saw |= EXPLORE_SAW_SOURCES;
        events_add(source, queue != NULL ? queue : dispatch_get_global_queue(0, 0));
        return source;
    }
    timer_source *timer = calloc(1, sizeof *timer);
    *timer = (timer_source){
        .source = source, .queue = queue != NULL ? queue : dispatch_get_global_queue(0, 0), .when = INT64_MAX, .interval = INT64_MAX,
    };
    keep(timer);
    dispatch_retain(timer->queue);  // a source does not keep its queue for others
    sources[source_count++] = timer;
    return source;
}

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    timer_source *timer = find(source);
    if (timer == NULL) {
        NEXT(dispatch_source_set_timer)(source, start, interval, leeway);
        return;
    }
    timer->when = time_of_dispatch(start);
    timer->interval = interval > INT64_MAX ? INT64_MAX : (int64_t)interval;
    set(timer);
}

void ordered_dispatch_source_set_event_handler(void *source, void *handler) {
    timer_source *timer = find(source);
    if (timer == NULL) {
        RECORDED(dispatch_source_set_event_handler)(source, handler);
        return;
    }
    block *before = timer->handler;
    timer->handler = handler != NULL ? _Block_copy(handler) : NULL;
    timer->recorded = kept_handler_made(timer->queue, FRAME);
    if (before != NULL) _Block_release(before);
    else set(timer);
}

void ordered_dispatch_source_set_cancel_handler(void *source, void *handler) {
    timer_source *timer = find(source);
    if (timer == NULL) {
        RECORDED(dispatch_source_set_cancel_handler)(source, handler);
        return;
    }
    if (timer->on_cancel != NULL) _Block_release(timer->on_cancel);
    timer->on_cancel = handler != NULL ? _Block_copy(handler) : NULL;
}

void dispatch_source_cancel(void *source) {
    timer_source *timer = find(source);
    NEXT(dispatch_source_cancel)(source);
    events_end(source);
    if (timer == NULL) return;
    if (timer->on_cancel != NULL) turns_add(item_of_block(timer->queue, _Block_copy(timer->on_cancel), FRAME, true));
    end(timer);
}

void dispatch_activate(void *object) {
    timer_source *timer = find(object);
    if (!events_begin(object, NEXT(dispatch_activate))) NEXT(dispatch_activate)(object);
    if (timer == NULL || timer->is_active) return;
    timer->is_active = true;
    set(timer);
}

void dispatch_resume(void *object) {
    timer_source *timer = find(object);
    if (!events_begin(object, NEXT(dispatch_resume))) NEXT(dispatch_resume)(object);
    if (timer == NULL) return;
    if (!timer->is_active) timer->is_active = true;
    else if (timer->suspensions > 0) timer->suspensions--;
    set(timer);
}

void dispatch_suspend(void *object) {
    timer_source *timer = find(object);
    NEXT(dispatch_suspend)(object);
    if (timer == NULL) return;
    timer->suspensions++;
    timer->setting++;
}
