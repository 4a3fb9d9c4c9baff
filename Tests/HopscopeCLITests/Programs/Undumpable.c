// Clears its dumpable flag, as a program does that keeps secrets. Another process of the same user may then not read it.
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void) {
    prctl(PR_SET_DUMPABLE, 0);
    puts("here");
    fflush(stdout);
    pause();
}
