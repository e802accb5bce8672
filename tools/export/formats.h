/* The output formats. Help, errors and the manual list them from formats.def. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "format.h"

enum format_flag {
    FORMAT_ALL_TABLES = 1,    /* one file holds all tables, and records without a recipe */
    FORMAT_ONLY_NUMBERS = 2,  /* it cannot hold texts */
    FORMAT_HAS_NAMES = 4,     /* modes may be written by name */
    FORMAT_CAN_GUARD = 8,     /* it can protect spreadsheets from texts that look like formulas */
    FORMAT_SPREADS = 16,      /* arrays are spread to a cell for each element, so enough cells are needed */
    FORMAT_HAS_LAYOUTS = 32,  /* its columns are those of a legacy layout (--layout) */
    FORMAT_COLUMNS = 64,      /* it takes columns, not frames; needs FORMAT_SPREADS */
    FORMAT_BINARY = 128,      /* not for terminals */
    FORMAT_SEEKS = 256,       /* it seeks in its file, which must be regular and uncompressed */
    FORMAT_DEFLATES = 8192,   /* with FORMAT_PACKS: by gzip or not at all */
    FORMAT_BAG = 32768,       /* -o DIR/ makes a bag: a file, and metadata.yaml */
    FORMAT_PARTITIONS = 1024, /* -o DIR/ makes a folder of files by robot and day (partition.h) */
    FORMAT_NEEDS_TIME = 2048, /* every record must have a capture time */
    FORMAT_REMARKS = 4096,    /* it has a place for what the diagnosis finds (remarks.h) */
    FORMAT_LOOSE = 16384,     /* with FORMAT_PACKS: not compressed unless asked */
    FORMAT_PACKS = 512,       /* it compresses parts of its file (--compression), so the file itself need not be */
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
/* "record.py: csv as UR's record.py writes it" */
const char *format_dialect_briefs(char list[FORMATS_LIST_MAX]);

#endif
