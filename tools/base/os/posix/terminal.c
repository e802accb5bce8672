#define _DEFAULT_SOURCE
#include "base/os/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ANSWER_MAX = 512, PATIENCE = 10 /* tenths of a second */ };

/* Does the terminal know kitty's graphics (one that does not, does not answer), and what are its attributes (every
 * terminal answers)? */
#define ASK_KITTY "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define ASK_ATTRIBUTES "\033[c"
#define KITTY_ANSWER "\033_Gi=31;OK"
#define ATTRIBUTES_ANSWER "\033[?"
#define SIXEL_ATTRIBUTE 4

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The questions for this terminal; NULL: it would print them. tmux and screen take kitty's for a title. */
static const char *questions(void)
{
    const char *name = getenv("TERM");
    if (!name || *name == '\0' || begins(name, "dumb") || begins(name, "linux") || begins(name, "cons"))
        return NULL;
    return begins(name, "screen") || begins(name, "tmux") ? ASK_ATTRIBUTES : ASK_KITTY ASK_ATTRIBUTES;
}

/* "ESC [ ? 64 ; 4 ; 22 c": the first number is a class. */
static bool has_sixel(const char *answer)
{
    const char *at = strstr(answer, ATTRIBUTES_ANSWER);
    for (at = at ? strchr(at, ';') : NULL; at; at = strchr(at + 1, ';'))
        if (atoi(at + 1) == SIXEL_ATTRIBUTE)
            return true;
    return false;
}

/* Whether the answer to the last question is there. */
static bool is_complete(const char *answer)
{
    const char *at = strstr(answer, ATTRIBUTES_ANSWER);
    return at && strchr(at, 'c');
}

/* Reads what the terminal sends, as text. */
static void read_answer(int terminal, char answer[ANSWER_MAX])
{
    size_t length = 0;
    answer[0] = '\0';
    while (length + 1 < ANSWER_MAX && !is_complete(answer)) {
        ssize_t count = read(terminal, answer + length, ANSWER_MAX - 1 - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        length += (size_t)count;
        answer[length] = '\0';
    }
}

/* In a mode in which answers are neither shown nor wait for a line end. */
static void ask(int terminal, const char *question, char answer[ANSWER_MAX])
{
    struct termios usual, asking;
    int waiting = 0;
    answer[0] = '\0';
    if (tcgetattr(terminal, &usual) != 0)
        return;
    asking = usual;
    asking.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    asking.c_cc[VMIN] = 0;
    asking.c_cc[VTIME] = PATIENCE;
    if (tcsetattr(terminal, TCSANOW, &asking) != 0)
        return;
    if (ioctl(terminal, FIONREAD, &waiting) == 0 && waiting == 0 &&
        write(terminal, question, strlen(question)) == (ssize_t)strlen(question))
        read_answer(terminal, answer);
    tcsetattr(terminal, TCSANOW, &usual);
}

/* Signals wait, so that none ends the program while the terminal is in that mode. */
static void ask_undisturbed(int terminal, const char *question, char answer[ANSWER_MAX])
{
    sigset_t some, before;
    sigemptyset(&some);
    sigaddset(&some, SIGINT);
    sigaddset(&some, SIGTERM);
    sigaddset(&some, SIGHUP);
    sigaddset(&some, SIGQUIT);
    sigaddset(&some, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    ask(terminal, question, answer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct terminal terminal_ask(void)
{
    struct terminal found = {TERMINAL_NO_PICTURES, 0};
    struct winsize size;
    char answer[ANSWER_MAX] = "";
    const char *question = questions(), *name = question ? ttyname(STDOUT_FILENO) : NULL;
    int terminal = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (terminal < 0)
        return found;
    if (tcgetpgrp(terminal) == getpgrp()) /* in the foreground, or it would be stopped */
        ask_undisturbed(terminal, question, answer);
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0)
        found.width = size.ws_xpixel;
    close(terminal);
    if (strstr(answer, KITTY_ANSWER))
        found.pictures = TERMINAL_KITTY;
    else if (has_sixel(answer))
        found.pictures = TERMINAL_SIXEL;
    return found;
}
