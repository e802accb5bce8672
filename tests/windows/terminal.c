/* terminal COMMAND: how the terminal is before a command whose output nobody reads, and after it. A command that is
 * then still running gets Ctrl-C. */
#include <stdio.h>
#include <windows.h>

static BOOL WINAPI stay(DWORD type)
{
    (void)type;
    return TRUE;
}

static int look(char *to, const char *when)
{
    DWORD mode = 0;
    HANDLE shown = CreateFileA("CONOUT$", GENERIC_READ | GENERIC_WRITE, 3, NULL, OPEN_EXISTING, 0, NULL);
    GetConsoleMode(shown, &mode);
    CloseHandle(shown);
    return sprintf(to, "%s: mode %lu, page %u\n", when, mode, GetConsoleOutputCP());
}

int main(int count, char **words)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION process;
    HANDLE unread;
    char text[1000], *at = text;
    if (count != 2 || !CreatePipe(&unread, &start.hStdOutput, &inherited, 0))
        return 2;
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    SetConsoleCtrlHandler(stay, TRUE);
    SetConsoleOutputCP(850);
    at += look(at, "before");
    if (!CreateProcessA(NULL, words[1], NULL, NULL, TRUE, 0, NULL, NULL, &start, &process))
        return 2;
    if (WaitForSingleObject(process.hProcess, 3000) == WAIT_TIMEOUT) {
        at += look(at, "meanwhile");
        GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
        WaitForSingleObject(process.hProcess, 10000);
    }
    at += look(at, "after");
    TerminateProcess(process.hProcess, 1); /* wine's waits for its own blocked thread */
    fwrite(text, 1, (size_t)(at - text), stdout);
    return 0;
}
