#include "RemoteHolders.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// The blocks of glibc's allocator, from its own records (malloc.c and arena.c of glibc 2.32 to 2.41). Another allocator has no such records.

/// The offsets in an arena.
enum {
    fast_bins = 16, fast_bin_count = 10, top_chunk = 96, bins = 112, bin_count = 127, next_arena = 2160, arena_memory = 2184,
    arena_size = 2200, arena_flags = 4, is_scattered = 2
};
/// The offsets in the record at the beginning of a heap of an arena, and the size of the largest one.
enum { heap_arena = 0, heap_previous = 8, heap_bytes = 16 };
static const uint64_t heap_room = UINT64_C(64) << 20;
/// A chunk begins with two words. The second is its size and three flags.
enum { chunk_head = 16, flags_mask = 7, previous_is_used = 1, is_mapped = 2 };
/// A thread's cache of free blocks: counts of 16 bits, then the first block of each size.
enum { cache_chunk = 0x290, cache_sizes = 64, cache_lists = 128, most_cached = 127 };
enum { most_arenas = 4096 };

/// A part of memory that one arena has divided into chunks. The chunk `top` is the arena's unused rest.
struct heap {
    uint64_t low, high, top;
};

struct walk {
    struct remote_image *image;
    struct remote_blocks blocks;
    size_t room;
    uint64_t arenas[most_arenas];
    size_t arena_count;
    struct heap *heaps;
    size_t heap_count, heap_room;
};

static uint64_t word_at(const struct walk *walk, uint64_t address) {
    uint64_t word = 0;
    return remote_image_word(walk->image, address, &word) ? word : 0;
}

static void add(struct walk *walk, uint64_t address, uint64_t size, bool is_free) {
    if (!remote_make_room((void **)&walk->blocks.list, walk->blocks.count, &walk->room, sizeof(struct remote_block))) {
        walk->blocks.is_whole = false;
        return;
    }
    walk->blocks.list[walk->blocks.count++] = (struct remote_block){address, size, is_free};
}

static void add_heap(struct walk *walk, uint64_t low, uint64_t high, uint64_t top) {
    if (!remote_make_room((void **)&walk->heaps, walk->heap_count, &walk->heap_room, sizeof(struct heap))) {
        walk->blocks.is_whole = false;
        return;
    }
    walk->heaps[walk->heap_count++] = (struct heap){low, high, top};
}

/// Walks the chunks of one heap. An arena's last heap ends in the chunk `top`, the ones before it in small chunks without a block.
static void walk_chunks(struct walk *walk, const struct heap *heap) {
    enum { least = 32, most_ends = 64 };
    uint64_t chunk = (heap->low + 15) & ~(uint64_t)15, high = heap->high;
    size_t first = walk->blocks.count;
    while (chunk + chunk_head <= high) {
        uint64_t head = word_at(walk, chunk + 8), size = head & ~(uint64_t)flags_mask;
        if (walk->blocks.count > first && !(head & previous_is_used)) walk->blocks.list[walk->blocks.count - 1].is_free = true;
        if (size < least && high - chunk <= most_ends) return;
        if (size < least || size & 15 || size > high - chunk) break;
        add(walk, chunk + chunk_head, chunk == heap->top ? size - chunk_head : size - 8, chunk == heap->top);
        chunk += size;
    }
    if (chunk != high) walk->blocks.is_whole = false;
}

static void find_heaps(struct walk *walk, uint64_t arena) {
    uint64_t top = word_at(walk, arena + top_chunk), heap = top & ~(heap_room - 1), first = arena & ~(heap_room - 1);
    uint64_t head = arena - first;
    for (size_t i = 0; i < 1 << 16; i++) {
        uint64_t bytes = word_at(walk, heap + heap_bytes);
        if (word_at(walk, heap + heap_arena) != arena || bytes > heap_room) break;
        add_heap(walk, heap == first ? arena + arena_size : heap + head, heap + bytes, top);
        if (heap == first) return;
        heap = word_at(walk, heap + heap_previous);
    }
    walk->blocks.is_whole = false;
}

