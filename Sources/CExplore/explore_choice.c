#include "explore_choice.h"

#include "explore_clocks.h"
#include "explore_outside.h"
#include "explore_strands.h"
#include "trace_vocabulary.h"

#include <stdio.h>
#include <string.h>

/// The others of a choice that the probe is told of one by one.
enum { MOST_CANDIDATES = 512, MOST_TOLD = 8 };

typedef struct candidates {
    item *items[MOST_CANDIDATES + 2];
    int count;
    bool has_current, has_time;
} candidates;

/// How often the last strand has gone on although others could run.
static uint32_t in_a_row;

/// Stands for the passing of time among the candidates.
static item time_passes = {.kind = ITEM_THREAD};

void choice_begin(void) {
    explore_header *record = explore.record;
    explore.chance = record->seed * 0x2545f4914f6cdd1du + 1;
    for (uint32_t index = 0; index + 1 < record->depth && index < EXPLORE_DEPTH; index++)
        explore.changes[index] = (uint32_t)(explore_random(&explore.chance) % (record->length > 0 ? record->length : 1));
    explore.time_priority = 0;
}

// MARK: - The ways to choose

static int64_t priority_of(const item *candidate) {
    int64_t *priority = &explore.priorities[candidate->strand];
    if (candidate == &time_passes) {
        // Each timer has a priority of its own, like a task.
        if (explore.time_of_priority != explore.record->timers) explore.time_priority = 0;
        explore.time_of_priority = explore.record->timers;
        priority = &explore.time_priority;
    }
    if (*priority == 0) *priority = 1000 + (int64_t)(explore_random(&explore.chance) >> 2);
    return *priority;
}

static int pick_by_priority(const candidates *among) {
    for (uint32_t index = 0; index + 1 < explore.record->depth && index < EXPLORE_DEPTH; index++) {
        if (explore.changes[index] != explore.record->choices || among->items[0] == &time_passes) continue;
        explore.priorities[among->items[0]->strand] = index + 1;
    }
    int best = 0;
    for (int index = 1; index < among->count; index++)
        if (priority_of(among->items[index]) > priority_of(among->items[best])) best = index;
    return best;
}

static int pick_by_chance(const candidates *among) {
    uint64_t *chance = &explore.chance;
    int plain = among->count - (among->has_time ? 1 : 0);
    if (among->has_current) {
        // Mostly the thread goes on: there are many more such points than ends of jobs.
        if (plain < 2 || explore_random(chance) % 4 != 0) return among->has_time && explore_random(chance) % 32 == 0 ? plain : 0;
        return 1 + (int)(explore_random(chance) % (uint64_t)(plain - 1));
    }
    if (among->has_time && (plain == 0 || explore_random(chance) % 16 == 0)) return plain;
    return (int)(explore_random(chance) % (uint64_t)plain);
}

static uint32_t id_of(const item *candidate) {
    return candidate == &time_passes ? EXPLORE_TIME_ID : explore.file->strands[candidate->strand].id;
}

static int pick_by_plan(const candidates *among, const explore_strand *runner) {
    for (uint32_t index = 0; index < explore.record->deviations; index++) {
        const explore_deviation *deviation = &explore.file->plan[index];
        if (deviation->strand != runner->id || deviation->point != runner->points) continue;
        for (int pick = 0; pick < among->count; pick++)
            if (id_of(among->items[pick]) == deviation->next) return pick;
    }
    return 0;
}

static int pick(const candidates *among, const explore_strand *runner) {
    switch (explore.record->policy) {
    case EXPLORE_BY_CHANCE: return pick_by_chance(among);
    case EXPLORE_BY_PRIORITY: return pick_by_priority(among);
    default: return pick_by_plan(among, runner);
    }
}

static void note(const candidates *among, int picked, const explore_strand *runner, uint32_t place, int64_t early) {
    explore_header *record = explore.record;
    if (record->choices >= EXPLORE_CHOICES || record->choices >= record->max_choices) explore_end(EXPLORE_TOO_LONG);
    const item *next = among->items[picked];
    explore_choice *choice = &explore.file->choices[record->choices++];
    *choice = (explore_choice){
        .strand = runner->id, .point = runner->points, .next = id_of(next), .usual = id_of(among->items[0]), .pick = (uint16_t)picked,
        .count = (uint16_t)among->count, .place = place, .there = program_offset(next->site), .early = next == &time_passes ? early : 0,
        .here = among->has_current ? program_offset(among->items[0]->site) : 0,
    };
    record->hash = (record->hash ^ ((uint64_t)choice->next << 32 | choice->count << 16 | choice->pick)) * 0x100000001b3u;
}

