// Preloaded, it stands for a runtime that begins to run a job without a task in another place than a task.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_CC __attribute__((swiftcall))
#define SWIFT_ASYNC_CC __attribute__((swiftasynccall))

enum { KIND_MASK = 0xFF, IS_NO_TASK = 200 };

typedef struct job {
    void *words[4];
    uint32_t flags;
    uint32_t id;
    void *reserved[2];
    SWIFT_ASYNC_CC void (*run)(__attribute__((swift_async_context)) struct job *job);
} job;

extern void (*_swift_tsan_acquire)(const void *);

SWIFT_CC void swift_job_run(job *job, void *identity, uintptr_t implementation) {
    if ((job->flags & KIND_MASK) == IS_NO_TASK) {
        if (_swift_tsan_acquire != 0) _swift_tsan_acquire(job);
        job->run(job);
        return;
    }
    SWIFT_CC void (*next)(struct job *, void *, uintptr_t) =
        (SWIFT_CC void (*)(struct job *, void *, uintptr_t))dlsym(RTLD_NEXT, "swift_job_run");
    next(job, identity, implementation);
}
