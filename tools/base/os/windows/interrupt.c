#include "base/os/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <windows.h>

#include "base/os/wait.h"
#include "nanoseconds.h"

/* ms between two attempts to end a call that blocks. */
#define REPEAT 100
/* Of the five seconds that the system gives a program whose window was closed. */
#define GRACE 4500

/* When Ctrl-C came, in ms of the monotonic clock; 0 before that. Global because a handler takes no user pointer. */
static atomic_llong asked;
/* A wake-up that is woken then, and never taken. */
static atomic_int asked_wake = -1;
/* Removes files before the program ends; NULL: nothing to remove. */
static void (*_Atomic clean_up)(void);
/* Held while `clean_up` must not run. */
static SRWLOCK held_back = SRWLOCK_INIT;
/* The thread whose calls shall not block for ever. */
static HANDLE main_thread;

static long long now_ms(void)
{
    return wait_clock() / MILLISECOND;
}

static void clean(void)
{
    void (*remove)(void) = atomic_exchange(&clean_up, NULL);
    if (remove)
        remove();
}

/* A call that blocks after Ctrl-C, such as a write to a full pipe, ends with an error. */
static DWORD WINAPI end_blocked_calls(void *unused)
{
    (void)unused;
    Sleep(INTERRUPT_LIMIT);
    while (CancelSynchronousIo(main_thread) || GetLastError() == ERROR_NOT_FOUND)
        Sleep(REPEAT);
    return 0;
}

static void ask(void)
{
    HANDLE thread = CreateThread(NULL, 0, end_blocked_calls, NULL, 0, NULL);
    wake_up(atomic_load(&asked_wake));
    if (thread)
        CloseHandle(thread);
}

/* In a thread of its own. FALSE: the system ends the program now. When a window closes it does so in any case, once
 * this returns; the program has mostly ended by itself before. */
static BOOL WINAPI on_event(DWORD type)
{
    long long none = 0;
    bool is_last = type != CTRL_C_EVENT && type != CTRL_BREAK_EVENT;
    if (atomic_compare_exchange_strong(&asked, &none, now_ms()))
        ask();
    else if (interrupt_is_overdue())
        is_last = true;
    if (type == CTRL_CLOSE_EVENT || type == CTRL_LOGOFF_EVENT || type == CTRL_SHUTDOWN_EVENT)
        Sleep(GRACE);
    if (is_last) {
        AcquireSRWLockExclusive(&held_back);
        clean();
        ReleaseSRWLockExclusive(&held_back);
    }
    return !is_last;
}

/* The thread that crashed may be the one that holds it back. */
static void clean_after_crash(void)
{
    if (TryAcquireSRWLockExclusive(&held_back))
        clean();
}

static LONG WINAPI on_crash(EXCEPTION_POINTERS *crash)
{
    (void)crash;
    clean_after_crash();
    return EXCEPTION_CONTINUE_SEARCH;
}

static void on_abort(int number)
{
    (void)number;
    clean_after_crash();
}

int interrupt_descriptor(void)
{
    return atomic_load(&asked_wake);
}

void interrupt_hold(void)
{
    HANDLE process = GetCurrentProcess();
    if (main_thread)
        return;
    atomic_store(&asked_wake, wake_open());
    DuplicateHandle(process, GetCurrentThread(), process, &main_thread, 0, FALSE, DUPLICATE_SAME_ACCESS);
    SetConsoleCtrlHandler(on_event, TRUE);
}

void interrupt_guard(void (*clean_files)(void))
{
    void (*none)(void) = NULL;
    if (!atomic_compare_exchange_strong(&clean_up, &none, clean_files))
        return;
    interrupt_hold();
    SetUnhandledExceptionFilter(on_crash);
    signal(SIGABRT, on_abort);
}

/* Who writes to it is told in any case. */
void interrupt_ignore_closed_pipes(void)
{
}

bool interrupt_asked(void)
{
    return atomic_load(&asked) != 0;
}

bool interrupt_asked_before(int64_t ms)
{
    long long time = atomic_load(&asked);
    return time != 0 && now_ms() - time >= ms;
}

void interrupt_hold_back(void)
{
    AcquireSRWLockExclusive(&held_back);
}

void interrupt_let(void)
{
    ReleaseSRWLockExclusive(&held_back);
}

static void (*_Atomic begin)(void);

static void CALLBACK on_start_event(void *unused, BOOLEAN is_late)
{
    (void)unused;
    (void)is_late;
    atomic_load (&begin)();
}

void interrupt_on_start(void (*on_start)(void))
{
    char name[40];
    HANDLE event, wait;
    if (atomic_exchange(&begin, on_start))
        return;
    snprintf(name, sizeof name, "armtap-start-%lu", GetCurrentProcessId());
    event = CreateEventA(NULL, FALSE, FALSE, name);
    if (event)
        RegisterWaitForSingleObject(&wait, event, on_start_event, NULL, INFINITE, WT_EXECUTEDEFAULT);
}

int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user)
{
    return pthread_create(thread, NULL, work, user);
}