static void find_main_heap(struct walk *walk, uint64_t arena) {
    uint64_t top = word_at(walk, arena + top_chunk), end = top + (word_at(walk, top + 8) & ~(uint64_t)flags_mask);
    // Before its first block, the top is a bin.
    if (top == arena + top_chunk) return;
    if (word_at(walk, arena) >> 32 & is_scattered) walk->blocks.is_whole = false;
    else add_heap(walk, end - word_at(walk, arena + arena_memory), end, top);
}

static bool is_empty_bin(const struct walk *walk, uint64_t bin) {
    return word_at(walk, bin) == bin - 16 && word_at(walk, bin + 8) == bin - 16;
}

/// Whether an arena is at that address. An empty bin points to itself, and no bin is 0. Behind the last bin is something else, so that the
/// bins of an arena do not look like another arena.
static bool is_arena(const struct walk *walk, uint64_t arena) {
    unsigned empty = 0;
    if (word_at(walk, arena + top_chunk) == 0 || word_at(walk, arena + next_arena) == 0) return false;
    if (is_empty_bin(walk, arena + bins + 16 * bin_count)) return false;
    for (uint64_t i = 0; i < bin_count; i++) {
        uint64_t bin = arena + bins + 16 * i, one = word_at(walk, bin), other = word_at(walk, bin + 8);
        if (one == 0 || other == 0) return false;
        empty += is_empty_bin(walk, bin);
    }
    return empty > bin_count / 4;
}

/// The arena in the C library's data. 0 if there is none.
static uint64_t main_arena(struct walk *walk, struct remote_process *process) {
    enum { most = 16, last_bin = bins + 16 * (bin_count - 1) };
    for (size_t m = 0; m < process->module_count; m++) {
        struct remote_range segments[most];
        size_t count = remote_data_segments(process, m, segments, most);
        for (size_t i = 0; i < count && i < most; i++) {
            for (uint64_t at = segments[i].low; at + 16 <= segments[i].high; at += 8) {
                if (is_empty_bin(walk, at) && is_arena(walk, at - last_bin)) return at - last_bin;
            }
        }
    }
    return 0;
}

static int by_address(const void *one, const void *other) {
    uint64_t a = ((const struct remote_block *)one)->address, b = ((const struct remote_block *)other)->address;
    return a < b ? -1 : a > b;
}

static int by_beginning(const void *one, const void *other) {
    uint64_t a = ((const struct heap *)one)->low, b = ((const struct heap *)other)->low;
    return a < b ? -1 : a > b;
}

/// Adds the blocks that have mappings of their own. Such mappings may follow each other, and another one, without a gap.
static void add_mapped(struct walk *walk, uint64_t low, uint64_t high) {
    for (uint64_t page = low; page + remote_page_size <= high;) {
        uint64_t head = word_at(walk, page + 8), size = head & ~(uint64_t)flags_mask;
        bool is_block = (head & flags_mask) == is_mapped && size >= remote_page_size && size % remote_page_size == 0
            && size <= high - page && word_at(walk, page) == 0;
        if (is_block) add(walk, page + chunk_head, size - chunk_head, false);
        page += is_block ? size : remote_page_size;
    }
}

/// Adds all blocks in the order of their addresses: those of the heaps, and of the mappings that no heap reaches into.
static void add_blocks(struct walk *walk, const struct remote_process *process) {
    if (walk->heap_count > 0) qsort(walk->heaps, walk->heap_count, sizeof(struct heap), by_beginning);
    size_t next = 0;
    uint64_t reached = 0;
    for (size_t r = 0; r <= process->range_count; r++) {
        bool is_last = r == process->range_count;
        uint64_t low = is_last ? UINT64_MAX : process->ranges[r].low, high = is_last ? UINT64_MAX : process->ranges[r].high;
        bool has_heap = reached > low;
        for (; next < walk->heap_count && walk->heaps[next].low < high; next++) {
            const struct heap *heap = &walk->heaps[next];
            has_heap = true;
            // Heaps that overlap are none.
            if (heap->low < reached) walk->blocks.is_whole = false;
            else walk_chunks(walk, heap);
            if (heap->high > reached) reached = heap->high;
        }
        if (!has_heap && !is_last) add_mapped(walk, low, high);
    }
}

