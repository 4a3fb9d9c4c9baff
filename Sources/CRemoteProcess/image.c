#include "RemoteHolders.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /// Pages that are copied at once.
    piece_pages = 512,
    piece_size = piece_pages * remote_page_size,
    page_words = remote_page_size / 8,
    chunk_size = 64 << 20,
};

struct piece {
    uint64_t low, size;
    /// The pages that exist, one after the other.
    uint64_t *words;
    bool is_whole;
    uint64_t present[piece_pages / 64];
};

struct remote_image {
    struct piece *pieces;
    size_t count, room;
    uint64_t bytes;
    /// The piece of the last word. Most words are asked for in the order of their addresses.
    size_t last;
    /// Memory for the pages: the chunks before the one at `current` are used, and that one up to `used`.
    char **chunks;
    size_t chunk_count, chunk_room, current, used;
};

void remote_image_free(struct remote_image *image) {
    if (!image) return;
    for (size_t i = 0; i < image->chunk_count; i++) munmap(image->chunks[i], chunk_size);
    free(image->chunks);
    free(image->pieces);
    free(image);
}

/// Memory for a whole piece, of which the caller adds to `used` what it takes; NULL if memory is short.
static char *make_room(struct remote_image *image) {
    if (image->used + piece_size > chunk_size) {
        image->current++;
        image->used = 0;
    }
    if (image->current < image->chunk_count) return image->chunks[image->current] + image->used;
    if (!remote_make_room((void **)&image->chunks, image->chunk_count, &image->chunk_room, sizeof(char *))) return NULL;
    char *chunk = mmap(NULL, chunk_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED) return NULL;
    return image->chunks[image->chunk_count++] = chunk;
}

/// Copies one piece. A piece without a page is left out. False if memory is short.
static bool take_piece(struct remote_image *image, struct remote_process *process, uint64_t low, uint64_t high) {
    if (!remote_make_room((void **)&image->pieces, image->count, &image->room, sizeof(struct piece))) return false;
    struct piece *piece = &image->pieces[image->count];
    char *words = make_room(image);
    if (!words) return false;
    *piece = (struct piece){.low = low, .size = high - low, .words = (uint64_t *)words};
    size_t pages = remote_read_packed(process, low, high, words, (uint8_t *)piece->present);
    piece->is_whole = pages == piece_pages;
    image->bytes += (uint64_t)pages * remote_page_size;
    image->used += pages * remote_page_size;
    if (pages > 0) image->count++;
    return true;
}

struct remote_image *remote_image_take(struct remote_process *process, uint64_t most, struct remote_image *old) {
    struct remote_image *image = old ? old : calloc(1, sizeof *image);
    if (old) old->count = old->last = old->current = old->used = old->bytes = 0;
    bool fits = image != NULL;
    for (size_t i = 0; fits && i < process->range_count; i++) {
        uint64_t low = process->ranges[i].low, high = process->ranges[i].high & ~(uint64_t)(remote_page_size - 1);
        while (fits && low < high && (low = remote_next_present(process, low, high)) < high) {
            uint64_t end = high - low < piece_size ? high : low + piece_size;
            fits = take_piece(image, process, low, end) && image->bytes <= most;
            low = end;
        }
    }
    if (fits && !remote_is_late(process)) return image;
    remote_image_free(image);
    return NULL;
}

static bool is_present(const struct piece *piece, size_t page) { return piece->present[page / 64] >> page % 64 & 1; }

/// The pages of a piece, each with its place among the copied ones.
struct page_walk {
    size_t page, copied;
};

/// Moves to the next page that exists. False after the last one.
static bool find_page(const struct piece *piece, struct page_walk *walk) {
    while (walk->page < piece_pages && !is_present(piece, walk->page))
        walk->page += piece->present[walk->page / 64] >> walk->page % 64 == 0 ? 64 - walk->page % 64 : 1;
    return walk->page < piece_pages;
}

/// The words of an existing page.
static const uint64_t *page_of(const struct piece *piece, size_t page) {
    if (piece->is_whole) return piece->words + page * page_words;
    size_t before = 0;
    for (size_t i = 0; i < page / 64; i++) before += (size_t)__builtin_popcountll(piece->present[i]);
    before += (size_t)__builtin_popcountll(piece->present[page / 64] & ((UINT64_C(1) << page % 64) - 1));
    return piece->words + before * page_words;
}

/// The piece that contains an address, or NULL.
static const struct piece *piece_at(struct remote_image *image, uint64_t address) {
    if (image->last < image->count && address - image->pieces[image->last].low < image->pieces[image->last].size)
        return &image->pieces[image->last];
    size_t low = 0, high = image->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (image->pieces[middle].low + image->pieces[middle].size <= address) low = middle + 1;
        else high = middle;
    }
    if (low == image->count || address < image->pieces[low].low) return NULL;
    image->last = low;
    return &image->pieces[low];
}

bool remote_image_word(struct remote_image *image, uint64_t address, uint64_t *word) {
    const struct piece *piece = address & 7 ? NULL : piece_at(image, address);
    if (!piece) return false;
    uint64_t offset = address - piece->low;
    size_t page = offset / remote_page_size;
    if (!is_present(piece, page)) return false;
    *word = page_of(piece, page)[offset % remote_page_size / 8];
    return true;
}

// Targets

static const uint64_t unmarked = UINT64_C(0x00fffffffffffff8);

