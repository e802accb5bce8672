#define _GNU_SOURCE /* wide characters of curses */
#include "screen.h"

#include "base/process/libraries.h"
#include "base/process/message.h"

#ifdef ARMTAP_WITH_NCURSES
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>
#undef columns /* a macro of term.h */
#undef lines

#include "base/os/console.h"
#include "base/os/file.h"
#include "base/os/interrupt.h"
#include "base/os/names.h"
#include "base/text/utf8.h"
#include "keys.h"
#include "nanoseconds.h"

enum { KEYS_MAX = 64, MESSAGES_MAX = 16384, MESSAGE_MAX = 200 };
/* ms that the thread waits for a key before it looks for something else to do. */
#define KEY_WAIT 40
/* ns that a terminal gets to take what is left, and then once more without what it has not taken. */
#define PATIENCE (SECOND / 2)

struct screen {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news; /* a key, or the end of the thread */
    bool is_coloured;
    FILE *out, *in;
    /* under the lock */
    struct sheet next;
    bool has_next, ends, has_ended, is_lost;
    int keys[KEYS_MAX];
    unsigned key_count;
    int rows, columns;
    /* standard error, as long as the screen is open */
    int errors, error_pipe; /* the descriptor that it was, and a pipe that it goes to; -1: left alone */
    char messages[MESSAGES_MAX];
    size_t message_length;
    char last[MESSAGE_MAX];
};

/* Whether the terminal has to be put back: for a handler, which takes no user pointer. */
static atomic_bool is_taken;

/* ---- the terminal ------------------------------------------------------------------------------------------------ */

void screen_restore(void)
{
    if (atomic_exchange(&is_taken, false))
        console_put_back();
}

bool screen_is_ascii(void)
{
    return !console_has_utf8();
}

bool screen_is_possible(void)
{
    int error;
    setlocale(LC_CTYPE, "");
    if (setupterm(console_type(), STDOUT_FILENO, &error) == OK && (console_type() || cursor_address))
        return true;
    const char *type = getenv("TERM");
    message_error(
        "watch: the terminal's type, TERM=%s, has no cursor to move, so the page is printed once; set TERM to "
        "what the terminal is, such as xterm",
        type ? type : "");
    return false;
}

const char *screen_library(void)
{
    return curses_version();
}

static bool is_ending(void *user)
{
    struct screen *screen = user;
    pthread_mutex_lock(&screen->lock);
    bool ends = screen->ends;
    pthread_mutex_unlock(&screen->lock);
    return ends;
}

/* As the shell expects of Ctrl-Z: the terminal is as it was until the program goes on in the foreground. */
static void stop_here(struct screen *screen)
{
    endwin();
    console_stop(is_ending, screen);
    clearok(curscr, TRUE);
    refresh();
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static const short colours[] = {
    [PAINT_GOOD] = COLOR_GREEN, [PAINT_WARNING] = COLOR_YELLOW, [PAINT_BAD] = COLOR_RED, [PAINT_PACKET] = COLOR_CYAN};

static void begin_colours(struct screen *screen)
{
    screen->is_coloured = screen->is_coloured && has_colors() && start_color() == OK;
    if (!screen->is_coloured)
        return;
    short back = use_default_colors() == OK ? -1 : COLOR_BLACK;
    for (short i = 1; i < (short)(sizeof colours / sizeof *colours); i++)
        init_pair(i, colours[i], back);
}

static attr_t attributes_of(const struct screen *screen, const struct style *style)
{
    attr_t attributes = style->is_dim ? A_DIM : 0;
    if (style->is_reverse)
        attributes |= A_REVERSE;
    if (style->paint == PAINT_HEADING)
        attributes |= A_BOLD;
    else if (style->paint != PAINT_NONE && screen->is_coloured)
        attributes |= (attr_t)COLOR_PAIR(style->paint);
    else if (style->paint == PAINT_BAD) /* what colours say is in the words, too */
        attributes |= A_BOLD;
    return attributes;
}

/* In wide characters, which may have 16 bits: Windows has no locale of UTF-8. */
static void put_text(int row, int column, const char *text)
{
    wchar_t wide[CELL_BYTES];
    size_t count = 0;
    uint32_t character;
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used) {
        used = utf8_character(text, left, &character);
        if (used == 0) {
            used = 1;
            character = '?';
        }
        if (character > 0xFFFF && sizeof(wchar_t) < sizeof character) {
            wide[count++] = (wchar_t)(0xD800 + ((character - 0x10000) >> 10));
            character = 0xDC00 + (character & 0x3FF);
        }
        wide[count++] = (wchar_t)character;
    }
    wide[count] = L'\0';
    mvaddwstr(row, column, wide);
}

