#include "CRemoteProcess.h"

/// Whether a word can be the reference count of a Swift object in use. Bit 0 is set for each object of a Swift class. The next 31 bits
/// count unowned references. Bit 32 is set while the object is being destroyed. The top bits say that a side table holds the counts.
static bool counts_references(uint64_t word) {
    enum { most_unowned = 1 << 16, most_strong = 1 << 24 };
    if (word >> 62 == 3) return true;
    return (word & 1) && (word & 0xffffffff) < most_unowned && (word & 0xffffffff) > 1 && !(word >> 32 & 1) && word >> 33 < most_strong;
}

size_t remote_scan(
    const uint64_t *words, size_t count, uint64_t base, uint64_t task, const uint64_t *ignored, size_t *next,
    struct remote_candidate *found, size_t room) {
    const uint64_t least = remote_page_size >> 3, addresses = (UINT64_C(1) << 44) - least;
    size_t n = 0, i = *next;
    for (; i + 2 <= count && n < room; i += 2) {
        uint64_t first = words[i];
        // One comparison leaves out most words: an address of the user's half is a multiple of 8 below 2^47.
        if ((first >> 3 | first << 61) - least >= addresses) continue;
        if (first == task) {
            found[n++] = (struct remote_candidate){base + i * 8, first, remote_task};
        } else if (first == base + i * 8) {
            if (i + 2 < count && words[i + 2] == first) found[n++] = (struct remote_candidate){first, first, remote_thread};
        } else if (counts_references(words[i + 1]) && ignored[remote_ignored_place(first)] != first) {
            found[n++] = (struct remote_candidate){base + i * 8, first, remote_object};
        }
    }
    *next = i;
    return n;
}
