// The blocks that Dispatch's groups wait for.

#ifndef DISPATCH_GROUPS_H
#define DISPATCH_GROUPS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Notes a block that was given to a group. Returns the number of the note, 0 if there is no room for it.
uint16_t group_member_begins(const void *group, uint64_t block);

/// Forgets the block, which has ended.
void group_member_ends(uint16_t note);

/// The number of a block of the group that has not ended: the one that was made first. 0 if none is known.
uint64_t group_open_member(const void *group);

#pragma GCC visibility pop

#endif
