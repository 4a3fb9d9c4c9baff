// The constants of events for emitters written in C. EventKind.swift in TaskEvents documents their meaning. A test compares the two lists.

#ifndef TRACE_VOCABULARY_H
#define TRACE_VOCABULARY_H

#include <stdint.h>

enum trace_event_kind {
    TRACE_CREATED = 2,
    TRACE_ANTECEDENT = 3,
    TRACE_ENQUEUED = 4,
    TRACE_STARTED = 5,
    TRACE_SUSPENDED = 6,
    TRACE_RESUMED = 7,
    TRACE_HOPPED = 8,
    TRACE_JOB_ENDED = 9,
    TRACE_COMPLETED = 11,
    TRACE_FAULTED = 12,
    TRACE_CANCELLED = 13,
    TRACE_ERROR_READ = 14,
    TRACE_RELEASED = 15,
    TRACE_WAIT_BEGAN = 16,
    TRACE_WAIT_ENDED = 17,
    TRACE_MARK = 23,
    TRACE_CANCELLATION_ASKED = 24,
    TRACE_CANCELLATION_SEEN = 26,
    TRACE_CHOICE = 27,
    TRACE_ADOPTED = 28,
    TRACE_SHIELDED = 29,
};

enum trace_task_kind {
    TRACE_TASK_ROOT = 0,
    TRACE_TASK_ASYNC_LET = 5,
    TRACE_TASK_GROUP_CHILD = 6,
    TRACE_TASK_UNSTRUCTURED = 7,
    TRACE_TASK_DETACHED = 8,
    TRACE_TASK_INTERNAL = 9,
    TRACE_TASK_BLOCK = 10,
    TRACE_TASK_MAIN = 11,
};

/// The numbers of blocks lie between this one and twice this one, apart from those of tasks.
#define TRACE_FIRST_BLOCK ((uint64_t)1 << 34)

/// A note, or the name that a task's own code gives to it.
enum trace_mark_manner { TRACE_MARK_NOTE = 0, TRACE_MARK_NAME = 1 };

enum trace_antecedent_role { TRACE_ANTECEDENT_AWAITED = 2 };

enum trace_start_manner { TRACE_START_DEQUEUED = 0, TRACE_START_INLINE = 1, TRACE_START_SLICE = 2 };

enum trace_suspension_reason {
    TRACE_SUSPENDED_AWAITING = 2,
    TRACE_SUSPENDED_TASK = 3,
    TRACE_SUSPENDED_CONTINUATION = 4,
    TRACE_SUSPENDED_GROUP = 5,
    TRACE_SUSPENDED_EXECUTOR = 6,
};

enum trace_hop_manner { TRACE_HOP_DISPATCHED = 0, TRACE_HOP_INLINE = 1, TRACE_HOP_LEFT = 3 };

/// The bit fields of `other` in a record of inline hops: the executor that the task left, the number of hops, and the time spent there.
enum trace_inline_hops {
    TRACE_HOPS_COUNT_SHIFT = 16,
    TRACE_HOPS_TIME_SHIFT = 26,
    TRACE_HOPS_TIME_UNIT = 4,  ///< nanoseconds
};

enum trace_fault_manner { TRACE_FAULT_THROWN = 0, TRACE_FAULT_FORWARDED = 1 };

enum trace_release_manner {
    TRACE_RELEASED_UNREFERENCED = 0,
    TRACE_RELEASED_BY_GROUP = 1,
    TRACE_RELEASED_TAKEN = 2,
    TRACE_RELEASED_CONTINUATION = 3,
};

enum trace_cancellation_manner { TRACE_CANCELLATION_THROWN = 0, TRACE_CANCELLATION_ASKED_FOR = 1 };

/// The way in which a cancellation reached a task. CancellationRequest in TaskEvents documents their meaning.
enum trace_cancellation_request {
    TRACE_REQUEST_CALLED = 1,
    TRACE_REQUEST_INHERITED = 2,
    TRACE_REQUEST_AT_CREATION = 3,
    TRACE_REQUEST_BY_SCOPE = 4,
};

/// A shield begins, ends, or is found at a request to cancel. ShieldManner in TaskEvents documents their meaning.
enum trace_shield_manner { TRACE_SHIELD_BEGAN = 0, TRACE_SHIELD_ENDED = 1, TRACE_SHIELD_FOUND = 2 };

enum trace_choice_manner { TRACE_CHOICE_FIRST = 0, TRACE_CHOICE_INSTEAD = 1, TRACE_CHOICE_PASSED_OVER = 2, TRACE_CHOICE_POSSIBLE = 3 };

/// The bits of `other` in the record of a choice: its number, and from here on the strand's.
enum trace_choice { TRACE_CHOICE_STRAND_SHIFT = 32 };

enum trace_executor_kind {
    TRACE_EXECUTOR_DEFAULT = 2,
    TRACE_EXECUTOR_MAIN = 3,
    TRACE_EXECUTOR_QUEUE = 4,
    TRACE_EXECUTOR_POOL = 6,
    TRACE_EXECUTOR_CUSTOM = 7,
    TRACE_EXECUTOR_ACTOR = 8,
    TRACE_EXECUTOR_GLOBAL = 9,
    TRACE_EXECUTOR_LOOP = 10,
};

/// The ways in which the probe learns about tasks. TraceRoutes.swift in TaskEvents documents the facts that each route provides.
enum trace_route {
    TRACE_ROUTE_CREATED = 1 << 0,
    TRACE_ROUTE_NAMES = 1 << 1,
    TRACE_ROUTE_QUEUES = 1 << 2,
    TRACE_ROUTE_SLICES = 1 << 3,
    TRACE_ROUTE_WAITS = 1 << 4,
    TRACE_ROUTE_HOPS = 1 << 5,
    TRACE_ROUTE_ENDS = 1 << 6,
    TRACE_ROUTE_THROWN = 1 << 7,
    TRACE_ROUTE_READ = 1 << 8,
    TRACE_ROUTE_RELEASED = 1 << 9,
    TRACE_ROUTE_CANCELLATION = 1 << 10,
    TRACE_ROUTE_CONTINUATIONS = 1 << 11,
    TRACE_ROUTE_BLOCKING = 1 << 12,
    TRACE_ROUTE_BLOCKS = 1 << 13,
    TRACE_ROUTE_LOOKS = 1 << 14,
    TRACE_ROUTE_CHILDREN = 1 << 15,
    TRACE_ROUTES_ALL = (1 << 16) - 1,
};

#endif