/// The name of a candidate that is not a task, in the recording.
static const char *name_of(const item *candidate, int64_t early, char *room, size_t size) {
    if (candidate == &time_passes) {
        int64_t tenths = early > 0 ? (early + 50000) / 100000 : 0;
        snprintf(room, size, "the timer due in %d.%d ms", (int)(tenths / 10), (int)(tenths % 10));
        return room;
    }
    switch (explore.file->strands[candidate->strand].kind) {
    case EXPLORE_TASK: return NULL;
    case EXPLORE_MAIN: return "the main thread";
    case EXPLORE_BLOCK: return "a block";
    case EXPLORE_THREAD: return "a thread";
    default: return "a thread outside of the order";
    }
}

/// Where a candidate goes on, or else where the program made it; NULL if neither is in the program.
static const void *place_of(const item *candidate) {
    if (is_in(explore.program, candidate->site)) return (const void *)candidate->site;
    const explore_strand *strand = &explore.file->strands[candidate->strand];
    uint64_t made = strand->site != 0 ? strand->site : strand->caller;
    // A task has a place of its own in the trace.
    return strand->kind == EXPLORE_TASK || made == 0 ? NULL : (const void *)(explore.program.low + made - 1);
}

static void tell_one(const candidates *among, int index, int picked, int64_t early) {
    const item *candidate = among->items[index];
    uint8_t manner = index == picked ? (index == 0 ? TRACE_CHOICE_FIRST : TRACE_CHOICE_INSTEAD)
                                     : (index == 0 ? TRACE_CHOICE_PASSED_OVER : TRACE_CHOICE_POSSIBLE);
    uint64_t choice = (uint64_t)id_of(candidate) << TRACE_CHOICE_STRAND_SHIFT | explore.record->choices;
    char room[48];
    bool is_time = candidate == &time_passes;
    uint64_t task = is_time ? 0 : strand_number_of_task(candidate->strand);
    explore.tell(choice, manner, task, name_of(candidate, early, room, sizeof room), is_time ? NULL : place_of(candidate));
}

/// Tells the probe of the choice: what could have run, up to a number, and at last what was chosen.
static void tell(const candidates *among, int picked, int64_t early) {
    bool was_inside = explore_this.is_inside;
    explore_this.is_inside = true;
    int told = 0, index = 0;
    for (; index < among->count && told < MOST_TOLD; index++) {
        if (index == picked) continue;
        tell_one(among, index, picked, early);
        told++;
    }
    int left = among->count - 1 - told;
    if (left > 0) {
        char name[32];
        snprintf(name, sizeof name, left == 1 ? "one more" : "%d more", left);
        explore.tell(explore.record->choices, TRACE_CHOICE_POSSIBLE, 0, name, NULL);
    }
    tell_one(among, picked, picked, early);
    explore_this.is_inside = was_inside;
}

// MARK: - What can run

bool choice_is_eligible(const item *candidate) {
    if (candidate->kind == ITEM_MAIN) return !explore.main_is_busy;
    if (candidate->queue == NULL) return true;
    for (int index = 0; index < explore.busy_count; index++) {
        const busy_queue *busy = &explore.busy[index];
        if (busy->queue == candidate->queue && (busy->is_exclusive || candidate->is_exclusive)) return false;
    }
    return true;
}

bool choice_is_first(const item *candidate, int before) {
    bool is_main = candidate->kind == ITEM_MAIN;
    if (!is_main && candidate->queue == NULL) return true;
    for (int index = 0; index < before; index++) {
        const item *other = explore.ready[index];
        if (is_main ? other->kind == ITEM_MAIN : other->queue == candidate->queue && (other->is_exclusive || candidate->is_exclusive))
            return false;
    }
    return true;
}

bool choice_can_go_on(void) {
    for (int index = 0; index < explore.ready_count; index++)
        if (choice_is_eligible(explore.ready[index]) && choice_is_first(explore.ready[index], index)) return true;
    return false;
}

int64_t choice_first_timer(void) {
    int64_t first = INT64_MAX;
    for (int index = 0; index < explore.timer_count; index++)
        if (explore.timers[index]->when < first) first = explore.timers[index]->when;
    return first;
}

static void make_ready(item *due) {
    explore.record->timers++;
    explore.without_time = 0;
    if (due->kind == ITEM_CLOCK) {
        clocks_fire(due);
        return;
    }
    if (due->kind == ITEM_THREAD && due->thread->blocked_on != NULL) {  // a blocking call with a limit
        due->thread->is_timed_out = true;
        due->thread->blocked_on = NULL;
        due->thread->limit = NULL;
        for (int index = 0; index < explore.blocked_count; index++) {
            if (explore.blocked[index] != due->thread) continue;
            TAKE_OUT(explore.blocked, explore.blocked_count, index);
            break;
        }
    }
    choice_add(due);
}

void choice_add(item *added) {
    if (explore.ready_count >= ROOM_FOR_ITEMS) explore_end(EXPLORE_TOO_LONG);
    added->number = ++explore.items;
    explore.ready[explore.ready_count++] = added;
}