static struct remote_block *block_at(struct walk *walk, uint64_t address) {
    struct remote_block key = {address, 0, false};
    if (walk->blocks.count == 0) return NULL;
    return bsearch(&key, walk->blocks.list, walk->blocks.count, sizeof key, by_address);
}

/// Marks the blocks of a list of free ones. The links of such a list are changed by their own addresses.
static void mark_list(struct walk *walk, uint64_t first, uint64_t to_block) {
    uint64_t chunk = first;
    for (size_t i = 0; chunk != 0 && i <= walk->blocks.count; i++) {
        uint64_t block = chunk + to_block;
        struct remote_block *found = block_at(walk, block);
        if (!found) {
            walk->blocks.is_whole = false;
            return;
        }
        found->is_free = true;
        chunk = word_at(walk, block) ^ block >> 12;
    }
}

/// Whether a block is a thread's cache: each list that has blocks begins with one of its size.
static bool is_cache(struct walk *walk, const struct remote_block *block) {
    if (block->is_free || block->size != cache_chunk - 8) return false;
    bool is_used = false;
    for (uint64_t i = 0; i < cache_sizes; i++) {
        uint64_t count = word_at(walk, block->address + i * 2 / 8 * 8) >> i * 16 % 64 & 0xffff;
        uint64_t first = word_at(walk, block->address + cache_lists + i * 8);
        if (count > most_cached || (count > 0 && first == 0)) return false;
        if (first == 0) continue;
        struct remote_block *entry = block_at(walk, first);
        if (count > 0 && (!entry || entry->size != 24 + 16 * i)) return false;
        is_used = is_used || count > 0;
    }
    return is_used;
}

static void mark_cached(struct walk *walk, const struct remote_block *cache) {
    for (uint64_t i = 0; i < cache_sizes; i++) {
        uint64_t count = word_at(walk, cache->address + i * 2 / 8 * 8) >> i * 16 % 64 & 0xffff;
        uint64_t block = word_at(walk, cache->address + cache_lists + i * 8);
        for (; count > 0 && block != 0; count--) {
            struct remote_block *found = block_at(walk, block);
            if (!found) {
                walk->blocks.is_whole = false;
                break;
            }
            found->is_free = true;
            block = word_at(walk, block) ^ block >> 12;
        }
    }
}

static bool is_known_arena(const struct walk *walk, uint64_t arena) {
    for (size_t i = 0; i < walk->arena_count; i++)
        if (walk->arenas[i] == arena) return true;
    return false;
}

struct remote_blocks remote_image_blocks(struct remote_process *process, struct remote_image *image) {
    struct walk *walk = calloc(1, sizeof *walk);
    if (!walk) abort();
    walk->image = image;
    walk->blocks.is_whole = true;
    uint64_t arena = main_arena(walk, process), first = arena;
    // The list of the arenas is a ring. One that the program's memory has damaged may end in a ring without the first arena.
    while (arena != 0 && walk->arena_count < most_arenas && !is_known_arena(walk, arena)) {
        walk->arenas[walk->arena_count++] = arena;
        if (arena == first) find_main_heap(walk, arena);
        else find_heaps(walk, arena);
        arena = word_at(walk, arena + next_arena);
    }
    if (arena == 0 || arena != first) walk->blocks.is_whole = false;
    add_blocks(walk, process);
    for (size_t i = 0; i < walk->blocks.count; i++)
        if (is_cache(walk, &walk->blocks.list[i])) mark_cached(walk, &walk->blocks.list[i]);
    for (size_t a = 0; a < walk->arena_count; a++)
        for (uint64_t i = 0; i < fast_bin_count; i++) mark_list(walk, word_at(walk, walk->arenas[a] + fast_bins + 8 * i), chunk_head);
    struct remote_blocks blocks = walk->blocks;
    free(walk->heaps);
    free(walk);
    return blocks;
}
