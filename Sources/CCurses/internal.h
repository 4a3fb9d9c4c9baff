/// What the files of this target share, and nobody else sees. Included first: it says which parts of the system's headers are wanted.
#ifndef HOP_INTERNAL_H
#define HOP_INTERNAL_H

#define _GNU_SOURCE 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stddef.h>
#include <termios.h>

#include "CCurses.h"

/// The file descriptor that keys are read from; -1 while no terminal is open.
int hop_screen_input(void);

/// Teaches curses the terminal's sequences for mouse and paste.
void hop_input_define_keys(void);

/// Routes signals to `hop_signal_take`, and has deadly ones restore the terminal first. False with `errno` set where that fails.
bool hop_signals_install(void);
void hop_signals_remove(void);

/// Keeps what is written to the standard error, if that is a terminal, until the release shows it. The release may run in a signal handler.
void hop_errors_hold(void);
void hop_errors_release(void);
/// Drops what is too much to keep.
void hop_errors_bound(void);

/// Says how `hop_rescue` restores the terminal: by these bytes and modes.
void hop_rescue_arm(int terminal, const struct termios *modes, const char *bytes, size_t count);
void hop_rescue_disarm(void);
/// Restores the terminal if it is taken. For any thread and for signal handlers; the screen cannot be used after it.
void hop_rescue(void);

#endif
