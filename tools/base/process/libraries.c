#include "libraries.h"

#include "message.h"

static const struct {
    const char *name;
    const char *absence;
    const char *option;
    const char *debian;
    const char *fedora;
} libraries[LIBRARY_END] = {
#define LIBRARY(id, name, option, debian, fedora)                                                                      \
    [LIBRARY_##id] = {(name), "built without " name, (option), (debian), (fedora)},
#include "libraries.def"
#undef LIBRARY
};

void library_report_missing(enum library library, const char *what)
{
    message_error("%s: this armtap was built without %s; install %s (Debian, Ubuntu) or %s (Fedora), then configure it "
                  "%s and build it again",
                  what, libraries[library].name, libraries[library].debian, libraries[library].fedora,
                  libraries[library].option);
}

const char *library_name(enum library library)
{
    return libraries[library].name;
}

const char *library_absence(enum library library)
{
    return libraries[library].absence;
}
