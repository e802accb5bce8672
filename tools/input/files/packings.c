#include "packings.h"

#include <stdio.h>
#include <string.h>

#include "base/process/libraries.h"
#include "base/text/shell_word.h"

static enum library library_of(const char *name)
{
    for (int i = LIBRARY_NONE + 1; i < LIBRARY_END; i++)
        if (strcmp(library_name((enum library)i), name) == 0)
            return (enum library)i;
    return LIBRARY_NONE;
}

int packing_check(const struct packing *packing, const char *file, bool quiet)
{
    char word[SHELL_MAX] = "", what[SHELL_MAX + 200];
    const char *lacks = armtap_packing_lacks(packing), *name = armtap_packing_name(packing),
               *program = armtap_packing_program(packing);
    if (!lacks)
        return 0;
    if (quiet)
        return -1;
    if (strcmp(file, "-") == 0)
        snprintf(what, sizeof what, "standard input: packed by %s, which %s undoes", name, program);
    else
        snprintf(what, sizeof what, "%s: packed by %s; unpack it first: %s %s >OUT; or", file, name, program,
                 shell_word(word, sizeof word, file) ? word : "FILE");
    library_report_missing(library_of(lacks), what);
    return -1;
}

const char *packing_library(size_t index, char text[64])
{
    const char *name, *version;
    if (!armtap_packing_library(index, &name, &version))
        return NULL;
    if (!version)
        return library_absence(library_of(name));
    snprintf(text, 64, "%s version %s", name, version);
    return text;
}
