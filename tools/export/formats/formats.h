/* The output formats. Help, errors and the manual list them from formats.def. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "format.h"

enum format_flag {
    /* what a file holds */
    FORMAT_ALL_TABLES = 1 << 0,   /* one file holds all tables */
    FORMAT_OPAQUE = 1 << 1,       /* with FORMAT_ALL_TABLES: also records without a recipe */
    FORMAT_TYPED = 1 << 2,        /* a field has one type, as with FORMAT_COLUMNS; values of another are left out */
    FORMAT_ONLY_NUMBERS = 1 << 3, /* it cannot hold texts */
    FORMAT_HAS_NAMES = 1 << 4,    /* modes may be written by name */
    FORMAT_HAS_LAYOUTS = 1 << 5,  /* its columns are those of a legacy layout (--layout) */
    FORMAT_SPREADS = 1 << 6,      /* arrays are spread to a cell for each element, so enough cells are needed */
    FORMAT_REMARKS = 1 << 7,      /* it has a place for what the diagnosis finds (remarks.h) */
    FORMAT_NEEDS_TIME = 1 << 8,   /* every record must have a capture time */
    /* how it is written */
    FORMAT_COLUMNS = 1 << 9,    /* it takes columns, not frames; needs FORMAT_SPREADS */
    FORMAT_BINARY = 1 << 10,    /* not for terminals */
    FORMAT_CAN_GUARD = 1 << 11, /* it can protect spreadsheets from texts that look like formulas */
    FORMAT_SEEKS = 1 << 12,     /* it seeks in its file, which must be regular and uncompressed */
    FORMAT_PACKS = 1 << 13,     /* it compresses parts of its file (--compression), so the file itself need not be */
    FORMAT_DEFLATES = 1 << 14,  /* with FORMAT_PACKS: by gzip or not at all */
    FORMAT_LOOSE = 1 << 15,     /* with FORMAT_PACKS: not compressed unless asked */
    FORMAT_SPOOLS = 1 << 20,    /* it sets bytes aside until the end of its file; with FORMAT_PACKS, too */
    FORMAT_BARE = 1 << 21,      /* its readers cannot read .gz */
    FORMAT_AT_END = 1 << 19,    /* nothing of it can be read before its end is written */
    /* -o DIR/ */
    FORMAT_PARTITIONS = 1 << 16, /* makes a folder of files by robot and day (partition.h) */
    FORMAT_BAG = 1 << 17,        /* makes a bag: a file, and metadata.yaml */
    /* --commands */
    FORMAT_COMMANDS = 1 << 18, /* export.h has its rows */
};

struct format {
    const char *name;    /* as in -f */
    const char *dialect; /* as in --dialect, or "" */
    const char *endings; /* of file names, with dots, separated by blanks */
    unsigned flags;      /* format_flag */
    const char *brief;   /* what it is in a few words */
    const struct writer *writer;
};

static inline bool format_has(const struct format *format, enum format_flag flag)
{
    return (format->flags & (unsigned)flag) != 0;
}

/* NULL beyond the end. The first is the default if the output's name does not select one. */
const struct format *format_at(size_t index);
/* The first format of that name and dialect; NULL matches any. NULL if there is none. */
const struct format *format_find(const char *name, const char *dialect);
/* The format that -f names, by its name or by one of its endings without the dot ("json"), ignoring case; NULL if there
 * is none. */
const struct format *format_named(const char *word);
/* The format of that file name ending, ignoring case; NULL if there is none. */
const struct format *format_of_ending(const char *ending, size_t length);

#define FORMATS_ENDING_MAX 40
/* The first ending of its file names. */
const char *format_ending(const struct format *format, char ending[FORMATS_ENDING_MAX]);

#define FORMATS_LIST_MAX 800
/* "csv, gnuplot or ndjson": formats that have all flags of `with` and none of `without`. */
const char *format_names(char list[FORMATS_LIST_MAX], unsigned with, unsigned without);
/* "CSV, gnuplot columns or JSON lines": what they are. */
const char *format_briefs(char list[FORMATS_LIST_MAX]);
/* "record.py, of csv; small, of parquet": every dialect that has a name. */
const char *format_dialects(char list[FORMATS_LIST_MAX]);
/* "record.py, small, ros2": without their formats */
const char *format_dialect_names(char list[FORMATS_LIST_MAX]);
/* "record.py: csv as UR's record.py writes it" */
const char *format_dialect_briefs(char list[FORMATS_LIST_MAX]);

#endif
