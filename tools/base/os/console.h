/* Standard input, output and error, and the terminals that they may be. */
#ifndef BASE_OS_CONSOLE_H
#define BASE_OS_CONSOLE_H

#include <stdbool.h>
#include <stdlib.h>

/* To be called first. A descriptor that the shell closed (>&-) does not become that of a capture; a pipe that its
 * reader closed is an error and no signal, and so is a file that may grow no more. On Windows bytes go through
 * unchanged, and terminals take UTF-8 and colours until the program ends. */
void console_begin(void);
/* Whether standard output, if it cannot be written to, has lost its reader. */
bool console_has_lost_reader(void);

/* Of the terminal there; zeros: unknown. False: none, or unknown. */
bool console_size(int descriptor, int *rows, int *columns);
/* The columns of that terminal, unless COLUMNS says others; 0: unknown. */
static inline int console_columns(int descriptor)
{
    const char *said = getenv("COLUMNS");
    long most = 10000, columns = said ? strtol(said, NULL, 10) : 0;
    int rows, shown;
    if (columns <= 0 && console_size(descriptor, &rows, &shown))
        columns = shown;
    return columns < 0 ? 0 : columns > most ? (int)most : (int)columns;
}

/* The names of files that a word such as *.pcap stands for, up to NULL, where the shell leaves that to the program.
 * NULL: the word is a name itself. */
char **console_names(const char *word);
void console_names_free(char **names);

#endif
