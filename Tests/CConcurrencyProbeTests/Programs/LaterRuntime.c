// The functions of Swift 6.4's runtime that begin and end a cancellation shield. They set a bit of the current task's status, which this
// toolchain's runtime keeps and does not use. With MOVED_BIT it is another bit than in Swift 6.4.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT_CC __attribute__((swiftcall))

#ifdef MOVED_BIT
enum { STATUS = 96, SHIELDED = 1 << 18 };
#else
enum { STATUS = 96, SHIELDED = 1 << 16 };
#endif

SWIFT_CC char *swift_task_getCurrent(void);

SWIFT_CC bool swift_task_cancellationShieldPush(void) {
    char *task = swift_task_getCurrent();
    return task != NULL && (__atomic_fetch_or((uint32_t *)(task + STATUS), SHIELDED, __ATOMIC_RELAXED) & SHIELDED) == 0;
}

SWIFT_CC void swift_task_cancellationShieldPop(void) {
    __atomic_fetch_and((uint32_t *)(swift_task_getCurrent() + STATUS), ~(uint32_t)SHIELDED, __ATOMIC_RELAXED);
}
