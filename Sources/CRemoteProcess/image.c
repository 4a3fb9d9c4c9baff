#include "RemoteHolders.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/// Pages that are copied at once.
enum { piece_pages = 256, piece_size = piece_pages * remote_page_size };

struct piece {
    uint64_t low, size;
    uint64_t *words;
    uint8_t present[piece_pages / 8];
};

struct remote_image {
    struct piece *pieces;
    size_t count, room;
    uint64_t bytes;
};

void remote_image_free(struct remote_image *image) {
    if (!image) return;
    for (size_t i = 0; i < image->count; i++) free(image->pieces[i].words);
    free(image->pieces);
    free(image);
}

/// Copies one piece. A piece without a page is left out. False if memory is short.
static bool take_piece(struct remote_image *image, struct remote_process *process, uint64_t low, uint64_t high) {
    if (!remote_make_room((void **)&image->pieces, image->count, &image->room, sizeof(struct piece))) return false;
    struct piece *piece = &image->pieces[image->count];
    // Memory of its own, which takes no room where no page is copied.
    *piece = (struct piece){.low = low, .size = high - low, .words = calloc(1, high - low)};
    if (!piece->words) return false;
    size_t pages = remote_read_present(process, low, high, piece->words, piece->present);
    image->bytes += (uint64_t)pages * remote_page_size;
    if (pages == 0) free(piece->words);
    else image->count++;
    return true;
}

struct remote_image *remote_image_take(struct remote_process *process, uint64_t most) {
    struct remote_image *image = calloc(1, sizeof *image);
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

static bool is_present(const struct piece *piece, size_t page) { return piece->present[page / 8] >> page % 8 & 1; }

bool remote_image_word(const struct remote_image *image, uint64_t address, uint64_t *word) {
    size_t low = 0, high = image->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (image->pieces[middle].low + image->pieces[middle].size <= address) low = middle + 1;
        else high = middle;
    }
    if (low == image->count || address < image->pieces[low].low || address & 7) return false;
    const struct piece *piece = &image->pieces[low];
    uint64_t offset = address - piece->low;
    if (!is_present(piece, offset / remote_page_size)) return false;
    *word = piece->words[offset / 8];
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

static void search_words(struct search *search, const uint64_t *words, size_t count, uint64_t base) {
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
        for (size_t page = 0; page * remote_page_size < piece->size; page++) {
            size_t words = remote_page_size / 8;
            if (is_present(piece, page)) search_words(&search, piece->words + page * words, words, piece->low + page * remote_page_size);
        }
    }
    free(search.filter);
    return search.found_count;
}

size_t remote_image_find_inside(
    const struct remote_image *image, const struct remote_range *ranges, size_t count, struct remote_reference *found, size_t room) {
    if (count == 0) return 0;
    size_t found_count = 0;
    const uint64_t first = ranges[0].low, distance = ranges[count - 1].high - first;
    for (size_t i = 0; i < image->count; i++) {
        const struct piece *piece = &image->pieces[i];
        for (uint64_t at = 0; at + 8 <= piece->size; at += 4) {
            if (at % remote_page_size == 0 && !is_present(piece, at / remote_page_size)) {
                at += remote_page_size - 4;
                continue;
            }
            uint64_t word;
            memcpy(&word, (const char *)piece->words + at, sizeof word);
            // Marks in the lowest bits change nothing here, but at a range's end.
            word &= UINT64_C(0x00ffffffffffffff);
            if (word - first > distance) continue;
            size_t low = 0, high = count;
            while (low < high) {
                size_t middle = (low + high) / 2;
                if (ranges[middle].high <= word) low = middle + 1;
                else high = middle;
            }
            if (low == count || word < ranges[low].low) continue;
            if (found_count < room) found[found_count] = (struct remote_reference){piece->low + at, ranges[low].low};
            found_count++;
        }
    }
    return found_count;
}