/// For functions that compare all words: they have a second form for processors that compare four words at once.
#if defined(__x86_64__)
#define SEARCHES_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SEARCHES_WIDE
#endif

enum { filter_bits = 19, filter_bytes = 1 << (filter_bits - 3) };

static inline uint32_t filter_slot(uint64_t word) { return (uint32_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> (64 - filter_bits)); }

struct search {
    const uint64_t *targets;
    size_t count, room, found_count;
    struct remote_reference *found;
    uint64_t low, distance;
    uint8_t *filter;
};

static void look_up(struct search *search, uint64_t word, uint64_t place) {
    uint32_t slot = filter_slot(word);
    if (!(search->filter[slot >> 3] >> (slot & 7) & 1)) return;
    size_t low = 0, high = search->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (search->targets[middle] < word) low = middle + 1;
        else high = middle;
    }
    if (low == search->count || search->targets[low] != word) return;
    if (search->found_count < search->room) search->found[search->found_count] = (struct remote_reference){place, word};
    search->found_count++;
}

SEARCHES_WIDE static void search_words(struct search *search, const uint64_t *words, size_t count, uint64_t base) {
    enum { group = 8 };
    const uint64_t low = search->low, distance = search->distance;
    for (size_t i = 0; i < count; i += group) {
        // Most groups of words have none within the targets' range.
        unsigned any = 0;
        for (size_t k = 0; k < group; k++) any |= (words[i + k] & unmarked) - low <= distance;
        if (!any) continue;
        for (size_t k = 0; k < group; k++) {
            uint64_t word = words[i + k] & unmarked;
            if (word - low <= distance) look_up(search, word, base + (i + k) * 8);
        }
    }
}

size_t remote_image_find(
    const struct remote_image *image, const uint64_t *targets, size_t count, struct remote_reference *found, size_t room) {
    if (count == 0) return 0;
    struct search search = {
        .targets = targets, .count = count, .room = room, .found = found, .low = targets[0], .distance = targets[count - 1] - targets[0],
        .filter = calloc(1, filter_bytes)};
    if (!search.filter) abort();
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = filter_slot(targets[i]);
        search.filter[slot >> 3] |= (uint8_t)(1 << (slot & 7));
    }
    for (size_t i = 0; i < image->count; i++) {
        const struct piece *piece = &image->pieces[i];
        for (struct page_walk walk = {0}; find_page(piece, &walk); walk.page++, walk.copied++)
            search_words(&search, piece->words + walk.copied * page_words, page_words, piece->low + walk.page * remote_page_size);
    }
    free(search.filter);
    return search.found_count;
}

/// A search for words that point into ranges.
struct inside_search {
    const struct remote_range *ranges;
    size_t count, room, found_count;
    struct remote_reference *found;
    uint64_t first, distance;
};

static void look_inside(struct inside_search *search, uint64_t word, uint64_t place) {
    if (word - search->first > search->distance) return;
    size_t low = 0, high = search->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (search->ranges[middle].high <= word) low = middle + 1;
        else high = middle;
    }
    if (low == search->count || word < search->ranges[low].low) return;
    if (search->found_count < search->room) search->found[search->found_count] = (struct remote_reference){place, search->ranges[low].low};
    search->found_count++;
}

/// The word at half a word's distance.
static inline uint64_t half_behind(const uint64_t *word) {
    uint64_t value;
    memcpy(&value, (const char *)word + sizeof *word / 2, sizeof value);
    return value;
}

/// Searches the words that begin in a page. `next` is the word behind it; 0 if that page does not exist.
SEARCHES_WIDE static void search_inside(struct inside_search *search, const uint64_t *words, uint64_t next, uint64_t base) {
    enum { group = 8 };
    // Marks in the lowest bits change nothing here, but at a range's end.
    const uint64_t mark = UINT64_C(0x00ffffffffffffff), first = search->first, distance = search->distance;
    for (size_t i = 0; i < page_words; i += group) {
        const uint64_t *at = words + i;
        uint64_t last[group + 1];
        if (i + group == page_words) {
            memcpy(last, at, group * sizeof *at);
            last[group] = next;
            at = last;
        }
        unsigned any = 0;
        for (size_t k = 0; k < group; k++) any |= (at[k] & mark) - first <= distance;
        for (size_t k = 0; k < group; k++) any |= (half_behind(at + k) & mark) - first <= distance;
        if (!any) continue;
        for (size_t k = 0; k < group; k++) {
            look_inside(search, at[k] & mark, base + (i + k) * 8);
            look_inside(search, half_behind(at + k) & mark, base + (i + k) * 8 + 4);
        }
    }
}

size_t remote_image_find_inside(
    const struct remote_image *image, const struct remote_range *ranges, size_t count, struct remote_reference *found, size_t room) {
    if (count == 0) return 0;
    struct inside_search search = {
        .ranges = ranges, .count = count, .room = room, .found = found, .first = ranges[0].low,
        .distance = ranges[count - 1].high - ranges[0].low};
    for (size_t i = 0; i < image->count; i++) {
        const struct piece *piece = &image->pieces[i];
        for (struct page_walk walk = {0}; find_page(piece, &walk); walk.page++, walk.copied++) {
            const uint64_t *words = piece->words + walk.copied * page_words;
            bool has_next = walk.page + 1 < piece_pages && is_present(piece, walk.page + 1);
            search_inside(&search, words, has_next ? words[page_words] : 0, piece->low + walk.page * remote_page_size);
        }
    }
    return search.found_count;
}
