#include "aubo_describe.h"

#include <string.h>

#include "table/recipe.h"
#include "aubo_text.h"

static size_t blanks_of(const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && armtap_aubo_is_blank(bytes[count]))
        count++;
    return count;
}

/* Whether a JSON list begins here, or an object, which a client may send by mistake. */
static bool is_list(const uint8_t *bytes, size_t length)
{
    size_t blanks = blanks_of(bytes, length);
    return blanks < length && (bytes[blanks] == '[' || bytes[blanks] == '{');
}

static bool is_set_up(const uint8_t *bytes, size_t length)
{
    unsigned number;
    size_t blanks = blanks_of(bytes, length);
    return armtap_aubo_prefix(bytes + blanks, length - blanks, &number) == ARMTAP_AUBO_WHOLE &&
           number == ARMTAP_AUBO_SET_UP;
}

static bool is_one_list(const struct armtap_subject *subject, bool is_web)
{
    const uint8_t *bytes = subject->bytes;
    return !subject->content && is_list(bytes, subject->length) && (!is_web || bytes[0] == '[' || bytes[0] == '{');
}

int armtap_aubo_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    size_t web = armtap_aubo_web_length(subject->bytes, subject->length);
    bool is_web = web == subject->length;
    pieces->rest = "not JSON, or part of a message";
    *kind = "bytes";
    if (is_one_list(subject, is_web)) {
        const struct armtap_aubo_text text = {(const char *)subject->bytes, subject->length, 0, false};
        bool sets_up = subject->direction == ARMTAP_TO_ROBOT && is_set_up(subject->bytes, subject->length);
        *kind = sets_up ? "set-up" : "data";
        armtap_aubo_describe_list(pieces, &text);
        return ARMTAP_OK;
    }
    if (!is_web && blanks_of(subject->bytes, subject->length) == subject->length) {
        armtap_pieces_add(pieces, 0, subject->length, "white space");
        *kind = "white space";
        return ARMTAP_OK;
    }
    return web > 0 || subject->content ? armtap_aubo_describe_web(pieces, kind) : ARMTAP_OK;
}

/* ---- identifying ---- */

/* Length of the list or object that begins here; all bytes if it does not end. */
static size_t list_length(const uint8_t *bytes, size_t length)
{
    struct armtap_aubo_scan scan = {0};
    size_t used = 0, blanks = blanks_of(bytes, length);
    enum armtap_aubo_end end = armtap_aubo_scan(&scan, false, bytes + blanks, length - blanks, &used);
    return end == ARMTAP_AUBO_WHOLE ? blanks + used : length;
}

/* Whether this is a request or a masked frame, which only clients send. */
static bool is_from_client(const uint8_t *bytes, size_t length)
{
    bool is_request = length >= 4 && memcmp(bytes, "GET ", 4) == 0;
    return is_request || (length >= 2 && bytes[0] >= 0x80 && (bytes[1] & 0x80));
}

/* Whether this begins like a message; no URScript line does. */
static bool begins_numbered_list(const uint8_t *bytes, size_t length)
{
    return length > 1 && bytes[0] == '[' && armtap_json_is_digit((char)bytes[1]);
}

/* Unless the user names AUBO, only a list that begins with a number is recognised: any WebSocket has heads and frames.
 */
enum armtap_fit armtap_aubo_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt)
{
    const uint8_t *bytes = subject->bytes;
    size_t length = subject->length, web = 0;
    bool begins_list = is_list(bytes, length);
    (void)doubt;
    if (!named && !begins_numbered_list(bytes, length))
        return ARMTAP_FIT_NO;
    if (!begins_list)
        web = armtap_aubo_web_length(bytes, length);
    if (!directed)
        subject->direction = (begins_list && is_set_up(bytes, length)) || (web > 0 && is_from_client(bytes, length))
                                 ? ARMTAP_TO_ROBOT
                                 : ARMTAP_FROM_ROBOT;
    if (web == 0)
        subject->length = list_length(bytes, length);
    else if (web < length)
        subject->length = web;
    subject->generation = ARMTAP_GENERATION_AUBO;
    return ARMTAP_FIT_YES;
}
