/* Sizes and durations as users type and read them. */
#ifndef RECORD_AMOUNT_H
#define RECORD_AMOUNT_H

#include <stdint.h>

#include "command_line/options.h"

/* Reads "200G": a whole number of bytes with k, M, G or T for powers of 1000. 0, or -1 if it is none, or is 0. */
int amount_bytes(const char *text, uint64_t *bytes);
/* Reads "1h": a whole number with s, m, h or d, or of seconds. */
int amount_time(const char *text, int64_t *ns);
/* Reads such an option, into an int64_t. */
option_reader amount_read;
/* When that time is over if it begins now; INT64_MAX for a time of 0, which has no end. */
int64_t amount_time_end(int64_t now, int64_t ns);
/* "1.2 MB" */
#define AMOUNT_MAX 40
void amount_text(char to[AMOUNT_MAX], uint64_t bytes);

#endif
