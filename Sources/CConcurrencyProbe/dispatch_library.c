// Facts about this process's Dispatch, which the probe finds out before it records the first block. Two offsets in a queue are learned from queues
// of the probe's own, because they differ between versions.

#define _GNU_SOURCE
#include "dispatch_library.h"

#include "interposition.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

dispatch_library dispatch;

// MARK: - Code

static const char *const names[DISPATCH_LIBRARIES] = {
    "/libdispatch.so", "/libswiftDispatch.so", "/libFoundation.so", "/libFoundationEssentials.so", "/libswiftCore.so",
    "/libswift_Concurrency.so", "/libswiftSynchronization.so", "/libBlocksRuntime.so",
};

static code_range code_of(const struct dl_phdr_info *info) {
    code_range range = {.first = UINTPTR_MAX};
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (start < range.first) range.first = start;
        if (start + segment->p_memsz > range.end) range.end = start + segment->p_memsz;
    }
    return range;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    code_range range = code_of(info);
    if (is_in(range, (const void *)note_library)) dispatch.probe = range;
    const char *name = strrchr(info->dlpi_name, '/');
    for (size_t index = 0; name != NULL && index < DISPATCH_LIBRARIES; index++) {
        if (strcmp(name, names[index]) != 0 || dispatch.between_count == DISPATCH_LIBRARIES) continue;
        if (index == 0) dispatch.code = range;
        if (dispatch_is_between((const void *)range.first)) continue;
        dispatch.between[dispatch.between_count] = range;
        // A thread that throws may be looking.
        __atomic_store_n(&dispatch.between_count, dispatch.between_count + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

void dispatch_find_libraries(void) { dl_iterate_phdr(note_library, NULL); }

#ifdef HOPSCOPE_PRELOADED
enum { is_library = true };
#else
enum { is_library = false };
#endif

// MARK: - Queues

enum { QUEUE_FIELDS = 16, QUEUE_SIZE = 160, MOST_AT_ONCE = 0xff0 };

static void *pointer_in(const void *object, ptrdiff_t offset) {
    return *(void *const *)((const char *)object + offset);
}

static uint16_t width_in(const void *object, ptrdiff_t offset) {
    return *(const uint16_t *)((const char *)object + offset);
}

/// Learns where a queue has its target, its width and its number: from a serial queue on main, one on that, and a concurrent one.
static void learn_queue(void *serial, void *above, void *concurrent) {
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && dispatch.target == 0; offset += sizeof(void *))
        if (pointer_in(serial, offset) == dispatch.main_queue && pointer_in(above, offset) == serial) dispatch.target = offset;
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && dispatch.width == 0; offset += sizeof(uint16_t)) {
        bool is_width = width_in(serial, offset) == 1 && width_in(above, offset) == 1 && width_in(dispatch.main_queue, offset) == 1;
        if (is_width && width_in(concurrent, offset) >= MOST_AT_ONCE) dispatch.width = offset;
    }
    for (ptrdiff_t offset = QUEUE_FIELDS; offset < QUEUE_SIZE && dispatch.serial == 0; offset += sizeof(void *)) {
        if (pointer_in(serial, offset) != dispatch.label(serial) || pointer_in(above, offset) != dispatch.label(above)) continue;
        ptrdiff_t before = offset - (ptrdiff_t)sizeof(void *);
        uintptr_t first = (uintptr_t)pointer_in(serial, before), second = (uintptr_t)pointer_in(above, before);
        if (first < second && second < first + 1000) dispatch.serial = before;
    }
}

typedef void *make_queue(const char *label, void *attributes, void *target);
typedef void *make_item(uintptr_t flags, dispatch_block *block);

static void learn_queues(void) {
    make_queue *make = (make_queue *)SYMBOL(dispatch_queue_create_with_target);
    void (*release)(void *) = (void (*)(void *))SYMBOL(dispatch_release);
    void *concurrently = SYMBOL(_dispatch_queue_attr_concurrent);
    if (make == NULL || release == NULL || concurrently == NULL || dispatch.main_queue == NULL || dispatch.label == NULL) return;
    void *serial = make("hopscope.serial", NULL, dispatch.main_queue), *above = make("hopscope.above", NULL, serial);
    void *concurrent = make("hopscope.concurrent", concurrently, dispatch.main_queue);
    if (serial != NULL && above != NULL && concurrent != NULL) learn_queue(serial, above, concurrent);
    if (above != NULL) release(above);
    if (serial != NULL) release(serial);
    if (concurrent != NULL) release(concurrent);
}

// MARK: - Work items

static void do_nothing(dispatch_block *block) {
    (void)block;
}

/// Learns how to tell a block that dispatch_block_create made, and where it keeps the block that it was made of.
static void learn_items(void) {
    enum { ITEM_SIZE = 96 };
    static const block_descriptor descriptor = {.size = sizeof(dispatch_block)};
    static dispatch_block block = {.flags = BLOCK_IS_GLOBAL, .invoke = do_nothing, .descriptor = &descriptor};
    make_item *make = (make_item *)RUNTIMES(dispatch_block_create);
    block.isa = SYMBOL(_NSConcreteGlobalBlock);
    if (make == NULL || block.isa == NULL || dispatch.release == NULL) return;
    dispatch_block *item = make(0, &block);
    if (item == NULL) return;
    for (ptrdiff_t offset = sizeof(dispatch_block); offset < ITEM_SIZE && dispatch.item_inner == 0; offset += sizeof(void *))
        if (pointer_in(item, offset) == &block) dispatch.item_inner = offset;
    dispatch.item_invoke = (void *)item->invoke;
    dispatch.release(item);
}

static void learn(void) {
    bool was_busy = probe_this.is_busy;
    probe_this.is_busy = true;
    dispatch_find_libraries();
    dispatch.copy = (void *(*)(const void *))SYMBOL(_Block_copy);
    dispatch.release = (void (*)(const void *))SYMBOL(_Block_release);
    dispatch.label = (const char *(*)(void *))SYMBOL(dispatch_queue_get_label);
    dispatch.find_function = (const void *(*)(const void *, void *))SYMBOL(_Unwind_Find_FDE);
    dispatch.main_queue = SYMBOL(_dispatch_main_q);
    dispatch.stack_block = SYMBOL(_NSConcreteStackBlock);
    learn_queues();
    learn_items();
    bool is_known = dispatch.copy != NULL && dispatch.release != NULL && dispatch.label != NULL && dispatch.item_invoke != NULL
        && (!is_library || code_is_found(dispatch.code));
    __atomic_store_n(&dispatch.state, is_known ? DISPATCH_KNOWN : DISPATCH_UNKNOWN, __ATOMIC_RELEASE);
    probe_this.is_busy = was_busy;
}

PROBE_RARE bool dispatch_learn(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    // A call that the probe makes while it learns is not recorded.
    if (probe_this.is_busy || __atomic_load_n(&dispatch.state, __ATOMIC_ACQUIRE) == DISPATCH_UNKNOWN) return false;
    pthread_once(&once, learn);
    return __atomic_load_n(&dispatch.state, __ATOMIC_ACQUIRE) == DISPATCH_KNOWN;
}
