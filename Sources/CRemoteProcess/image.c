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
    /// The pages that were kept, one after the other.
    uint64_t *words;
    bool is_whole;
    uint64_t kept[piece_pages / 64];
    /// The pages that exist, kept or not.
    uint64_t present[piece_pages / 64];
};

/// Addresses from `low` on; `distance` is that of the last one.
struct span {
    uint64_t low, distance;
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
    struct remote_process *process;
    /// The process's memory lies within these two spans, which leave out the largest gap between its parts.
    struct span spans[2];
    /// The last page that was read after all because a word of it was asked for, and its address.
    uint64_t late[page_words], late_address;
};

void remote_image_free(struct remote_image *image) {
    if (!image) return;
    for (size_t i = 0; i < image->chunk_count; i++) munmap(image->chunks[i], chunk_size + remote_page_size);
    free(image->chunks);
    free(image->pieces);
    free(image);
}

/// Memory for a whole piece and a word behind it, of which the caller adds to `used` what it takes; NULL if memory is short.
static char *make_room(struct remote_image *image) {
    if (image->used + piece_size > chunk_size) {
        image->current++;
        image->used = 0;
    }
    if (image->current < image->chunk_count) return image->chunks[image->current] + image->used;
    if (!remote_make_room((void **)&image->chunks, image->chunk_count, &image->chunk_room, sizeof(char *))) return NULL;
    char *chunk = mmap(NULL, chunk_size + remote_page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED) return NULL;
    return image->chunks[image->chunk_count++] = chunk;
}

/// For functions that compare all words: they have a second form for processors that compare four words at once.
#if defined(__x86_64__)
#define SEARCHES_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SEARCHES_WIDE
#endif

/// The word at half a word's distance.
static inline uint64_t half_behind(const uint64_t *word) {
    uint64_t value;
    memcpy(&value, (const char *)word + sizeof *word / 2, sizeof value);
    return value;
}

static inline unsigned may_point(uint64_t word, struct span one, struct span other) {
    uint64_t address = word & UINT64_C(0x00ffffffffffffff);
    return (unsigned)(address - one.low <= one.distance) | (unsigned)(address - other.low <= other.distance);
}

/// Whether a word of a page may be an address in the process's memory, at half a word's distance too. The word behind the page is read.
SEARCHES_WIDE static bool may_have_addresses(const uint64_t *words, struct span one, struct span other) {
    enum { group = 8 };
    for (size_t i = 0; i < page_words; i += group) {
        unsigned any = 0;
        for (size_t k = 0; k < group; k++) any |= may_point(words[i + k], one, other);
        for (size_t k = 0; k < group; k++) any |= may_point(half_behind(words + i + k), one, other);
        if (any) return true;
    }
    return false;
}

/// Whether a set of a piece's pages has a page.
static bool is_in(const uint64_t *pages, size_t page) { return pages[page / 64] >> page % 64 & 1; }

static void keep(struct piece *piece, size_t page) { piece->kept[page / 64] |= UINT64_C(1) << page % 64; }

/// Marks the pages to keep. A word may begin in one page and end in the next one, so the page behind such a one is kept, too.
static void choose_pages(const struct remote_image *image, struct piece *piece) {
    const uint64_t *words = piece->words;
    for (size_t page = 0; page < piece_pages; page++) {
        if (!is_in(piece->present, page)) continue;
        const uint64_t *at = words;
        words += page_words;
        if (!may_have_addresses(at, image->spans[0], image->spans[1])) continue;
        keep(piece, page);
        bool has_next = page + 1 < piece_pages && is_in(piece->present, page + 1);
        if (has_next && may_point(half_behind(words - 1), image->spans[0], image->spans[1])) keep(piece, page + 1);
    }
}

