#ifndef HOPSCOPE_REMOTE_HOLDERS_H
#define HOPSCOPE_REMOTE_HOLDERS_H

#include "CRemoteProcess.h"

/// A copy of the writable memory of a process: the pages with a word that may be an address in the process's memory. The others are read
/// when one of their words is asked for. A process may change while it is copied, and later.
struct remote_image;

/// Copies the memory. NULL if the copy has more than `most` bytes, or if the process's limit passes meanwhile. An `old` copy, which may be
/// NULL, is gone afterwards: the new one takes its memory, and three times less time.
struct remote_image *remote_image_take(struct remote_process *process, uint64_t most, struct remote_image *old);
void remote_image_free(struct remote_image *image);

/// The word at an address. False if there was no such page. One thread at a time may ask for words of a copy.
bool remote_image_word(struct remote_image *image, uint64_t address, uint64_t *word);

/// A word of the copy that points to a target.
struct remote_reference {
    uint64_t place, target;
};

/// Finds the words at 8-byte alignment that equal one of the targets. The top byte and the three lowest bits of a word may hold marks and
/// are ignored. `targets` is in ascending order, without marks. Returns the number of words, and writes the first `room` of them.
size_t remote_image_find(
    const struct remote_image *image, const uint64_t *targets, size_t count, struct remote_reference *found, size_t room);

/// Finds the words at 4-byte alignment that point into one of the ranges. The ranges are in ascending order and do not overlap. The target
/// of a reference is the beginning of its range.
size_t remote_image_find_inside(
    const struct remote_image *image, const struct remote_range *ranges, size_t count, struct remote_reference *found, size_t room);

/// A block of the C library's allocator.
struct remote_block {
    uint64_t address, size;
    bool is_free;
};

/// The blocks of glibc's allocator in ascending order.
struct remote_blocks {
    struct remote_block *list;
    size_t count;
    /// Whether all heaps of the allocator were found and walked from end to end.
    bool is_whole;
};

struct remote_blocks remote_image_blocks(struct remote_process *process, struct remote_image *image);

#endif
