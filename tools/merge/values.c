#define _POSIX_C_SOURCE 200809L
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/armtap-analysis.h"
#include "base/process/message.h"
#include "input/files/file_reader.h"

#define TIME_DIGITS 9

/* -1, after a message that names the file and the place. `inner` may be NULL. */
static int spot_damaged(const struct spot *spot, const char *key, const char *inner)
{
    char stream[40] = "";
    if (spot->in_stream)
        snprintf(stream, sizeof stream, "streams[%zu].", spot->stream);
    message_error("%s: %s%s%s%s is damaged, or of another version of armtap; print it again with armtap info --json",
                  reader_name(spot->file), stream, key, inner ? "." : "", inner ? inner : "");
    return -1;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

int unsigned_add(uint64_t *total, const struct json_node *node, const struct spot *spot, const char *key)
{
    uint64_t number;
    if (!json_node_unsigned(node, &number))
        return spot_damaged(spot, key, NULL);
    *total += number;
    return 0;
}

bool decimal_read(const struct json_node *node, int64_t *number)
{
    bool negative = node && node->kind == ARMTAP_JSON_NUMBER && node->text[0] == '-';
    uint64_t size = 0;
    size_t decimals = 0, point = 0;
    if (!node || node->kind != ARMTAP_JSON_NUMBER)
        return false;
    for (size_t i = negative; i < node->length; i++) {
        unsigned digit = (unsigned)(node->text[i] - '0');
        if (node->text[i] == '.' && point++ == 0)
            continue;
        if (digit > 9 || size > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        size = 10 * size + digit;
        decimals += point;
    }
    *number = negative ? -(int64_t)size : (int64_t)size;
    return decimals == TIME_DIGITS;
}

int decimal_add(struct decimal_sum *sum, const struct json_node *node, const struct spot *spot, const char *key)
{
    int64_t number;
    if (!decimal_read(node, &number))
        return spot_damaged(spot, key, NULL);
    sum->low += (uint64_t)number;
    sum->high += (sum->low < (uint64_t)number) - (number < 0);
    return 0;
}

int64_t decimal_total(const struct decimal_sum *sum)
{
    if (sum->high == 0 && sum->low <= INT64_MAX)
        return (int64_t)sum->low;
    if (sum->high == -1 && 0 - sum->low <= INT64_MAX && sum->low != 0)
        return -(int64_t)(0 - sum->low);
    return sum->high < 0 ? -INT64_MAX : INT64_MAX;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

struct note_count {
    size_t kind; /* of armtap_note_at */
    uint64_t count;
};

/* That of a kind; NULL: none. */
static struct note_count *find_note(const struct note_sum *sum, size_t kind)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->counts[i].kind == kind)
            return &sum->counts[i];
    return NULL;
}

static int add_note(struct note_sum *sum, size_t kind, uint64_t count)
{
    struct note_count *known = find_note(sum, kind);
    if (known) {
        known->count += count;
        return 0;
    }
    if (!MAKE_ROOM(sum->counts, sum->count))
        return message_no_memory();
    sum->counts[sum->count++] = (struct note_count){kind, count};
    return 0;
}

int notes_add(struct note_sum *sum, const struct json_node *notes, const struct spot *spot)
{
    if (!notes || notes->kind != ARMTAP_JSON_OBJECT)
        return spot_damaged(spot, "notes", NULL);
    for (const struct json_node *at = json_node_first(notes); at != json_node_end(notes); at = json_node_next(at + 1)) {
        char id[80];
        uint64_t count;
        snprintf(id, sizeof id, "%.*s", (int)at->length, at->text);
        const struct armtap_note_kind *kind = armtap_note_find(id);
        if (!kind || !json_node_unsigned(at + 1, &count))
            return spot_damaged(spot, "notes", id);
        if (add_note(sum, (size_t)(kind - armtap_note_at(0)), count) != 0)
            return -1;
    }
    return 0;
}

void notes_print(const struct note_sum *sum, struct json *json)
{
    json_object(json, false);
    for (size_t i = 0; i < armtap_note_count(); i++) {
        const struct note_count *note = find_note(sum, i);
        if (!note || note->count == 0)
            continue;
        json_member_unsigned(json, armtap_note_at(i)->id, note->count);
    }
    json_close(json);
}

bool notes_have_fault(const struct note_sum *sum)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->counts[i].count > 0 && armtap_note_at(sum->counts[i].kind)->severity >= ARMTAP_WARNING)
            return true;
    return false;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Appends the node's JSON and a NUL. */
static int put_text(struct buffer *buffer, const struct json_node *node)
{
    size_t quote = node->kind == ARMTAP_JSON_STRING;
    json_put_mended(buffer, node->text - quote, node->length + 2 * quote);
    buffer_char(buffer, '\0');
    return buffer->failed ? message_no_memory() : 0;
}

int text_keep(struct kept_text *kept, const struct json_node *node, uint64_t capture)
{
    struct buffer room = {0};
    kept->capture = capture;
    if (node && put_text(&room, node) != 0)
        return -1;
    if (!node || !kept->text || strcmp(kept->text, room.data) != 0) {
        char *text = node ? strdup(room.data) : NULL;
        free(kept->text);
        kept->text = text;
    }
    free(room.data);
    return kept->text || !node ? 0 : message_no_memory();
}

void text_print(const struct kept_text *kept, struct json *json)
{
    if (kept->text)
        json_number(json, kept->text);
    else
        json_null(json);
}

int list_add(struct kept_list *list, const struct json_node *node, const struct spot *spot, const char *key)
{
    if (!node || node->kind == ARMTAP_JSON_NULL)
        return 0;
    if (node->kind != ARMTAP_JSON_ARRAY)
        return spot_damaged(spot, key, NULL);
    for (const struct json_node *at = json_node_first(node); at != json_node_end(node); at = json_node_next(at))
        if (put_text(&list->texts, at) != 0)
            return -1;
    return 0;
}

void list_print(const struct kept_list *list, struct json *json)
{
    json_array(json, true);
    for (size_t at = 0; at < list->texts.length; at += strlen(list->texts.data + at) + 1)
        json_number(json, list->texts.data + at);
    json_close(json);
}