/// Copies one piece. Pages that have no addresses are left out, and so is a piece without a page. False if memory is short.
static bool take_piece(struct remote_image *image, struct remote_process *process, uint64_t low, uint64_t high) {
    if (!remote_make_room((void **)&image->pieces, image->count, &image->room, sizeof(struct piece))) return false;
    struct piece *piece = &image->pieces[image->count];
    char *words = make_room(image);
    if (!words) return false;
    *piece = (struct piece){.low = low, .size = high - low, .words = (uint64_t *)words};
    if (remote_read_packed(process, low, high, words, (uint8_t *)piece->present) == 0) return true;
    choose_pages(image, piece);
    size_t read = 0, kept = 0;
    for (size_t page = 0; page < piece_pages; page++) {
        if (!is_in(piece->present, page)) continue;
        if (is_in(piece->kept, page)) {
            if (kept != read) memcpy(words + kept * remote_page_size, words + read * remote_page_size, remote_page_size);
            kept++;
        }
        read++;
    }
    piece->is_whole = kept == piece_pages;
    image->bytes += (uint64_t)kept * remote_page_size;
    image->used += kept * remote_page_size;
    image->count++;
    return true;
}

static int by_beginning(const void *one, const void *other) {
    uint64_t a = ((const struct remote_range *)one)->low, b = ((const struct remote_range *)other)->low;
    return a < b ? -1 : a > b;
}

/// Finds the spans of the process's mappings and modules. False if memory is short.
static bool find_spans(struct remote_image *image, const struct remote_process *process) {
    size_t count = process->range_count + process->module_count;
    struct remote_range *parts = calloc(count + 1, sizeof *parts);
    if (!parts) return false;
    for (size_t i = 0; i < process->range_count; i++) parts[i] = process->ranges[i];
    for (size_t i = 0; i < process->module_count; i++)
        parts[process->range_count + i] = (struct remote_range){process->modules[i].shown.low, process->modules[i].shown.high, 0};
    qsort(parts, count, sizeof *parts, by_beginning);
    uint64_t end = parts[0].high, low = end, high = end, gap = 0;
    for (size_t i = 1; i < count; i++) {
        if (parts[i].low > end && parts[i].low - end > gap) {
            gap = parts[i].low - end;
            low = end;
            high = parts[i].low;
        }
        if (parts[i].high > end) end = parts[i].high;
    }
    image->spans[0] = (struct span){parts[0].low, low - parts[0].low};
    image->spans[1] = (struct span){high, end - high};
    free(parts);
    return true;
}

struct remote_image *remote_image_take(struct remote_process *process, uint64_t most, struct remote_image *old) {
    struct remote_image *image = old ? old : calloc(1, sizeof *image);
    if (old) old->count = old->last = old->current = old->used = old->bytes = 0;
    bool fits = image && find_spans(image, process);
    if (fits) {
        image->process = process;
        image->late_address = UINT64_MAX;
    }
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

/// The pages of a piece, each with its place among the copied ones.
struct page_walk {
    size_t page, copied;
};

/// Moves to the next page that was kept. False after the last one.
static bool find_page(const struct piece *piece, struct page_walk *walk) {
    while (walk->page < piece_pages && !is_in(piece->kept, walk->page))
        walk->page += piece->kept[walk->page / 64] >> walk->page % 64 == 0 ? 64 - walk->page % 64 : 1;
    return walk->page < piece_pages;
}

/// The words of a page that was kept.
static const uint64_t *page_of(const struct piece *piece, size_t page) {
    if (piece->is_whole) return piece->words + page * page_words;
    size_t before = 0;
    for (size_t i = 0; i < page / 64; i++) before += (size_t)__builtin_popcountll(piece->kept[i]);
    before += (size_t)__builtin_popcountll(piece->kept[page / 64] & ((UINT64_C(1) << page % 64) - 1));
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
    uint64_t offset = address - piece->low, first = address & ~(uint64_t)(remote_page_size - 1);
    size_t page = offset / remote_page_size, index = offset % remote_page_size / 8;
    if (is_in(piece->kept, page)) {
        *word = page_of(piece, page)[index];
        return true;
    }
    if (!is_in(piece->present, page)) return false;
    if (image->late_address != first) {
        image->late_address = UINT64_MAX;
        if (!remote_read(image->process, first, image->late, remote_page_size)) return false;
        image->late_address = first;
    }
    *word = image->late[index];
    return true;
}

// Targets

static const uint64_t unmarked = UINT64_C(0x00fffffffffffff8);

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

/// Searches the words that begin in a page. `next` is the word behind it; 0 if that page was not kept.
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
            bool has_next = walk.page + 1 < piece_pages && is_in(piece->kept, walk.page + 1);
            search_inside(&search, words, has_next ? words[page_words] : 0, piece->low + walk.page * remote_page_size);
        }
    }
    return search.found_count;
}
