// Facts about this process's Dispatch, which the probe finds out before it records the first block.

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

static int note_library(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    code_range range = code_of_file(info);
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

// MARK: - Work items

typedef void *make_item(uintptr_t flags, dispatch_block *block);

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
        if (*(void *const *)((const char *)item + offset) == &block) dispatch.item_inner = offset;
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
    dispatch.main_queue = SYMBOL(_dispatch_main_q);
    dispatch.stack_block = SYMBOL(_NSConcreteStackBlock);
    dispatch.queue = queue_layout_learn();
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
