// The blocks that Dispatch's groups wait for. A group is only a counter, so each of its blocks is noted until it has ended. A thread that
// waits for the group then names one of them.

#include "dispatch_groups.h"

#include <stdbool.h>
#include <stddef.h>

/// A block of a group. Its number is 0 while the note is free, and WRITING while the group is stored.
typedef struct group_note {
    uint64_t block;
    const void *group;
} group_note;

enum { GROUP_LISTS = 128, NOTES_OF_A_LIST = 8, WRITING = 1 };

/// Groups share lists by their addresses. With more open blocks than a list has room for, the later ones are not noted.
static group_note notes[GROUP_LISTS][NOTES_OF_A_LIST];

static group_note *list_of(const void *group) {
    return notes[((uintptr_t)group >> 4) * 0x9E3779B97F4A7C15u >> 40 & (GROUP_LISTS - 1)];
}

uint16_t group_member_begins(const void *group, uint64_t block) {
    group_note *list = list_of(group);
    for (size_t index = 0; index < NOTES_OF_A_LIST; index++) {
        uint64_t expected = 0;
        if (__atomic_load_n(&list[index].block, __ATOMIC_RELAXED) != 0) continue;
        if (!__atomic_compare_exchange_n(&list[index].block, &expected, WRITING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
        __atomic_store_n(&list[index].group, group, __ATOMIC_RELAXED);
        __atomic_store_n(&list[index].block, block, __ATOMIC_RELEASE);
        return (uint16_t)(&list[index] - notes[0] + 1);
    }
    return 0;
}

void group_member_ends(uint16_t note) {
    if (note != 0) __atomic_store_n(&notes[0][note - 1].block, 0, __ATOMIC_RELEASE);
}

uint64_t group_open_member(const void *group) {
    const group_note *list = list_of(group);
    uint64_t first = 0;
    for (size_t index = 0; index < NOTES_OF_A_LIST; index++) {
        uint64_t block = __atomic_load_n(&list[index].block, __ATOMIC_ACQUIRE);
        const void *owner = __atomic_load_n(&list[index].group, __ATOMIC_ACQUIRE);
        // The note may have been freed and taken meanwhile. A block's number is never used twice.
        bool is_whole = block == __atomic_load_n(&list[index].block, __ATOMIC_RELAXED);
        if (block > WRITING && owner == group && is_whole && (first == 0 || block < first)) first = block;
    }
    return first;
}
