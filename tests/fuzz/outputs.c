#define _POSIX_C_SOURCE 200809L
#include "outputs.h"

#include <zlib.h>

#include "base/os/names.h"

#define ROOM (1u << 16)

static bool is_packed(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".gz") == 0;
}

bool output_take(const char *name, struct caught *caught)
{
    gzFile file = gzopen(name, "rb"); /* also reads what is not compressed */
    int got = 0;
    *caught = (struct caught){NULL, 0};
    if (!file)
        return false;
    do {
        caught->length += (size_t)got;
        caught->text = realloc(caught->text, caught->length + ROOM);
        CHECK(caught->text);
        got = gzread(file, caught->text + caught->length, ROOM);
        CHECK(got >= 0); /* a missing checksum at the end is an error, too */
    } while (got > 0);
    CHECK(!is_packed(name) || caught->length == 0 || gzdirect(file) == 0);
    CHECK(gzclose(file) == Z_OK);
    CHECK(unlink(name) == 0);
    return true;
}

bool output_next(const char *prefix, char *name, size_t room)
{
    glob_t found;
    snprintf(name, room, "%s*", prefix);
    bool any = glob(name, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (any)
        snprintf(name, room, "%s", found.gl_pathv[0]);
    globfree(&found);
    return any;
}
