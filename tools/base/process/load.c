#include "load.h"

#include <dlfcn.h>
#include <string.h>

#include "base/process/message.h"

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
