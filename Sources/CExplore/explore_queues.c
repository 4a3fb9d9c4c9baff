#include "explore_queues.h"

#include "queue_layout.h"

#include <string.h>

extern __attribute__((weak)) char _dispatch_main_q[];
extern __attribute__((weak)) const char *dispatch_queue_get_label(void *queue);

enum { LONGEST_CHAIN = 16 };

static queue_layout layout;

void queues_begin(void) {
    layout = queue_layout_learn();
}

static void *target_of(void *queue) {
    return layout.target != 0 ? *(void **)((char *)queue + layout.target) : NULL;
}

bool queue_is_serial(void *queue) {
    return layout.width == 0 || *(uint16_t *)((char *)queue + layout.width) == 1;
}

void *queue_of_turns(void *queue) {
    void *bottom = queue, *next = queue;
    for (int length = 0; next != NULL && length < LONGEST_CHAIN; length++, next = target_of(next))
        if (queue_is_serial(next)) bottom = next;
    return bottom;
}

/// True for a root of Dispatch, and for the queues of the Swift runtime's pool.
static bool is_global(void *queue) {
    const char *label = dispatch_queue_get_label(queue);
    bool is_root = layout.target != 0 && target_of(queue) == NULL;
    return is_root || (label != NULL && strncmp(label, "Swift global", 12) == 0);
}

item_kind queue_kind(void *queue) {
    if (queue_of_turns(queue) == (void *)_dispatch_main_q) return ITEM_MAIN;
    return is_global(queue) ? ITEM_GLOBAL : ITEM_QUEUE;
}