void choice_fire_timers(int64_t until) {
    if (until > explore.now) explore.now = until;
    for (;;) {
        int best = -1;
        for (int index = 0; index < explore.timer_count; index++)
            if (explore.timers[index]->when <= explore.now && (best < 0 || explore.timers[index]->when < explore.timers[best]->when))
                best = index;
        if (best < 0) return;
        item *due = explore.timers[best];
        // Timers that are due at one time keep the order in which they were set.
        TAKE_OUT(explore.timers, explore.timer_count, best);
        make_ready(due);
    }
}

static candidates find(item *current) {
    candidates found = {.count = 0, .has_current = current != NULL};
    if (current != NULL) found.items[found.count++] = current;
    for (int index = 0; index < explore.ready_count && found.count < MOST_CANDIDATES; index++) {
        item *candidate = explore.ready[index];
        if (choice_is_eligible(candidate) && choice_is_first(candidate, index)) found.items[found.count++] = candidate;
    }
    return found;
}

static item *take(int index) {
    item *taken = explore.ready[index];
    TAKE_OUT(explore.ready, explore.ready_count, index);
    return taken;
}

enum { MOST_IN_A_ROW = 1000, MOST_PASSED_OVER = 5000 };

/// Above each priority that is given by chance.
#define HIGHEST (INT64_MAX / 2 + 2000)

/// Lets a little time pass with each choice if there are many, because a loop may wait for it. True if a timer has fired.
static bool let_time_pass(const candidates *among, int64_t first) {
    // A call takes about as long. If others can run, they may end the loop, too.
    enum { TIME_OF_A_CALL = 1000, TIME_BESIDE_OTHERS = 100 };
    bool can_pass = explore.timer_count > 0 && explore.has_virtual_time;
    explore.without_time = can_pass ? explore.without_time + 1 : 0;
    if (explore.without_time < MOST_IN_A_ROW) return false;
    explore.now += among->has_current && among->count == 1 ? TIME_OF_A_CALL : TIME_BESIDE_OTHERS;
    if (first > explore.now) return false;
    choice_fire_timers(explore.now);
    return true;
}

/// Gives the highest priority to what has been passed over many times: those before it may be a ring that waits for it.
static void let_oldest_run(const candidates *among) {
    int first = among->has_current ? 1 : 0;
    if (first >= among->count) return;
    const item *waiting = among->items[first];
    if (waiting->number != explore.oldest) explore.passed_over = 0;
    explore.oldest = waiting->number;
    if (++explore.passed_over < MOST_PASSED_OVER) return;
    explore.priorities[waiting->strand] = HIGHEST + (int64_t)waiting->number;
    explore.passed_over = 0;
}

/// Puts the current strand behind the others if it has gone on many times although they could run: a loop may wait for them.
static void be_fair(candidates *among, uint32_t strand) {
    static int64_t lowest;
    if (!among->has_current || among->count < 2 || in_a_row < MOST_IN_A_ROW) return;
    item *current = among->items[0];
    memmove(among->items, among->items + 1, sizeof *among->items * (size_t)(among->count - 1));
    among->items[among->count - 1] = current;
    among->has_current = false;
    explore.priorities[strand] = --lowest;
    in_a_row = 0;
}

static item *choose(uint32_t strand, item *current, uint32_t place) {
    explore_strand *runner = &explore.file->strands[strand];
    for (;;) {
        outside_await_pollers();
        outside_wake_readers();
        candidates among = find(current);
        int64_t first = choice_first_timer();
        if (among.count == 0) {
            if (outside_is_ready()) return NULL;  // the calling thread goes on by itself
            if (explore.timer_count == 0 || !explore.has_virtual_time) return NULL;
            if (!outside_await_input(first - explore.now)) choice_fire_timers(first);
            continue;
        }
        if (let_time_pass(&among, first)) continue;
        be_fair(&among, strand);
        let_oldest_run(&among);
        among.has_time = explore.timer_count > 0 && explore.has_virtual_time && first - explore.now <= explore.record->early_limit;
        if (among.has_time) among.items[among.count++] = &time_passes;
        runner->points++;
        int picked = among.count > 1 ? pick(&among, runner) : 0;
        if (among.count > 1) {
            note(&among, picked, runner, place, first - explore.now);
            if (explore.tell != NULL) tell(&among, picked, first - explore.now);
        }
        item *next = among.items[picked];
        if (next == &time_passes) {  // what was due runs at once: one deviation, not two
            explore.record->early++;
            int before = explore.ready_count;
            choice_fire_timers(first);
            if (explore.ready_count > before && choice_is_eligible(explore.ready[before]) && choice_is_first(explore.ready[before], before))
                return take(before);
            continue;
        }
        in_a_row = next == current ? in_a_row + (among.count > 1) : 0;
        if (next == current) return NULL;
        for (int index = 0; index < explore.ready_count; index++)
            if (explore.ready[index] == next) return take(index);
    }
}

item *choice_next(uint32_t strand, item *current, uint32_t place) {
    // The lock is free now and then in here. What becomes ready then is added only, and not run by its maker.
    explore.is_choosing = true;
    item *next = choose(strand, current, place);
    explore.is_choosing = false;
    return next;
}
