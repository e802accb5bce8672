#include "external_control_describe.h"

#include <string.h>

#include "../lib/describe.h"
#include "external_control_layout.h"
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
    } else {
        *kind = subject->direction == ARMTAP_TO_ROBOT ? "URScript line" : "request";
        armtap_urscript_describe(pieces);
    }
    return ARMTAP_OK;
}

/* Words prove nothing: only if the user says so, and they have a length that messages have. */
enum armtap_fit armtap_control_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt)
{
    (void)doubt;
    subject->recipe = NULL;
    if (!named || subject->length == 0)
        return ARMTAP_FIT_NO;
    if (!directed)
        subject->direction = subject->length == WORD ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    if (subject->length == WORD || armtap_control_layout_of(subject->length))
        return ARMTAP_FIT_YES;
    return armtap_urscript_identify(subject);
}
