// The blocks that the program gives to Dispatch and to run loops: their numbers, and their events in the trace. A block is a job of one
// slice: it is created and queued at once, begins, and succeeds when its body returns.

#include "dispatch_blocks.h"

#include "dispatch_library.h"
#include "dispatch_place.h"
#include "interposition.h"
#include "probe_routes.h"
#include "probe_statement.h"
#include "probe_tasks.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

bool blocks_are_recorded(void) {
    // A program of chains gives the bodies of its tasks to Dispatch; the trace has their events already.
    return is_watched() && probe_has(TRACE_ROUTE_BLOCKS) && !trace_has_both_worlds() && dispatch_is_known();
}

// MARK: - Numbers

/// Blocks are numbered apart from tasks. A thread takes a share of numbers at a time, so that threads seldom meet.
enum { NUMBERS_AT_ONCE = 32 };

static __attribute__((noinline)) void take_numbers(void) {
    static uint64_t taken;
    uint64_t first = __atomic_fetch_add(&taken, NUMBERS_AT_ONCE, __ATOMIC_RELAXED);
    probe_this.next_block = TRACE_FIRST_BLOCK + 1 + first;
    probe_this.end_of_blocks = probe_this.next_block + NUMBERS_AT_ONCE;
}

static inline uint64_t next_number(void) {
    if (__builtin_expect(probe_this.next_block == probe_this.end_of_blocks, 0)) take_numbers();
    return probe_this.next_block++;
}

uint64_t block_or_task_running(swift_task *current, bool *is_being_made) {
    const running_block *block = probe_this.block;
    // The stack grows downwards: a slice that began inside the block lies below it.
    bool is_in_slice = current != NULL && probe_this.slice < (uintptr_t)block;
    if (block == NULL || is_in_slice) return task_running(current, is_being_made);
    *is_being_made = false;
    return block->number;
}

uint64_t block_maker(void) {
    bool is_being_made;
    return block_or_task_running(probe_running(), &is_being_made);
}

uint16_t block_running_executor(void) {
    return probe_this.block != NULL ? probe_this.block->executor : 0;
}

// MARK: - Events

/// True if the block's events can still be told: the recording that has its creation goes on.
static inline bool is_told(const made_block *block) {
    return block->number != 0 && is_watched() && trace_recording() == block->recording;
}

static inline made_block make(uint16_t executor, uint32_t label, uint64_t recording, bool is_queued, uint64_t maker) {
    made_block block = {.number = next_number(), .recording = recording, .label = label, .executor = executor};
    trace_emit(TRACE_CREATED, TRACE_TASK_BLOCK, 0, block.label, block.number, maker);
    if (is_queued) trace_emit_after(TRACE_CREATED, TRACE_ENQUEUED, 0, executor, 0, block.number, maker);
    return block;
}

made_block block_made(uint16_t executor, const void *frame, bool is_queued) {
    probe_this.is_busy = true;
    statement_tell();
    uint64_t recording = trace_recording();
    made_block block = make(executor, block_place(frame, recording), recording, is_queued, block_maker());
    probe_this.is_busy = false;
    return block;
}

made_block block_made_with_name(const char *name, const void *frame) {
    probe_this.is_busy = true;
    statement_tell();
    uint64_t recording = trace_recording();
    made_block block = make(0, block_named_place(frame, name), recording, false, block_maker());
    probe_this.is_busy = false;
    return block;
}

made_block block_made_with_label(uint16_t executor, uint32_t label) {
    probe_this.is_busy = true;
    statement_tell();
    made_block block = make(executor, label, trace_recording(), true, block_maker());
    probe_this.is_busy = false;
    return block;
}

made_block block_to_make(uint16_t executor, const void *frame) {
    probe_this.is_busy = true;
    statement_tell();
    uint64_t recording = trace_recording();
    made_block block = {.recording = recording, .label = block_place(frame, recording), .executor = executor};
    probe_this.is_busy = false;
    return block;
}

