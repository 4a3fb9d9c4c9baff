/// Painting cells with colours and attributes.
#include "internal.h"

#include <wchar.h>

int curses_scalar_width(uint32_t scalar) {
    return wcwidth((wchar_t)scalar);
}

void curses_screen_start_colours(void) {
    start_color();
    use_default_colors();
}

void curses_screen_define_pair(int pair, int foreground, int background) {
    // A direct colour needs more bits than init_pair takes.
    init_extended_pair(pair, foreground, background);
}

static attr_t curses_attributes(uint16_t attributes) {
    attr_t result = A_NORMAL;
    if (attributes & CURSES_BOLD) result |= A_BOLD;
    if (attributes & CURSES_DIM) result |= A_DIM;
    if (attributes & CURSES_UNDERLINE) result |= A_UNDERLINE;
    if (attributes & CURSES_REVERSE) result |= A_REVERSE;
    return result;
}

void curses_screen_put(int row, int column, const curses_cell *cells, int count) {
    enum { AT_ONCE = 256 };
    cchar_t line[AT_ONCE];
    int start = column;
    int filled = 0;
    for (int index = 0; index < count; index++) {
        wchar_t text[CURSES_CELL_SCALARS + 1] = {0};
        for (int place = 0; place < CURSES_CELL_SCALARS; place++) text[place] = (wchar_t)cells[index].scalars[place];
        setcchar(&line[filled++], text, curses_attributes(cells[index].attributes), cells[index].pair, NULL);
        column += wcwidth(text[0]) == 2 ? 2 : 1;
        if (filled == AT_ONCE || index + 1 == count) {
            mvadd_wchnstr(row, start, line, filled);
            start = column;
            filled = 0;
        }
    }
}

void curses_screen_flush(void) {
    curses_errors_bound();
    wnoutrefresh(stdscr);
    doupdate();
}

void curses_screen_invalidate(void) {
    clearok(curscr, TRUE);
}
