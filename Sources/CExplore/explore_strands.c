#include "explore_strands.h"

#include <string.h>

/// The strands of tasks, by the runtime's numbers of these. The runtime gives the numbers in the order of creation, so they change with it.
static struct {
    uint64_t task;
    uint32_t strand;
} tasks[1 << 16];

/// The runtime's number of each task's strand.
static uint64_t numbers[EXPLORE_STRANDS];

static explore_strand *strand_at(uint32_t strand) {
    return &explore.file->strands[strand];
}

void strands_begin(void) {
    explore.record->strands = STRAND_FIRST;
    *strand_at(STRAND_OUTSIDE) = (explore_strand){.id = 3, .kind = EXPLORE_OUTSIDE};
    *strand_at(STRAND_MAIN) = (explore_strand){.id = 1, .kind = EXPLORE_MAIN};
}

static uint32_t make_below(uint32_t parent, uint32_t kind, uintptr_t site) {
    uint32_t strand = explore.record->strands;
    if (strand >= EXPLORE_STRANDS) explore_end(EXPLORE_TOO_LONG);
    explore.record->strands++;
    uint64_t mixed = (uint64_t)strand_at(parent)->id << 32 | ++strand_at(parent)->children;
    uint32_t id = (uint32_t)(explore_random(&mixed) | 16);
    *strand_at(strand) = (explore_strand){.id = id, .kind = kind, .parent = strand_at(parent)->id, .site = program_offset(site)};
    return strand;
}

uint32_t strand_make(uint32_t kind, uintptr_t site) {
    return make_below(strand_now(), kind, site);
}

/// The strand of a task that is known under that number, or made below another strand.
static uint32_t find(uint64_t number, uint32_t parent, uintptr_t site) {
    size_t mask = sizeof tasks / sizeof *tasks - 1;
    size_t place = (number * 0x9e3779b97f4a7c15u >> 40) & mask;
    while (tasks[place].strand != 0 && tasks[place].task != number) place = (place + 1) & mask;
    if (tasks[place].strand == 0) {
        tasks[place].task = number;
        tasks[place].strand = make_below(parent, EXPLORE_TASK, site);
        numbers[tasks[place].strand] = number;
    }
    return tasks[place].strand;
}

static uint32_t strand_of_thread(void) {
    return explore_this.player != NULL ? explore_this.player->strand : STRAND_OUTSIDE;
}

uint32_t strand_now(void) {
    swift_task *task = swift_task_getCurrent != NULL ? swift_task_getCurrent() : NULL;
    if (task == NULL) return strand_of_thread();
    return find(swift_task_getJobTaskId(task), strand_of_thread(), (uintptr_t)task->resume_task);
}

uint32_t strand_of_task(swift_task *task, uintptr_t site) {
    return find(swift_task_getJobTaskId(task), strand_now(), explore_this.site != 0 ? explore_this.site : site);
}

uint64_t strand_number_of_task(uint32_t strand) {
    return numbers[strand];
}

void strand_describe(uint32_t strand, uintptr_t caller, const char *name) {
    explore_strand *made = strand_at(strand);
    made->caller = program_offset(caller);
    if (name != NULL) strncpy(made->name, name, sizeof made->name - 1);
}
