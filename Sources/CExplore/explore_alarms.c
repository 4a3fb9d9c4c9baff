// Alarms of the kernel. They come in real time, so an order does not decide when.

#define _GNU_SOURCE
#include "explore_state.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

EXPORTED unsigned alarm(unsigned seconds);
EXPORTED int setitimer(__itimer_which_t which, const struct itimerval *restrict asked, struct itimerval *restrict before);
EXPORTED int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer);

static void note_alarm(void) {
    if (explore.is_on) explore.record->saw |= EXPLORE_SAW_ALARMS;
}

unsigned alarm(unsigned seconds) {
    if (seconds != 0) note_alarm();
    return NEXT(alarm)(seconds);
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict asked, struct itimerval *restrict before) {
    if (asked != NULL && (asked->it_value.tv_sec != 0 || asked->it_value.tv_usec != 0)) note_alarm();
    return NEXT(setitimer)(which, asked, before);
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer) {
    note_alarm();
    return NEXT(timer_create)(clock, event, timer);
}
