#include "load.h"

#include <dlfcn.h>
#include <string.h>

#include "base/message.h"

static int failed(const char *what)
{
    const char *why = dlerror();
    message_error("%s: %s; install that library again, or build armtap with the one that is installed", what,
                  why ? why : "cannot be loaded");
    return -1;
}

void *load_library(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        failed(library);
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
    return load_if_there(handle, name, pointer) ? 0 : failed(name);
}
