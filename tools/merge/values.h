/* What summaries are added up to: numbers, notes, and texts as the summaries have them. */
#ifndef MERGE_VALUES_H
#define MERGE_VALUES_H

#include "base/text/buffer.h"
#include "base/text/json_reader.h"
#include "base/text/json_writer.h"

/* Where a value stands, for messages. */
struct spot {
    const char *file;
    bool in_stream; /* else a value of the whole capture */
    size_t stream;  /* its place in the list */
};

/* 0, or -1 after a message. */
int unsigned_add(uint64_t *total, const struct json_node *node, const struct spot *spot, const char *key);

/* A number with nine decimals, in 1e-9; false if it is none, or too large. */
bool decimal_read(const struct json_node *node, int64_t *number);

/* A sum of decimals in 1e-9, which no order of adding makes overflow. All zeros is 0. */
struct decimal_sum {
    int64_t high;
    uint64_t low;
};
/* 0, or -1 after a message. */
int decimal_add(struct decimal_sum *sum, const struct json_node *node, const struct spot *spot, const char *key);
/* The nearest number that armtap_time_shift may give. */
int64_t decimal_total(const struct decimal_sum *sum);

/* How often notes were raised; only kinds that were. All zeros is none. */
struct note_sum {
    struct note_count *counts;
    uint32_t count;
};
/* 0, or -1 after a message. */
int notes_add(struct note_sum *sum, const struct json_node *notes, const struct spot *spot);
void notes_print(const struct note_sum *sum, struct json *json);
/* Whether a warning or an error is among them. */
bool notes_have_fault(const struct note_sum *sum);

/* A value's JSON, hidden characters escaped, as all output has it; NULL: none. The owner frees it. */
struct kept_text {
    char *text;
    uint64_t capture; /* that it is of */
};
/* Keeps the text of a node, or that there is none (NULL), in place of what was kept. 0, or -1 after a message. */
int text_keep(struct kept_text *kept, const struct json_node *node, uint64_t capture);
/* Null if there is none. */
void text_print(const struct kept_text *kept, struct json *json);

/* The texts of the elements of lists, one after another. All zeros is an empty one; the owner frees texts.data. */
struct kept_list {
    struct buffer texts; /* each ends with NUL */
    uint64_t capture;
};
/* Adds those of a node, which may be missing or null. 0, or -1 after a message. */
int list_add(struct kept_list *list, const struct json_node *node, const struct spot *spot, const char *key);
void list_print(const struct kept_list *list, struct json *json);

#endif
