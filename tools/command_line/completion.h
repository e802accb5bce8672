/* Answers what shells ask when the user presses Tab: armtap --complete WORDS. The tables of options say what may
 * follow; tools/completions has the shells' side. */
#ifndef COMMAND_LINE_COMPLETION_H
#define COMMAND_LINE_COMPLETION_H

#include "options.h"

/* Prints what may take the place of the last word of argv, which begins after the command's name:
 *
 *   WORD<tab>MEANING    a word; the tab and the meaning may be missing
 *   :files              names of files fit, too
 *   :open               the user goes on typing after the word, so no blank follows it */
void completion_show(const struct option_usage *usage, int argc, char **argv);
/* Prints a word if `begin` begins it. */
void completion_word(const char *begin, const char *word, const char *meaning);
void completion_files(void);

#endif
