/// Reading keys, mouse reports and pastes through curses.
#include "internal.h"

/// Key codes for sequences that curses does not know, above its own codes.
enum {
    KEY_MOUSE_REPORT = KEY_MAX + 1,
    KEY_OLD_MOUSE_REPORT,
    KEY_PASTE_BEGIN,
    KEY_PASTE_END,
    KEY_GROUND,
    KEY_ATTRIBUTES,
};

/// The longest time in which the rest of an escape sequence may arrive.
enum { SEQUENCE_MILLISECONDS = 25 };

/// The longest time between two bytes of an answer, which may come over a slow line.
enum { ANSWER_MILLISECONDS = 250 };

// Curses decodes mouse reports by the terminfo entry, and tmux's entry does not describe mode 1006, so this file decodes them.
void curses_input_define_keys(void) {
    set_escdelay(SEQUENCE_MILLISECONDS);
    define_key("\033[<", KEY_MOUSE_REPORT);
    define_key("\033[M", KEY_OLD_MOUSE_REPORT);
    define_key("\033[200~", KEY_PASTE_BEGIN);
    define_key("\033[201~", KEY_PASTE_END);
    define_key("\033]11;", KEY_GROUND);
    define_key("\033[?", KEY_ATTRIBUTES);
    // Terminals send Home and End in several spellings; inside tmux it is often not the one in terminfo.
    static const struct {
        const char *sequence;
        int key;
    } spellings[] = {
        {"\033[1~", KEY_HOME}, {"\033[7~", KEY_HOME}, {"\033[H", KEY_HOME}, {"\033OH", KEY_HOME},
        {"\033[4~", KEY_END},  {"\033[8~", KEY_END},  {"\033[F", KEY_END},  {"\033OF", KEY_END},
    };
    for (size_t index = 0; index < sizeof spellings / sizeof spellings[0]; index++)
        define_key(spellings[index].sequence, spellings[index].key);
}

/// Reads `code;column;row` and `M` or `m`. False for anything else.
static bool read_mouse_report(curses_input *input) {
    int numbers[3] = {0};
    int place = 0;
    bool is_valid = false;
    wtimeout(stdscr, SEQUENCE_MILLISECONDS);
    for (int length = 0; length < 20; length++) {
        wint_t character;
        if (get_wch(&character) != OK) break;
        if (character >= '0' && character <= '9' && numbers[place] < 100000) {
            numbers[place] = numbers[place] * 10 + (int)(character - '0');
        } else if (character == ';' && place < 2) {
            place++;
        } else {
            is_valid = place == 2 && (character == 'M' || character == 'm');
            input->mouse_released = character == 'm';
            break;
        }
    }
    wtimeout(stdscr, 0);
    input->kind = CURSES_INPUT_MOUSE;
    input->mouse_code = numbers[0];
    input->mouse_column = numbers[1];
    input->mouse_row = numbers[2];
    return is_valid;
}

/// Terminals without mode 1006 send three characters instead, which must not be read as keys.
static void skip_old_mouse_report(void) {
    wtimeout(stdscr, SEQUENCE_MILLISECONDS);
    for (int length = 0; length < 3; length++) {
        wint_t character;
        if (get_wch(&character) == ERR) break;
    }
    wtimeout(stdscr, 0);
}

/// Reads the rest of an answer, so that no part of it counts as typed: a string up to BEL or ESC \, or a control sequence up to its letter.
static void read_answer(bool is_string, curses_input *input) {
    size_t count = 0;
    wint_t character;
    wtimeout(stdscr, ANSWER_MILLISECONDS);
    for (int length = 0; length < 4 * CURSES_ANSWER_LENGTH; length++) {
        if (get_wch(&character) != OK || character == '\a' || character == 0x9c) break;
        if (is_string && character == '\033') {
            get_wch(&character);
            break;
        }
        if (!is_string && character >= 0x40) break;
        if (count + 1 < CURSES_ANSWER_LENGTH && character < 0x80) input->answer[count++] = (char)character;
    }
    input->answer[count] = '\0';
    wtimeout(stdscr, 0);
}

static bool translate(wint_t code, curses_input *input) {
    input->kind = CURSES_INPUT_KEY;
    switch (code) {
    case KEY_UP: input->key = CURSES_KEY_UP; return true;
    case KEY_DOWN: input->key = CURSES_KEY_DOWN; return true;
    case KEY_LEFT: input->key = CURSES_KEY_LEFT; return true;
    case KEY_RIGHT: input->key = CURSES_KEY_RIGHT; return true;
    case KEY_HOME: case KEY_FIND: case KEY_A1: input->key = CURSES_KEY_HOME; return true;
    case KEY_END: case KEY_SELECT: case KEY_C1: input->key = CURSES_KEY_END; return true;
    case KEY_PPAGE: case KEY_A3: input->key = CURSES_KEY_PAGE_UP; return true;
    case KEY_NPAGE: case KEY_C3: input->key = CURSES_KEY_PAGE_DOWN; return true;
    case KEY_ENTER: input->key = CURSES_KEY_ENTER; return true;
    case KEY_BTAB: input->key = CURSES_KEY_BACK_TAB; return true;
    case KEY_BACKSPACE: input->key = CURSES_KEY_BACKSPACE; return true;
    case KEY_DC: input->key = CURSES_KEY_DELETE; return true;
    case KEY_IC: input->key = CURSES_KEY_INSERT; return true;
    case KEY_MOUSE_REPORT: return read_mouse_report(input);
    case KEY_OLD_MOUSE_REPORT: skip_old_mouse_report(); return false;
    case KEY_PASTE_BEGIN: input->kind = CURSES_INPUT_PASTE_BEGIN; return true;
    case KEY_PASTE_END: input->kind = CURSES_INPUT_PASTE_END; return true;
    case KEY_GROUND: read_answer(true, input); input->kind = CURSES_INPUT_GROUND; return true;
    case KEY_ATTRIBUTES: read_answer(false, input); input->kind = CURSES_INPUT_ATTRIBUTES; return true;
    default:
        input->kind = CURSES_INPUT_FUNCTION_KEY;
        input->function_key = (int)code - KEY_F0;
        return code > KEY_F0 && code <= KEY_F(63);
    }
}

curses_input curses_input_next(void) {
    for (;;) {
        curses_input input = {0};
        wint_t code;
        switch (get_wch(&code)) {
        case OK:
            input.kind = CURSES_INPUT_CHARACTER;
            input.character = (uint32_t)code;
            return input;
        case KEY_CODE_YES:
            if (translate(code, &input)) return input;
            break;
        default:
            return input;
        }
    }
}
