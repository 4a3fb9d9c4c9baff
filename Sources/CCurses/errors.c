/// Text written to the standard error while the screen is taken would spoil the picture and vanish with it, and it may be the message
/// of a trap. It is held in memory and printed when the terminal is released.
#include "internal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_KEPT = 1 << 20 };

static int kept = -1;
static int terminal = -1;

static bool is_same_file(int one, int other) {
    struct stat left, right;
    return fstat(one, &left) == 0 && fstat(other, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

void curses_errors_hold(void) {
    if (terminal >= 0 || !isatty(STDERR_FILENO)) return;
    if (kept < 0) {
        kept = memfd_create("hopscope-errors", MFD_CLOEXEC);
        if (kept < 0) return;
        fcntl(kept, F_SETFL, O_APPEND);
    }
    terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (terminal >= 0) dup2(kept, STDERR_FILENO);
}

void curses_errors_bound(void) {
    static const char note[] = "[Hopscope dropped earlier text of the standard error: more than 1 MiB.]\n";
    struct stat status;
    if (terminal < 0 || fstat(kept, &status) != 0 || status.st_size <= MOST_KEPT || ftruncate(kept, 0) != 0) return;
    ssize_t written = write(kept, note, sizeof note - 1);
    (void)written;
}

// Leaves the standard error alone if the program has redirected it in the meantime.
void curses_errors_release(void) {
    if (terminal < 0) return;
    if (is_same_file(STDERR_FILENO, kept)) dup2(terminal, STDERR_FILENO);
    char bytes[4096];
    off_t offset = 0;
    ssize_t count;
    while ((count = pread(kept, bytes, sizeof bytes, offset)) > 0 && write(terminal, bytes, (size_t)count) == count) offset += count;
    close(terminal);
    terminal = -1;
    int emptied = ftruncate(kept, 0);
    (void)emptied;
}
