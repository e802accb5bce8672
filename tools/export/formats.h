/* The formats that there are: the rows of formats.def. Help, errors and the manual list them from there. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "format.h"

enum format_flag {
    FORMAT_ALL_TABLES = 1,   /* one file holds the rows of every table, opaque records too */
    FORMAT_ONLY_NUMBERS = 2, /* texts have no place in it */
    FORMAT_HAS_NAMES = 4,    /* modes may stand by their names */
    FORMAT_CAN_GUARD = 8,    /* it can keep texts from beginning as a spreadsheet's formula does */
    FORMAT_SPREADS = 16,     /* arrays take a cell for each element, so that there must be cells enough */
    FORMAT_HAS_LAYOUTS = 32, /* its columns are those of a legacy layout, which may be chosen */
    FORMAT_COLUMNS = 64,     /* it takes columns, not frames */
    FORMAT_BINARY = 128,     /* no terminal should get it */
    FORMAT_SEEKS = 256,      /* it goes back in its file, so that it must be an ordinary one, not compressed */
};

struct format {
    const char *name;    /* of -f */
    const char *dialect; /* of --dialect, "" */
    const char *endings; /* of files, with their dots, blanks between them */
    unsigned flags;      /* format_flag */
    const char *brief;   /* what it is in a few words */
    const struct writer *writer;
};

static inline bool format_has(const struct format *format, enum format_flag flag)
{
    return (format->flags & (unsigned)flag) != 0;
}

/* NULL beyond the end. The first is that of outputs whose name tells none. */
const struct format *format_at(size_t index);
/* The format of that name and dialect, each of any if NULL: the first; NULL where there is none. */
const struct format *format_find(const char *name, const char *dialect);
/* The format of files that end so, in any case; NULL where there is none. */
const struct format *format_of_ending(const char *ending, size_t length);

#define FORMATS_LIST_MAX 400
/* "csv, gnuplot or ndjson": formats that have all flags of `with` and none of `without`. */
const char *format_names(char list[FORMATS_LIST_MAX], unsigned with, unsigned without);
/* "CSV, gnuplot columns or JSON lines": what they are. */
const char *format_briefs(char list[FORMATS_LIST_MAX]);
/* "record.py, of csv": every dialect that has a name. */
const char *format_dialects(char list[FORMATS_LIST_MAX]);
/* "record.py: csv as UR's record.py writes it" */
const char *format_dialect_briefs(char list[FORMATS_LIST_MAX]);

#endif
