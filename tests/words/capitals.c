/* Every sentence of findings.def replaced by the id of its kind in capitals. The linker gives these functions to
 * whoever calls those of words.c: see words-check.py. */
#include <ctype.h>

#include "protocol/fact.h"

#define ID_MAX 64

static char capitals[ARMTAP_NOTE_COUNT][ID_MAX];

/* Before main(): what has threads finds it done. */
__attribute__((constructor)) static void write_capitals(void)
{
    for (unsigned code = 0; code < ARMTAP_NOTE_COUNT; code++) {
        const char *id = armtap_note_at(code)->id;
        for (size_t i = 0; id[i] != '\0' && i < ID_MAX - 1; i++)
            capitals[code][i] = (char)toupper((unsigned char)id[i]);
    }
}

const char *__wrap_armtap_note_sentence(enum armtap_note_code code);
void __wrap_armtap_note_say(struct armtap_line *line, enum armtap_note_code code,
                            const struct armtap_arguments *arguments);

const char *__wrap_armtap_note_sentence(enum armtap_note_code code)
{
    return capitals[code];
}

void __wrap_armtap_note_say(struct armtap_line *line, enum armtap_note_code code,
                            const struct armtap_arguments *arguments)
{
    (void)arguments;
    armtap_line_begin(line);
    armtap_line_string(line, capitals[code]);
}
