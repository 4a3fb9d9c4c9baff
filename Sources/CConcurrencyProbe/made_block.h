// The numbers by which the events of one block name it.

#ifndef MADE_BLOCK_H
#define MADE_BLOCK_H

#include <stdint.h>

/// A block that was made, as its events name it.
typedef struct made_block {
    uint64_t number;     ///< 0 if nothing was recorded
    uint64_t recording;  ///< numbers and entries are valid in one recording
    uint32_t label;
    uint16_t executor;
    uint16_t group_note;  ///< the note of a group's block, 0 for none
} made_block;

#endif
