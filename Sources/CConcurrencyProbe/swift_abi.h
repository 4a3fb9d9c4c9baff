// The parts of the Swift runtime's ABI that the probe relies on: calling conventions, entry points, and the first fields of a task.

#ifndef SWIFT_ABI_H
#define SWIFT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT_CC __attribute__((swiftcall))
#define SWIFT_ASYNC_CC __attribute__((swiftasynccall))
#define SWIFT_ASYNC_CONTEXT __attribute__((swift_async_context))
#define SWIFT_CONTEXT __attribute__((swift_context))
#define SWIFT_TAIL_CALL __attribute__((musttail))

/// A function that a frequently called one leaves the rare cases to. The caller saves no register for the call, so its common case needs no
/// stack frame.
#define PROBE_RARE __attribute__((noinline, cold, preserve_most))

/// A symbol of the runtime. It is weak: its address is NULL if the process has no such symbol.
#define SWIFT_RUNTIME extern __attribute__((weak))

/// The first fields of every async frame. Compiled code relies on them.
typedef struct swift_async_context {
    struct swift_async_context *parent;
    void *resume_parent;
} swift_async_context;

/// The first fields of every job, on which compiled code relies, followed by the first fields of a task.
typedef struct swift_task {
    void *isa;
    uintptr_t reference_count;
    void *scheduler_private[2];
    uint32_t flags;  ///< the kind in the lowest byte, the priority in the next
    uint32_t id;
    void *voucher;
    void *reserved;
    void *resume_task;
    swift_async_context *resume_context;
} swift_task;

enum {
    SWIFT_JOB_KIND_MASK = 0xFF,
    SWIFT_JOB_IS_TASK = 0,
    SWIFT_TASK_IS_GROUP_CHILD = 1 << 26,
    SWIFT_TASK_IS_ASYNC_LET = 1 << 28,
    SWIFT_TASK_BEGAN_WITH_PREFERENCE = 1 << 29,
};

/// Flags for swift_task_create.
enum {
    SWIFT_CREATE_INHERITS = 1 << 11,
    SWIFT_CREATE_ENQUEUES = 1 << 12,
};

/// Kinds of records in the option list of swift_task_create.
enum {
    SWIFT_OPTION_KIND_MASK = 0xFF,
    SWIFT_OPTION_GROUP = 1,
    SWIFT_OPTION_NAME = 7,
};

typedef struct swift_option {
    uintptr_t flags;
    struct swift_option *next;
    const void *value;  ///< for SWIFT_OPTION_GROUP the group, for SWIFT_OPTION_NAME the name
} swift_option;

typedef struct swift_executor {
    void *identity;           ///< an object, or NULL for the global executor
    uintptr_t implementation;  ///< 0 for a default actor
} swift_executor;

typedef struct swift_task_and_context {
    swift_task *task;
    swift_async_context *context;
} swift_task_and_context;

/// The function of an isolated deinit, which the object's executor runs.
typedef SWIFT_CC void isolated_deinit(void *object);

typedef struct swift_type_name {
    const char *bytes;
    uintptr_t length;
} swift_type_name;

typedef struct swift_error_value {
    void *value;
    const void *type;
    const void *conformance;
} swift_error_value;

// MARK: Functions that the probe calls

SWIFT_RUNTIME SWIFT_CC uint64_t swift_task_getJobTaskId(swift_task *task);
SWIFT_RUNTIME SWIFT_CC swift_task *swift_task_getCurrent(void);
SWIFT_RUNTIME SWIFT_CC swift_executor swift_task_getCurrentExecutor(void);
SWIFT_RUNTIME SWIFT_CC bool swift_task_isMainExecutor(void *identity, uintptr_t implementation);
SWIFT_RUNTIME SWIFT_CC swift_executor swift_task_getPreferredTaskExecutor(bool evenIfDefault);
SWIFT_RUNTIME SWIFT_CC void swift_job_run(swift_task *job, void *identity, uintptr_t implementation);
SWIFT_RUNTIME SWIFT_CC swift_type_name swift_getTypeName(const void *type, bool isQualified);
SWIFT_RUNTIME SWIFT_CC void swift_getErrorValue(const void *error, void **scratch, swift_error_value *value);
SWIFT_RUNTIME char swift_task_enqueue[];
SWIFT_RUNTIME char swift_willThrowTypedImpl[];

// MARK: Variables that the probe reads or sets

SWIFT_RUNTIME void *_swift_concurrency_debug_future_adapter;
SWIFT_RUNTIME void *_swift_concurrency_debug_non_future_adapter;
SWIFT_RUNTIME uint32_t _swift_concurrency_debug_internal_layout_version;
SWIFT_RUNTIME uint64_t _swift_concurrency_debug_asyncTaskSize;
SWIFT_RUNTIME void *_swift_concurrency_debug_asyncTaskMetadata;
SWIFT_RUNTIME uint8_t _swift_concurrency_debug_supportsPriorityEscalation;
SWIFT_RUNTIME bool _swift_tsan_enabled;
SWIFT_RUNTIME void (*_swift_tsan_acquire)(const void *);
SWIFT_RUNTIME void (*_swift_tsan_release)(const void *);
SWIFT_RUNTIME void (*_swift_willThrow)(void *error);

#endif
