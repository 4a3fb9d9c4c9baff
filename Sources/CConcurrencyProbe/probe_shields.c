// Cancellation shields of Swift 6.4. The runtime marks a task in a shield by a bit of its status. The compiler writes the calls that begin and
// end a shield into the program, so each passes through the probe. The first of them prove the bit, or refute it.

#include "probe_shields.h"

#include "interposition.h"
#include "probe_routes.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

enum { STATUS_OFFSET = 0x60, STATUS_IS_SHIELDED = 1 << 16 };

typedef enum proof { PROOF_NONE, PROOF_FOUND, PROOF_REFUTED } proof;
static proof bit_proof;

static bool has_bit(const swift_task *task) {
    const uint32_t *status = (const uint32_t *)((const char *)task + STATUS_OFFSET);
    return (__atomic_load_n(status, __ATOMIC_RELAXED) & STATUS_IS_SHIELDED) != 0;
}

/// The current task has just entered a shield, or left one.
static void prove(const swift_task *task, bool is_shielded) {
    if (has_bit(task) != is_shielded) {
        __atomic_store_n(&bit_proof, PROOF_REFUTED, __ATOMIC_RELAXED);
    } else if (is_shielded) {
        proof expected = PROOF_NONE;
        __atomic_compare_exchange_n(&bit_proof, &expected, PROOF_FOUND, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

static bool is_there;
SWIFT_RUNTIME SWIFT_CC bool swift_task_cancellationShieldPush(void);

bool shields_are_there(void) {
    is_there = interposed_is_there(INTERPOSED_shield_push, (const void *)swift_task_cancellationShieldPush);
    return is_there;
}

// MARK: - Beginning and end

static void tell(const swift_task *task, uint8_t manner, uint32_t code) {
    probe_this.is_busy = true;
    trace_emit(TRACE_SHIELDED, manner, 0, code, task_number((swift_task *)task), 0);
    probe_this.is_busy = false;
}

/// Returns whether a shield began. A task that is in one already stays in that.
static SWIFT_CC uintptr_t watch_push(void) {
    uintptr_t answer = RUNTIMES(shield_push)();
    swift_task *task = (answer & 1) != 0 ? swift_task_getCurrent() : NULL;
    if (task == NULL) return answer;
    prove(task, true);
    if (!is_watched() || !probe_has(TRACE_ROUTE_CANCELLATION)) return answer;
    const void *returns[TRACE_CODE_DEPTH];
    size_t count = probe_callers(PROBE_FRAME, returns, TRACE_CODE_DEPTH);
    tell(task, TRACE_SHIELD_BEGAN, trace_code(TRACE_CODE_CALLS, returns, count));
    return answer;
}

static SWIFT_CC void watch_pop(void) {
    RUNTIMES(shield_pop)();
    swift_task *task = swift_task_getCurrent();
    if (task == NULL) return;
    prove(task, false);
    if (is_watched() && probe_has(TRACE_ROUTE_CANCELLATION)) tell(task, TRACE_SHIELD_ENDED, 0);
}

void shields_watch(void) {
    TAKE_CALLS(shield_push, watch_push);
    TAKE_CALLS(shield_pop, watch_pop);
}

void shield_is_asked_for(const swift_task *task, uint64_t number) {
    if (!is_there || !has_bit(task)) return;
    switch ((proof)__atomic_load_n(&bit_proof, __ATOMIC_RELAXED)) {
    case PROOF_FOUND: trace_emit(TRACE_SHIELDED, TRACE_SHIELD_FOUND, 0, 0, number, 0); break;
    // Nothing tells whether the task is in a shield, so nothing tells whether work after its cancellation is late.
    case PROOF_NONE:
    case PROOF_REFUTED: routes_lose(TRACE_ROUTE_CANCELLATION); break;
    }
}
