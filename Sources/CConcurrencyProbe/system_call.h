// The type of `syscall`, as those who stand before it call it.

#ifndef SYSTEM_CALL_H
#define SYSTEM_CALL_H

// The arguments of a system call that are in registers. A jump leaves the sixth one where the caller put it: on x86-64, that is the stack.
// The function must not write there, because a caller with fewer arguments may have a variable there that another thread changes.
#if defined(__x86_64__)
#define SYSTEM_CALL_PARAMETERS long number, long a, long b, long c, long d, long e
#define SYSTEM_CALL_ARGUMENTS number, a, b, c, d, e
#else
#define SYSTEM_CALL_PARAMETERS long number, long a, long b, long c, long d, long e, long f
#define SYSTEM_CALL_ARGUMENTS number, a, b, c, d, e, f
#endif

typedef long system_call(SYSTEM_CALL_PARAMETERS);

#endif
