// Tasks in memory as a Swift runtime of a given layout would leave them. Prints each as `task ID NAME PARENT WAIT AWAITED`, then `ready`, and waits.
//
// Arguments: the seed of the tree, the layout version, the true size of a task, the stated size (0 for none), the place of the group after
// the parent's, 1 if a name follows the task and is no record, 1 if there are records and flags that Swift 6.3 does not have, and a seed for
// fields and kinds in places and with numbers that no version has (0 for none).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL = 256, MOST_TASKS = 48, NAME_ROOM = 24 };
enum { IS_CHILD = 1 << 24, IS_FUTURE = 1 << 25, IS_GROUP_CHILD = 1 << 26, IS_ASYNC_LET = 1 << 28, IS_NAMED = 1 << 30 };
enum { HAS_DEPENDENCY = 0x4000, IS_SHIELDED = 0x10000, HAS_SCOPE = 0x80000, HAS_DEADLINE = 0x1000000 };
enum { DEPENDENCY, CHILD, GROUP, NAME, RECORD_KINDS, FIRST_NEW_KIND = 7 };
enum { WAITS_FOR_TASK = 1, WAITS_FOR_CONTINUATION = 2, WAITS_FOR_GROUP = 3 };

static uintptr_t record_kinds[RECORD_KINDS] = {0, 1, 2, 6};
static uintptr_t wait_kinds[] = {0, 1, 2, 3, 4};
static size_t records_place = 104, dependency_place = 160, status_place = 96;

#define EXPORT __attribute__((visibility("default"), used))

static uintptr_t job_metadata[4] = {0x503}, task_metadata[4] = {0x502};
static void resume(void) {}
EXPORT void *_swift_concurrency_debug_asyncTaskMetadata = task_metadata;
EXPORT void *_swift_concurrency_debug_jobMetadata = job_metadata;
EXPORT uint32_t _swift_concurrency_debug_internal_layout_version;
EXPORT uint64_t _swift_concurrency_debug_asyncTaskSize;
EXPORT uint8_t _swift_concurrency_debug_supportsPriorityEscalation;
#ifndef WITHOUT_SHIELDS
EXPORT void swift_task_cancellationShieldPush(void) {}
#endif

typedef struct record {
    uintptr_t kind;
    struct record *outer;
    uintptr_t words[6];
} record;

typedef struct group {
    void *functions;
    record record;
} group;

typedef struct made_task {
    char *memory;
    char name[NAME_ROOM];
    record *innermost;
    group *group;
    struct made_task *first_child, *last_in_group, *first_of_group;
    size_t tail;  ///< the place of the fragment of a child
} made_task;

