#include "base/os/console.h"

#include <windows.h>

#include "base/os/names.h"
#include "base/os/shell_word.h"
#include "base/text/utf8.h"

#define OUTPUT_BYTES 65536

static void fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (_get_osfhandle(fd) >= 0) /* -2: the program was started without */
            continue;
        int nothing = open("NUL", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (nothing >= 0 && nothing != fd) {
            dup2(nothing, fd);
            close(nothing);
        }
    }
}

/* The buffer of the terminal that is shown: curses has one of its own. */
static HANDLE open_shown(void)
{
    return CreateFileA("CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                       0, NULL);
}

/* How the terminal was. Global, because it is given back when the program ends, wherever that is. */
static struct {
    UINT page; /* 0: there is none */
    DWORD mode;
} original;

/* Standard output may be closed by now. */
static void give_back(void)
{
    HANDLE shown = open_shown();
    SetConsoleMode(shown, original.mode);
    CloseHandle(shown);
    SetConsoleOutputCP(original.page);
}

/* Called last: another handler has left it to the system to end the program. */
static BOOL WINAPI on_end(DWORD type)
{
    (void)type;
    give_back();
    return FALSE;
}

/* What cannot have colours is a terminal that knows no escape sequences: that of an early Windows 10. */
static void prepare_terminal(DWORD stream)
{
    DWORD mode;
    HANDLE terminal = GetStdHandle(stream);
    if (!GetConsoleMode(terminal, &mode))
        return;
    if (!SetConsoleMode(terminal, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
        setenv("TERM", "dumb", 1);
    if (original.page != 0)
        return;
    original.mode = mode;
    original.page = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    atexit(give_back);
    SetConsoleCtrlHandler(on_end, TRUE);
}

void console_begin(void)
{
    SetErrorMode(GetErrorMode() | SEM_FAILCRITICALERRORS); /* an error is a message, no window */
    fill_descriptors();
    _fmode = _O_BINARY;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        _setmode(fd, _O_BINARY);
    /* Otherwise a terminal gets each byte of a character by itself, which it shows as several. */
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES);
    setvbuf(stderr, NULL, _IOFBF, OUTPUT_BYTES);
    prepare_terminal(STD_OUTPUT_HANDLE);
    prepare_terminal(STD_ERROR_HANDLE);
}

/* A shell would be one more process of the console. */
void console_stay(void)
{
    DWORD processes[2];
    if (GetConsoleProcessList(processes, 2) != 1 || !isatty(STDIN_FILENO))
        return;
    fputs("\nPress Enter to close; armtap is used in a terminal: see README.txt\n", stderr);
    fflush(stderr);
    getchar();
}

bool console_has_lost_reader(void)
{
    return GetFileType(GetStdHandle(STD_OUTPUT_HANDLE)) == FILE_TYPE_PIPE; /* nothing else can be wrong with one */
}

bool console_size(int descriptor, int *rows, int *columns)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!isatty(descriptor))
        return false;
    HANDLE shown = open_shown();
    BOOL is_known = GetConsoleScreenBufferInfo(shown, &about);
    CloseHandle(shown);
    if (!is_known)
        return false;
    *rows = about.srWindow.Bottom - about.srWindow.Top + 1;
    *columns = about.srWindow.Right - about.srWindow.Left + 1;
    return true;
}

/* ---- a terminal that is drawn on ----------------------------------------------------------------------------------
 */

const char *console_type(void)
{
    return "#win32con";
}

bool console_has_utf8(void)
{
    return true;
}

FILE *console_keys(void)
{
    return stdin; /* curses asks the terminal itself */
}

int console_take(void)
{
    return isatty(STDOUT_FILENO) ? 0 : -1;
}

void console_put_back(void)
{
    /* curses draws on another buffer, which ends with the program */
}

bool console_is_gone(void)
{
    return !isatty(STDOUT_FILENO);
}

void console_drop_output(void)
{
}

bool console_is_stop_asked(void)
{
    return false;
}

void console_stop(bool (*ends)(void *user), void *user)
{
    (void)ends;
    (void)user;
}

int console_divert_errors(int *from)
{
    int ends[2];
    DWORD mode = PIPE_NOWAIT;
    if (!isatty(STDERR_FILENO) || _pipe(ends, OUTPUT_BYTES, _O_BINARY | _O_NOINHERIT) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        SetNamedPipeHandleState((HANDLE)_get_osfhandle(ends[i]), &mode, NULL, NULL);
    int errors = dup(STDERR_FILENO);
    if (errors >= 0)
        dup2(ends[1], STDERR_FILENO);
    else
        close(ends[0]);
    close(ends[1]);
    *from = ends[0];
    return errors;
}

/* ---- a pager: none; what is printed goes straight to the terminal, which scrolls --------------------------------- */

void pager_start(bool is_live)
{
    (void)is_live;
}

void pager_offer(void)
{
}

bool pager_has(int descriptor)
{
    (void)descriptor;
    return false;
}

bool pager_is_shown(int descriptor)
{
    return isatty(descriptor);
}

int pager_columns(int descriptor)
{
    return isatty(descriptor) ? console_columns(descriptor) : 0;
}

void pager_finish(void)
{
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Not asked: few show pictures, and the answer would come as keys that were pressed. */
struct terminal terminal_ask(void)
{
    return (struct terminal){.pictures = TERMINAL_NO_PICTURES};
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

char **console_names(const char *word)
{
    glob_t found;
    if (!strpbrk(word, "*?") || access(word, F_OK) == 0 || glob(word, GLOB_NOESCAPE, NULL, &found) != 0)
        return NULL;
    char **names = realloc(found.gl_pathv, (found.gl_pathc + 1) * sizeof *names);
    if (!names) {
        globfree(&found);
        return NULL;
    }
    names[found.gl_pathc] = NULL;
    return names;
}

void console_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

/* PowerShell takes a comma for a list, and a word that begins with @ for a variable. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=:./\\-"
/* What one of the two shells replaces between double quotes as well. */
#define REPLACED "\"$`%"

/* cmd.exe would want ^, PowerShell `. */
const char *const shell_line_break = NULL;

bool shell_word(char *to, size_t size, const char *word)
{
    size_t before = strlen(to), length = strlen(word);
    bool is_plain = length > 0 && strspn(word, PLAIN) == length;
    bool escapes = !is_plain && length > 0 && word[length - 1] == '\\'; /* the quote after it, unless it is doubled */
    bool fits = utf8_is_shown(word) && !strpbrk(word, REPLACED) && (word[0] != '-' || shell_put(to, size, "./", 2)) &&
                (is_plain || shell_put(to, size, "\"", 1)) && shell_put(to, size, word, length) &&
                (!escapes || shell_put(to, size, "\\", 1)) && (is_plain || shell_put(to, size, "\"", 1));
    if (!fits)
        to[before] = '\0';
    return fits;
}

/* cmd.exe's dir takes a slash for the beginning of an option. */
bool shell_list(char *to, size_t size, const char *folder)
{
    char native[SHELL_MAX];
    size_t before = strlen(to);
    snprintf(native, sizeof native, "%s", folder);
    for (char *at = native; (at = strchr(at, '/')) != NULL;)
        *at = '\\';
    bool fits = shell_put(to, size, "dir", 3) &&
                (*folder == '\0' || (shell_put(to, size, " ", 1) && shell_word(to, size, native)));
    if (!fits)
        to[before] = '\0';
    return fits;
}

const bool console_user_builds = false;