static void draw(const struct screen *screen, const struct sheet *sheet)
{
    erase();
    for (int row = 0; row < sheet->rows && row < LINES; row++)
        for (int column = 0; column < sheet->columns && column < COLS; column++) {
            const struct cell *cell = &sheet->cells[(size_t)row * (size_t)sheet->columns + (size_t)column];
            if (cell->is_right_half || (cell->text[0] == '\0' && !cell->style.is_reverse))
                continue;
            attrset((int)attributes_of(screen, &cell->style));
            put_text(row, column, cell->text[0] != '\0' ? cell->text : " ");
        }
    refresh();
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static int key_of(int key)
{
    static const struct {
        int theirs, ours;
    } keys[] = {{KEY_UP, VIEW_UP},         {KEY_DOWN, VIEW_DOWN},      {KEY_LEFT, VIEW_LEFT},
                {KEY_RIGHT, VIEW_RIGHT},   {KEY_PPAGE, VIEW_PAGE_UP},  {KEY_NPAGE, VIEW_PAGE_DOWN},
                {KEY_BTAB, VIEW_BACK_TAB}, {KEY_BACKSPACE, VIEW_ERASE}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].theirs == key)
            return keys[i].ours;
    return key < KEY_MIN ? key : 0;
}

static void add_key(struct screen *screen, int key)
{
    pthread_mutex_lock(&screen->lock);
    if (key != 0 && screen->key_count < KEYS_MAX)
        screen->keys[screen->key_count++] = key;
    pthread_cond_signal(&screen->news);
    pthread_mutex_unlock(&screen->lock);
}

/* Also without a signal: the size is asked for often enough. */
static void follow_size(struct screen *screen)
{
    int rows, width;
    if (!console_size(STDOUT_FILENO, &rows, &width) || rows == 0 || width == 0)
        return;
    if (rows != LINES || width != COLS) {
        resizeterm(rows, width);
        clearok(curscr, TRUE);
    }
    pthread_mutex_lock(&screen->lock);
    screen->rows = LINES;
    screen->columns = COLS;
    pthread_mutex_unlock(&screen->lock);
}

/* Takes the next sheet, if there is one, into `shown`. */
static bool take_next(struct screen *screen, struct sheet *shown)
{
    pthread_mutex_lock(&screen->lock);
    bool has = screen->has_next;
    struct sheet empty = *shown;
    if (has) {
        *shown = screen->next;
        screen->next = empty;
    }
    pthread_mutex_unlock(&screen->lock);
    return has;
}

static void say_taken(struct screen *screen)
{
    pthread_mutex_lock(&screen->lock);
    screen->has_next = false;
    pthread_mutex_unlock(&screen->lock);
}

static void *work(void *user)
{
    struct screen *screen = user;
    struct sheet shown = {0};
    while (!is_ending(screen)) {
        follow_size(screen);
        if (take_next(screen, &shown)) {
            draw(screen, &shown);
            say_taken(screen);
        }
        int key = getch();
        if (key != ERR)
            add_key(screen, key_of(key));
        else if (console_is_gone())
            break;
        if (console_is_stop_asked())
            stop_here(screen);
    }
    sheet_free(&shown);
    endwin();
    pthread_mutex_lock(&screen->lock);
    screen->is_lost = !screen->ends;
    screen->has_ended = true;
    pthread_cond_signal(&screen->news);
    pthread_mutex_unlock(&screen->lock);
    return NULL;
}

/* ---- standard error ---------------------------------------------------------------------------------------------- */

/* Keeps what was said since; if there is too much, the beginning and not the end. */
static void read_errors(struct screen *screen)
{
    char text[1024];
    ssize_t length;
    while (screen->errors >= 0 && (length = read(screen->error_pipe, text, sizeof text - 1)) > 0) {
        size_t room = MESSAGES_MAX - screen->message_length, kept = (size_t)length < room ? (size_t)length : room;
        memcpy(screen->messages + screen->message_length, text, kept);
        screen->message_length += kept;
        while (length > 0 && text[length - 1] == '\n')
            length--;
        text[length] = '\0';
        const char *line = strrchr(text, '\n');
        snprintf(screen->last, sizeof screen->last, "%.*s", MESSAGE_MAX - 1, line ? line + 1 : text);
    }
}

static void give_errors_back(struct screen *screen)
{
    if (screen->errors < 0)
        return;
    read_errors(screen);
    fflush(stderr);
    dup2(screen->errors, STDERR_FILENO);
    close(screen->errors);
    close(screen->error_pipe);
    fwrite(screen->messages, 1, screen->message_length, stderr);
}