static uint64_t random_state;
static uint32_t any(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void put(made_task *task, size_t place, uint64_t word) { memcpy(task->memory + place, &word, sizeof word); }
static void put_half(made_task *task, size_t place, uint32_t half) { memcpy(task->memory + place, &half, sizeof half); }

static record *add(made_task *task, record *added, uintptr_t kind) {
    added->kind = kind < RECORD_KINDS ? record_kinds[kind] : kind;
    added->outer = task->innermost;
    task->innermost = added;
    return added;
}

/// One or two facts of the layout become others.
static void make_hostile(uint32_t seed) {
    random_state = seed;
    for (uint32_t times = 1 + any(2); times > 0; times--) {
        uint32_t one = any(RECORD_KINDS), other = 1 + any(3);
        switch (any(6)) {
        case 0: records_place += 8; break;
        case 1: dependency_place += 8; break;
        case 2: status_place -= 8; break;
        case 3: record_kinds[one] = any(10); break;
        case 4: {
            uintptr_t kind = wait_kinds[1];
            wait_kinds[1] = wait_kinds[other];
            wait_kinds[other] = kind;
            break;
        }
        case 5: wait_kinds[other] = any(8); break;
        }
    }
}

int main(int count, char **arguments) {
    if (count != 9) return 64;
    if (atoi(arguments[8]) != 0) make_hostile((uint32_t)atoi(arguments[8]));
    random_state = strtoull(arguments[1], NULL, 0);
    _swift_concurrency_debug_internal_layout_version = (uint32_t)strtoul(arguments[2], NULL, 0);
    size_t size = strtoul(arguments[3], NULL, 0), group_place = strtoul(arguments[5], NULL, 0);
    _swift_concurrency_debug_asyncTaskSize = strtoul(arguments[4], NULL, 0);
    int name_follows = atoi(arguments[6]), has_news = atoi(arguments[7]);
    static made_task tasks[MOST_TASKS];
    uint32_t all = 8 + any(MOST_TASKS - 8);
    for (uint32_t index = 0; index < all; index++) {
        made_task *task = &tasks[index], *parent = index > 0 && any(4) > 0 ? &tasks[any(index)] : NULL;
        int is_of_group = any(2) != 0, is_named = any(4) > 0;
        task->memory = calloc(1, size + TAIL);
        if (is_named) snprintf(task->name, sizeof task->name, "made-%u", index);
        uint32_t flags = IS_FUTURE | 0x1500;
        if (is_named) flags |= IS_NAMED;
        if (parent != NULL) flags |= IS_CHILD | (is_of_group ? IS_GROUP_CHILD : IS_ASYNC_LET);
        put(task, 0, (uintptr_t)task_metadata);
        put(task, 8, 3);
        put_half(task, 32, flags);
        put_half(task, 36, index + 1);
        put(task, 56, (uintptr_t)resume);
        uintptr_t *context = calloc(2, sizeof *context);
        context[1] = (uintptr_t)resume;
        put(task, 64, (uintptr_t)context);
        put(task, 152, 0x15);
        task->tail = size;
        if (is_named && name_follows) {
            put(task, size, (uintptr_t)task->name);
            put(task, size + 8, strlen(task->name));
            task->tail += 16;
        } else if (is_named) {
            add(task, calloc(1, sizeof(record)), NAME)->words[0] = (uintptr_t)task->name;
        }
        if (has_news && any(2) != 0) add(task, calloc(1, sizeof(record)), FIRST_NEW_KIND + any(3));
        if (parent == NULL) continue;
        put(task, task->tail, (uintptr_t)parent->memory);
        if (!is_of_group) {
            add(parent, calloc(1, sizeof(record)), CHILD)->words[0] = (uintptr_t)task->memory;
            parent->first_child = task;
            continue;
        }
        if (parent->group == NULL) {
            parent->group = calloc(1, sizeof(group));
            add(parent, &parent->group->record, GROUP)->words[0] = (uintptr_t)task->memory;
            parent->first_of_group = task;
        } else {
            made_task *last = parent->last_in_group;
            put(last, last->tail + 8, (uintptr_t)task->memory);
            if (group_place > 16) put(task, task->tail + 16, (uintptr_t)last->memory);
        }
        parent->last_in_group = task;
        parent->group->record.words[1] = (uintptr_t)task->memory;
        put(task, task->tail + group_place, (uintptr_t)parent->group);
    }
    for (uint32_t index = 0; index < all; index++) {
        made_task *task = &tasks[index];
        record *wait = add(task, calloc(1, sizeof(record)), DEPENDENCY);
        wait->words[0] = (uintptr_t)(task->first_child != NULL ? (void *)task->first_child->memory : (void *)task->group);
        wait->words[2] = wait_kinds[task->first_child != NULL ? WAITS_FOR_TASK : task->group != NULL ? WAITS_FOR_GROUP : WAITS_FOR_CONTINUATION];
        wait->words[3] = has_news ? (uintptr_t)tasks[any(all)].memory : (uintptr_t)task->memory;
        uint64_t status = HAS_DEPENDENCY | 0x15;
        if (has_news) status |= (any(2) ? IS_SHIELDED : 0) | (any(2) ? HAS_SCOPE : 0) | (any(2) ? HAS_DEADLINE : 0);
        put(task, status_place, status);
        put(task, records_place, (uintptr_t)task->innermost);
        put(task, dependency_place, (uintptr_t)wait);
        uint64_t parent = 0;
        uint32_t flags = 0;
        memcpy(&flags, task->memory + 32, sizeof flags);
        if ((flags & IS_CHILD) != 0) memcpy(&parent, task->memory + task->tail, sizeof parent);
        uint32_t parent_id = 0;
        if (parent != 0) memcpy(&parent_id, (char *)(uintptr_t)parent + 36, sizeof parent_id);
        uint32_t awaited_id = 0;
        if (task->first_child != NULL) memcpy(&awaited_id, task->first_child->memory + 36, sizeof awaited_id);
        const char *waits = task->first_child != NULL ? "task" : task->group != NULL ? "group" : "continuation";
        if ((status & IS_SHIELDED) != 0) printf("shielded %u\n", index + 1);
        printf("task %u %s %u %s %u\n", index + 1, task->name[0] != 0 ? task->name : "-", parent_id, waits, awaited_id);
    }
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
