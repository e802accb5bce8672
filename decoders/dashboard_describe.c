#include "describers.h"

#include <string.h>

#include "protocol/describe.h"
#include "dashboard_line.h"
#include "urscript.h"

int armtap_dashboard_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    bool is_reply = subject->direction == ARMTAP_FROM_ROBOT;
    size_t length = armtap_dashboard_text(subject->bytes, subject->length);
    const struct armtap_dashboard_refusal *refusal = is_reply ? armtap_dashboard_refusal(subject->bytes, length) : NULL;
    *kind = is_reply ? "reply" : "request";
    if (length > 0) {
        armtap_pieces_add(pieces, 0, length, *kind);
        armtap_pieces_text(pieces, subject->bytes, length);
    }
    if (refusal)
        armtap_pieces_remark(pieces, "refused: %s", refusal->advice);
    if (length < subject->length)
        armtap_pieces_add(pieces, length, subject->length - length, "line end");
    return ARMTAP_OK;
}

enum armtap_fit armtap_dashboard_identify(struct armtap_subject *subject, bool directed, bool named,
                                          struct armtap_line *doubt)
{
    const uint8_t *end = memchr(subject->bytes, '\n', subject->length);
    size_t whole = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
    size_t length = armtap_dashboard_text(subject->bytes, whole);
    bool is_reply = armtap_dashboard_is_servers(subject->bytes, length);
    if (named && !armtap_urscript_is_text(subject->bytes, whole)) {
        armtap_line_string(doubt, "what a dashboard server sends and gets is text, and this is none");
        return ARMTAP_FIT_NO;
    }
    if (!named && !armtap_dashboard_is_greeting(subject->bytes, length))
        return ARMTAP_FIT_NO;
    if (!directed)
        subject->direction = is_reply ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    subject->length = whole;
    subject->recipe = NULL;
    return is_reply ? ARMTAP_FIT_YES : ARMTAP_FIT_MAYBE;
}
