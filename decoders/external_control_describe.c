#include "external_control_layout.h"

#include <string.h>

#include "protocol/describe.h"
#include "urscript.h"

#define WORD ARMTAP_CONTROL_WORD

static void describe_word(struct armtap_pieces *pieces, const struct armtap_control_layout *layout,
                          const struct armtap_control_value *value, size_t element)
{
    const uint8_t *message = pieces->subject->bytes;
    const char *name = armtap_control_selector(layout, message);
    armtap_pieces_add(pieces, (value->word + element) * WORD, WORD, NULL);
    armtap_pieces_name(pieces, value->name, strlen(value->name));
    if (value->count > 1) {
        armtap_pieces_name(pieces, "_", 1);
        armtap_pieces_name_number(pieces, element);
    }
    if (value->wire == ARMTAP_CONTROL_RAW)
        armtap_pieces_signed(pieces, armtap_control_word(message, value->word));
    else
        armtap_pieces_double(pieces, armtap_control_number(value, message, element));
    if (name && armtap_control_is_selector(layout, value))
        armtap_pieces_remark(pieces, "%s", name);
}

static void describe_words(struct armtap_pieces *pieces, const struct armtap_control_layout *layout)
{
    const struct armtap_control_value *values[ARMTAP_CONTROL_ROWS];
    const uint8_t *message = pieces->subject->bytes;
    int shape;
    bool scale_known = armtap_control_shows_scale(layout, message);
    size_t count = armtap_control_values(layout, message, scale_known, values, &shape);
    pieces->rest = "not used by this message: may hold anything";
    for (size_t i = 0; i < count; i++)
        for (size_t element = 0; element < values[i]->count; element++)
            describe_word(pieces, layout, values[i], element);
}

int armtap_control_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    const struct armtap_control_layout *layout = armtap_control_layout_of(subject->length);
    bool is_text = subject->length > 0 && subject->bytes[subject->length - 1] == '\n';
    *kind = "message";
    if (subject->direction == ARMTAP_FROM_ROBOT && subject->length == WORD) {
        *kind = "result";
        armtap_pieces_add(pieces, 0, WORD, "result");
        armtap_pieces_signed(pieces, armtap_control_word(subject->bytes, 0));
    } else if (subject->direction == ARMTAP_TO_ROBOT && layout && !is_text &&
               armtap_control_fits(layout, subject->bytes, false)) {
        *kind = armtap_control_title(layout);
        describe_words(pieces, layout);
    } else if (armtap_urscript_is_text(subject->bytes, subject->length)) {
        *kind = subject->direction == ARMTAP_TO_ROBOT ? "URScript line" : "request";
        armtap_urscript_describe(pieces);
    }
    return ARMTAP_OK;
}

/* Whether the bytes are nothing but messages of that many bytes, which are believable. */
static bool are_all(const struct armtap_subject *subject, const struct armtap_control_layout *layout)
{
    size_t size = (size_t)layout->words * WORD;
    for (size_t at = 0; at < subject->length; at += size)
        if (subject->length - at < size || !armtap_control_fits(layout, subject->bytes + at, false))
            return false;
    return true;
}

/* The length of the first message of words to the robot: a message of a layout that fits, or several of the only one
 * that fits. 0: they are of no length that messages have, or which is theirs does not show. */
static size_t words_length(const struct armtap_subject *subject)
{
    const struct armtap_control_layout *layout = armtap_control_layout_of(subject->length);
    size_t length = 0, i = 0;
    if (layout && armtap_control_fits(layout, subject->bytes, false))
        return subject->length;
    while ((layout = armtap_control_layout_at(i++))) {
        if (!are_all(subject, layout))
            continue;
        if (length != 0)
            return 0;
        length = (size_t)layout->words * WORD;
    }
    return length;
}

/* Words prove nothing: only if the user says so, and they have a length that messages have. */
enum armtap_fit armtap_control_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt)
{
    subject->recipe = NULL;
    if (!named || subject->length == 0)
        return ARMTAP_FIT_NO;
    if (!directed)
        subject->direction = subject->length == WORD ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    if (subject->direction == ARMTAP_FROM_ROBOT && subject->length == WORD)
        return ARMTAP_FIT_YES;
    if (armtap_urscript_is_text(subject->bytes, subject->length))
        return armtap_urscript_identify(subject, doubt);
    size_t length = words_length(subject);
    if (length == 0) {
        armtap_line_format(doubt, "%u bytes, neither text nor messages that the driver sends",
                           (uint64_t)subject->length);
        return ARMTAP_FIT_NO;
    }
    subject->length = length;
    return ARMTAP_FIT_YES;
}
