#include "CRemoteProcess.h"

/// Whether a word can be the reference count of a Swift object in use. Bit 0 is set for each object of a Swift class. The next 31 bits
/// count unowned references, here at most 2^15. Bit 32 is set while the object is being destroyed. The bits above it count strong
/// references, here less than 2^24. Or the two top bits are set, and the others are an eighth of a side table's address, which is below
/// 2^47.
///
/// It has no branches, because in a program's memory none of these tests is predictable.
static inline unsigned counts_references(uint64_t word) {
    const uint64_t fixed = UINT64_C(0xfe000001ffff0001);
    return ((word & fixed) == 1) & ((word & 0xfffe) != 0) | (word >> 44 == 3 << 18);
}

size_t remote_scan(
    const uint64_t *words, size_t count, uint64_t base, uint64_t task, const uint64_t *ignored, size_t *next,
    struct remote_candidate *found, size_t room) {
    const uint64_t least = remote_page_size >> 3, addresses = (UINT64_C(1) << 44) - least;
    size_t n = 0, i = *next;
    for (; i + 2 <= count && n < room; i += 2) {
        uint64_t first = words[i];
        // An address of the user's half is a multiple of 8 below 2^47.
        unsigned is_address = (first >> 3 | first << 61) - least < addresses;
        if (is_address & counts_references(words[i + 1])) {
            if (first == task) found[n++] = (struct remote_candidate){base + i * 8, first, remote_task};
            else if (ignored[remote_ignored_slot(first)] != first)
                found[n++] = (struct remote_candidate){base + i * 8, first, remote_object};
        } else if (first == task) {
            // The count of a task that is being destroyed.
            found[n++] = (struct remote_candidate){base + i * 8, first, remote_task};
        } else if (first == base + i * 8 && i + 2 < count && words[i + 2] == first) {
            found[n++] = (struct remote_candidate){first, first, remote_thread};
        }
    }
    *next = i;
    return n;
}
