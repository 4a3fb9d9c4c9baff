#define _GNU_SOURCE
#include "queue_layout.h"

#include "process_symbol.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_FIELDS = 16, QUEUE_SIZE = 160, MOST_AT_ONCE = 0xff0 };

typedef struct known_queues {
    void *main, *serial, *above, *concurrent;  ///< a serial queue on main, one on that, and a concurrent one
    const char *(*label)(void *queue);
} known_queues;

static void *pointer_in(const void *object, ptrdiff_t offset) {
    return *(void *const *)((const char *)object + offset);
}

static uint16_t width_in(const void *object, ptrdiff_t offset) {
    return *(const uint16_t *)((const char *)object + offset);
}

static queue_layout learn_from(const known_queues *known) {
    queue_layout learned = {0};
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && learned.target == 0; offset += sizeof(void *))
        if (pointer_in(known->serial, offset) == known->main && pointer_in(known->above, offset) == known->serial) learned.target = offset;
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && learned.width == 0; offset += sizeof(uint16_t)) {
        bool is_width = width_in(known->serial, offset) == 1 && width_in(known->above, offset) == 1 && width_in(known->main, offset) == 1;
        if (is_width && width_in(known->concurrent, offset) >= MOST_AT_ONCE) learned.width = offset;
    }
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && learned.serial == 0; offset += sizeof(void *)) {
        bool has_label = pointer_in(known->serial, offset) == known->label(known->serial);
        if (!has_label || pointer_in(known->above, offset) != known->label(known->above)) continue;
        ptrdiff_t before = offset - (ptrdiff_t)sizeof(void *);
        uintptr_t first = (uintptr_t)pointer_in(known->serial, before), second = (uintptr_t)pointer_in(known->above, before);
        if (first < second && second < first + 1000) learned.serial = before;
    }
    return learned;
}

typedef void *make_queue(const char *label, void *attributes, void *target);

queue_layout queue_layout_learn(void) {
    make_queue *make = (make_queue *)SYMBOL(dispatch_queue_create_with_target);
    void (*release)(void *) = (void (*)(void *))SYMBOL(dispatch_release);
    void *concurrently = SYMBOL(_dispatch_queue_attr_concurrent);
    known_queues known = {
        .main = SYMBOL(_dispatch_main_q),
        .label = (const char *(*)(void *))SYMBOL(dispatch_queue_get_label),
    };
    queue_layout learned = {0};
    if (make == NULL || release == NULL || concurrently == NULL || known.main == NULL || known.label == NULL) return learned;
    known.serial = make("hopscope.serial", NULL, known.main);
    known.above = make("hopscope.above", NULL, known.serial);
    known.concurrent = make("hopscope.concurrent", concurrently, known.main);
    if (known.serial != NULL && known.above != NULL && known.concurrent != NULL) learned = learn_from(&known);
    if (known.above != NULL) release(known.above);
    if (known.serial != NULL) release(known.serial);
    if (known.concurrent != NULL) release(known.concurrent);
    return learned;
}
