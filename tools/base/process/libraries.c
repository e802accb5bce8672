#include "libraries.h"

#include <string.h>

#include "base/os/console.h"
#include "base/os/names.h"
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
};

void library_report_missing(enum library library, const char *what)
{
    if (!console_user_builds) {
        message_error("%s: this armtap was built without %s, as the zip for Windows is", what, libraries[library].name);
        return;
    }
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

/* Windows has no dlopen(), and no build for it has any of these. */
#if defined(ARMTAP_WITH_HDF5) || defined(ARMTAP_WITH_MATIO) || defined(ARMTAP_WITH_CAIRO)

static int failed(const char *what, const char *remedy)
{
    const char *why = dlerror(); /* names the file */
    message_error("%s; %s", why ? why : what, remedy);
    return -1;
}

void *load_library(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        failed(library, "install its package, or build armtap with the version that is installed");
    return handle;
}

bool load_if_there(void *handle, const char *name, void *pointer)
{
    void *found = dlsym(handle, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

int load_name(void *handle, const char *name, void *pointer)
{
    return load_if_there(handle, name, pointer)
               ? 0
               : failed(name, "another version of that library is installed: build armtap with it");
}

#endif
