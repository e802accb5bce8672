#include "fact.h"

/* Sentences of what the library itself raises. Those of the analysis are in words.c alone: a program without it is
 * linked without them. */
static const char *const raised[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, side, measure, sentence, ...) [ARMTAP_NOTE_##code] = sentence,
#define HEARD(code, id, severity, side, measure, sentence, ...) [ARMTAP_FINDING_##code] = sentence,
#define FINDING(...)
#include "findings.def"
};

void armtap_note_say(struct armtap_line *line, enum armtap_note_code code, const struct armtap_arguments *arguments)
{
    armtap_line_begin(line);
    if ((size_t)code < ARMTAP_NOTE_COUNT && raised[code])
        armtap_line_sentence(line, raised[code], arguments, NULL);
}