const char *screen_message(struct screen *screen)
{
    read_errors(screen);
    return screen->last;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static bool begin_curses(struct screen *screen)
{
    screen->out = fdopen(file_copy(STDOUT_FILENO), "w");
    screen->in = console_keys();
    if (!screen->out || !screen->in || console_take() != 0)
        return false;
    atomic_store(&is_taken, true);
    if (!newterm(console_type(), screen->out, screen->in))
        return false;
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout(KEY_WAIT);
    begin_colours(screen);
    return true;
}

struct screen *screen_open(bool is_coloured)
{
    struct screen *screen = calloc(1, sizeof *screen);
    if (!screen) {
        message_no_memory();
        return NULL;
    }
    screen->is_coloured = is_coloured;
    pthread_mutex_init(&screen->lock, NULL);
    pthread_cond_init(&screen->news, NULL);
    if (!begin_curses(screen)) {
        screen_restore();
        message_error("watch: the terminal cannot be used: %s", strerror(errno));
        free(screen);
        return NULL;
    }
    screen->rows = LINES;
    screen->columns = COLS;
    screen->errors = console_divert_errors(&screen->error_pipe);
    if (thread_begin(&screen->thread, work, screen) == 0)
        return screen;
    endwin();
    give_errors_back(screen);
    message_no_memory();
    free(screen);
    return NULL;
}

/* The time by the clock of conditions, `time` ns from now. */
static struct timespec time_in(int64_t time)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(time < SECOND ? time : SECOND - 1);
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    return until;
}

/* Whether the thread has ended within PATIENCE. */
static bool has_ended(struct screen *screen)
{
    const struct timespec until = time_in(PATIENCE);
    pthread_mutex_lock(&screen->lock);
    while (!screen->has_ended && pthread_cond_timedwait(&screen->news, &screen->lock, &until) == 0)
        continue;
    bool has = screen->has_ended;
    pthread_mutex_unlock(&screen->lock);
    return has && pthread_join(screen->thread, NULL) == 0;
}

void screen_close(struct screen *screen)
{
    if (!screen)
        return;
    pthread_mutex_lock(&screen->lock);
    screen->ends = true;
    pthread_mutex_unlock(&screen->lock);
    bool is_over = has_ended(screen);
    if (!is_over) { /* the terminal takes nothing: what waits for it is dropped */
        console_drop_output();
        is_over = has_ended(screen);
    }
    if (is_over)
        atomic_store(&is_taken, false);
    else
        screen_restore();
    give_errors_back(screen);
    if (!is_over) /* the thread still uses it */
        return;
    sheet_free(&screen->next);
    pthread_cond_destroy(&screen->news);
    pthread_mutex_destroy(&screen->lock);
    free(screen);
}

/* ---- for the main thread ----------------------------------------------------------------------------------------- */

void screen_size(struct screen *screen, int *rows, int *columns)
{
    pthread_mutex_lock(&screen->lock);
    *rows = screen->rows;
    *columns = screen->columns;
    pthread_mutex_unlock(&screen->lock);
}

bool screen_is_free(struct screen *screen)
{
    pthread_mutex_lock(&screen->lock);
    bool is_free = !screen->has_next;
    pthread_mutex_unlock(&screen->lock);
    return is_free;
}

void screen_show(struct screen *screen, const struct sheet *sheet)
{
    pthread_mutex_lock(&screen->lock);
    if (!screen->has_next)
        screen->has_next = sheet_copy(&screen->next, sheet) == 0;
    pthread_mutex_unlock(&screen->lock);
}

int screen_key(struct screen *screen)
{
    int key = 0;
    pthread_mutex_lock(&screen->lock);
    if (screen->key_count > 0) {
        key = screen->keys[0];
        memmove(screen->keys, screen->keys + 1, --screen->key_count * sizeof *screen->keys);
    }
    pthread_mutex_unlock(&screen->lock);
    return key;
}

void screen_wait(struct screen *screen, int64_t time)
{
    if (time <= 0)
        return;
    const struct timespec until = time_in(time);
    pthread_mutex_lock(&screen->lock);
    if (screen->key_count == 0)
        pthread_cond_timedwait(&screen->news, &screen->lock, &until);
    pthread_mutex_unlock(&screen->lock);
}

bool screen_is_lost(struct screen *screen)
{
    pthread_mutex_lock(&screen->lock);
    bool is_lost = screen->is_lost;
    pthread_mutex_unlock(&screen->lock);
    return is_lost;
}

#else

const char *screen_library(void)
{
    return library_absence(LIBRARY_NCURSES);
}

bool screen_is_possible(void)
{
    library_report_missing(LIBRARY_NCURSES, "watch on a terminal, where the page is now printed once");
    return false;
}

struct screen *screen_open(bool is_coloured)
{
    (void)is_coloured;
    return NULL;
}

void screen_close(struct screen *screen)
{
    (void)screen;
}

void screen_restore(void)
{
}

void screen_size(struct screen *screen, int *rows, int *columns)
{
    (void)screen;
    *rows = *columns = 0;
}

bool screen_is_free(struct screen *screen)
{
    (void)screen;
    return false;
}

void screen_show(struct screen *screen, const struct sheet *sheet)
{
    (void)screen;
    (void)sheet;
}

int screen_key(struct screen *screen)
{
    (void)screen;
    return 0;
}

void screen_wait(struct screen *screen, int64_t time)
{
    (void)screen;
    (void)time;
}

bool screen_is_lost(struct screen *screen)
{
    (void)screen;
    return true;
}

bool screen_is_ascii(void)
{
    return false;
}

const char *screen_message(struct screen *screen)
{
    (void)screen;
    return "";
}

#endif