made_block block_made_again(const made_block *block, uint64_t maker) {
    made_block again = *block;
    again.number = 0;
    if (!is_watched() || trace_recording() != block->recording) return again;
    again.number = next_number();
    probe_this.is_busy = true;
    trace_emit(TRACE_CREATED, TRACE_TASK_BLOCK, 0, again.label, again.number, maker);
    trace_emit_after(TRACE_CREATED, TRACE_ENQUEUED, 0, again.executor, 0, again.number, maker);
    probe_this.is_busy = false;
    return again;
}

void block_was_queued(const made_block *block, uint16_t executor) {
    if (!is_told(block)) return;
    probe_this.is_busy = true;
    trace_emit_after(TRACE_CREATED, TRACE_ENQUEUED, 0, executor, 0, block->number, block_maker());
    probe_this.is_busy = false;
}

void block_is_awaited(block_wait *wait, uint16_t executor, const void *frame) {
    probe_this.is_busy = true;
    statement_tell();
    wait->waiter = block_maker();
    uint64_t recording = trace_recording();
    wait->block = make(executor, block_place(frame, recording), recording, true, wait->waiter);
    wait->thread = &probe_this;
    trace_emit_after(TRACE_ENQUEUED, TRACE_WAIT_BEGAN, 0, 0, wait->block.label, wait->block.number, wait->waiter);
    probe_this.is_busy = false;
}

void made_block_is_awaited(block_wait *wait, const made_block *block, const void *frame) {
    *wait = (block_wait){.block = *block};
    if (!is_told(block)) return;
    probe_this.is_busy = true;
    wait->waiter = block_maker();
    wait->thread = &probe_this;
    trace_emit(TRACE_WAIT_BEGAN, 0, 0, block_place(frame, block->recording), block->number, wait->waiter);
    probe_this.is_busy = false;
}

static inline void begin(running_block *running, const made_block *block, const dispatch_block *body, block_wait *wait) {
    *running = (running_block){.body = body, .executor = block->executor, .outer = probe_this.block};
    probe_this.block = running;
    if (!is_told(block)) return;
    running->number = block->number;
    // A wait for a lock of the lanes is none of the program's.
    probe_this.is_busy = true;
    if (wait != NULL) trace_emit(TRACE_WAIT_ENDED, 0, 0, 0, block->number, wait->waiter);
    trace_emit_after(TRACE_WAIT_ENDED, TRACE_STARTED, TRACE_START_SLICE, block->executor, 0, block->number, 0);
    probe_this.is_busy = false;
}

void block_began(running_block *running, const made_block *block, const dispatch_block *body) {
    begin(running, block, body, NULL);
}

void awaited_block_began(running_block *running, block_wait *wait, const dispatch_block *body) {
    bool ends = wait->thread == &probe_this;
    begin(running, &wait->block, body, ends ? wait : NULL);
    if (ends) wait->thread = NULL;
}

void block_ended(const running_block *running) {
    probe_this.block = running->outer;
    if (running->number == 0 || !is_watched()) return;
    probe_this.is_busy = true;
    trace_emit(TRACE_COMPLETED, 0, 0, 0, running->number, 0);
    probe_this.is_busy = false;
}

void block_dropped(const made_block *block, uint64_t by) {
    if (!is_told(block)) return;
    probe_this.is_busy = true;
    if (by != 0) trace_emit(TRACE_CANCELLATION_ASKED, 0, 0, 0, block->number, by);
    trace_emit_after(TRACE_CANCELLATION_ASKED, TRACE_CANCELLED, TRACE_CANCELLATION_ASKED_FOR, 0, 0, block->number, 0);
    probe_this.is_busy = false;
}

void block_wait_ended(block_wait *wait) {
    if (wait->thread != NULL && is_told(&wait->block)) {
        probe_this.is_busy = true;
        trace_emit(TRACE_WAIT_ENDED, 0, 0, 0, wait->block.number, wait->waiter);
        probe_this.is_busy = false;
    }
    wait->thread = NULL;
}
