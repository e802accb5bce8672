/* Shared by the tests of the core: byte strings built by hand, a log of everything that a sink gets, scripts of bytes
 * that are pushed in any chunking, tables of facts. Nothing here uses the library's own loads, stores or encoders. */
#ifndef ARMTAP_TEST_SUPPORT_H
#define ARMTAP_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "armtap.h"
#include "base/text/printf_format.h"

/* Skips the test in a build without AUBO's libraries; in continuous integration (CI=true) that is a failure. */
void need_aubo(void);

/* ---- byte strings ---- */

struct bytes {
    uint8_t *at;
    size_t length, capacity;
};
void bytes_add(struct bytes *bytes, const void *more, size_t length);
void bytes_number(struct bytes *bytes, uint64_t number, unsigned width); /* big-endian */
void bytes_double(struct bytes *bytes, double number);
void bytes_text(struct bytes *bytes, const char *text);
void bytes_hex(struct bytes *bytes, const char *digits); /* blanks are skipped */
void expect_hex(const void *got, size_t length, const char *digits);
void bytes_free(struct bytes *bytes);
/* Overwrites cell `column` (gnuplot column, from 1) of a legacy packet. */
void put_cell(uint8_t *packet, unsigned column, double number);
void put_raw_cell(uint8_t *packet, unsigned column, uint64_t bits);
/* Appends a legacy packet whose cell k holds the value k, except the clock. */
void bytes_packet(struct bytes *bytes, size_t size, double clock);
/* Appends an RTDE package: header and payload. */
void bytes_package(struct bytes *bytes, char type, const struct bytes *payload);
/* The same with a payload of text after `head` bytes in hex: "O", "40 5f 40 00 00 00 00 00", "timestamp,actual_q". */
void bytes_list(struct bytes *bytes, char type, const char *head, const char *text);

/* ---- packets ---- */

/* A TCP segment over IPv4; the first element of each pair is the sender's. */
struct tcp_segment {
    uint32_t address[2];
    uint16_t port[2];
    uint32_t seq, ack;
    unsigned flags;
};
/* Writes its packet without a link layer: 40 bytes of headers and `length` bytes of data, which may be 0; checksums are
 * 0. */
void put_segment(uint8_t *packet, const struct tcp_segment *segment, const void *data, size_t length);

/* ---- random numbers: xorshift, the same on every run ---- */

uint64_t random_bits(uint64_t *seed);
size_t random_size(size_t limit, uint64_t *seed); /* below the limit */

/* ---- the log ---- */

struct log {
    char *text;
    size_t length, capacity;
    bool values; /* every value of every record, not only hashes */
    unsigned records[2], recipes, texts, notes, properties;
    uint64_t after_gap; /* records that carry the flag */
    int stop;           /* returned by every callback */
};
struct armtap_sink log_sink(void); /* its user is a struct log */
void log_line(struct log *log, const char *format, ...) PRINTF_FORMAT(2, 3);
/* A value as text: "1.5", "[1, 2, 3]", "absent", a quoted string. */
void log_value(struct log *log, const struct armtap_value *value);
/* Logs the connection's stream, at the end. */
void log_stream(struct log *log, const struct armtap_conn *conn);
void log_clear(struct log *log);
void log_free(struct log *log);
/* What a note says, ` name=value` for each argument; a flag without a value. */
void log_note_arguments(struct log *log, const struct armtap_arguments *arguments);
bool log_has(const struct log *log, const char *text);
unsigned log_count(const struct log *log, const char *text);

/* ---- scripts ---- */

#define SCRIPT_PARTS 256

struct script {
    struct bytes bytes;
    struct {
        enum armtap_direction direction;
        size_t end; /* in bytes */
    } parts[SCRIPT_PARTS];
    size_t count;
    bool in_place; /* pieces are pushed in place: many more runs per second */
};
void script_add(struct script *script, enum armtap_direction direction, const struct bytes *bytes);
void script_hex(struct script *script, enum armtap_direction direction, const char *digits);
void script_list(struct script *script, enum armtap_direction direction, char type, const char *head, const char *text);
void script_free(struct script *script);
/* Pushes a script into a new connection, in pieces that end at every cut (rising offsets in the script's bytes), and
 * closes both directions. Every piece is a block of its own, so that the sanitizer detects reads beyond it. */
void script_play(const struct script *script, const struct armtap_conn_options *options, const size_t *cuts,
                 size_t cut_count, struct log *log);
/* Pushes the whole script at once and logs all values; the caller frees the log. */
struct log script_log(const struct script *script, const struct armtap_conn_options *options);

/* ---- tables of facts in tests/unit/data ---- */

#define TABLE_CELLS 8

/* Calls `row` for every row of a CSV file except header and comments; returns the number of rows. */
size_t table_each(const char *name, void (*row)(void *user, char *const cells[TABLE_CELLS], size_t count), void *user);

/* Sizes of legacy packets in realtime_layout.csv, smallest first; 0 beyond the last. */
size_t legacy_size(size_t i);
size_t legacy_size_count(void);

const struct armtap_field *field_named(const char *name);

/* ---- files ---- */

#ifdef _WIN32
#define ON_WINDOWS true
#else
#define ON_WINDOWS false
#endif

/* Makes an empty folder, and deletes what a test that failed left in it. 0 or -1. */
int make_folder(const char *folder);
/* With the files in it. 0 or -1. */
int remove_folder(const char *folder);
/* How many names there are in a folder, but "." and "..". */
size_t count_names(const char *folder);
/* A pipe to be read from ends[0]. 0 or -1. */
int make_pipe(int ends[2]);
/* A symbolic link, which Windows does not let everybody make. 0 or -1. */
int make_link(const char *to, const char *name);
/* Closes a file of tmpfile() and returns what was written to it as a text, which the caller frees. */
char *take_text(FILE *file);

#endif
