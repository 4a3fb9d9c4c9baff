/// Restores the terminal when the process ends without closing it, also from a signal handler.
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int terminal;
    pid_t owner;
    struct termios modes;
    char bytes[512];
    size_t count;
} rescue;

static atomic_bool is_armed;

void curses_rescue_arm(int terminal, const struct termios *modes, const char *bytes, size_t count) {
    static bool is_registered;
    if (!is_registered) {
        is_registered = true;
        atexit(curses_rescue);
    }
    rescue.terminal = terminal;
    rescue.owner = getpid();
    rescue.modes = *modes;
    rescue.count = count < sizeof rescue.bytes ? count : sizeof rescue.bytes;
    memcpy(rescue.bytes, bytes, rescue.count);
    atomic_store(&is_armed, true);
}

void curses_rescue_disarm(void) {
    atomic_store(&is_armed, false);
}

// A forked child that ends must leave its parent's terminal alone.
void curses_rescue(void) {
    if (!atomic_load(&is_armed) || rescue.owner != getpid() || !atomic_exchange(&is_armed, false)) return;
    size_t written = 0;
    while (written < rescue.count) {
        ssize_t count = write(rescue.terminal, rescue.bytes + written, rescue.count - written);
        if (count <= 0) break;
        written += (size_t)count;
    }
    tcsetattr(rescue.terminal, TCSANOW, &rescue.modes);
    curses_errors_release();
}
