/// Declarations shared by this target's files only. Included first, because it selects the features of the system's headers.
#ifndef CURSES_INTERNAL_H
#define CURSES_INTERNAL_H

#define _GNU_SOURCE 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stddef.h>
#include <termios.h>

#include "CCurses.h"

/// The file descriptor that keys are read from; -1 while no terminal is open.
int curses_screen_input(void);

/// Teaches curses the terminal's sequences for mouse and paste.
void curses_input_define_keys(void);

/// Routes signals to `curses_signal_take`; deadly ones restore the terminal first. On failure returns false and sets `errno`.
bool curses_signals_install(void);
void curses_signals_remove(void);
/// The file descriptor that is readable while `curses_signal_take` has a signal; -1 before the first installation.
int curses_signals_arrivals(void);

/// Holds back text written to the standard error, if that is a terminal; the release prints it. The release is safe in a signal handler.
void curses_errors_hold(void);
void curses_errors_release(void);
/// Drops the text held back if it exceeds its limit.
void curses_errors_bound(void);

/// Sets the bytes and modes by which `curses_rescue` restores the terminal.
void curses_rescue_arm(int terminal, const struct termios *modes, const char *bytes, size_t count);
void curses_rescue_disarm(void);
/// Restores the terminal if it is taken. Any thread and any signal handler may call it; the screen is unusable afterwards.
void curses_rescue(void);

#endif
