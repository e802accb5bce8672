#include "client.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next name of a list that is not empty; NULL at its end. */
static const char *next_name(const char **cursor, size_t *length)
{
    while (**cursor == ',' || is_blank(**cursor))
        ++*cursor;
    const char *name = *cursor;
    *length = strcspn(name, ",");
    *cursor += *length;
    while (*length > 0 && is_blank(name[*length - 1]))
        --*length;
    return *length > 0 ? name : NULL;
}

size_t armtap_name_list_bytes(const char *list)
{
    size_t bytes = 0, length;
    while (next_name(&list, &length))
        bytes += length + (bytes > 0);
    return bytes;
}

int armtap_name_list_take(struct armtap_name_list *names, const char *list)
{
    const char *name;
    size_t length, count = 0;
    for (const char *at = list; next_name(&at, &length);)
        count++;
    names->text = malloc(strlen(list) + 1);
    names->names = calloc(count + 1, sizeof *names->names);
    if (!names->text || !names->names)
        return ARMTAP_ERR_MEMORY;
    char *to = names->text;
    for (const char *at = list; (name = next_name(&at, &length));) {
        memcpy(to, name, length);
        to[length] = '\0';
        names->names[names->count++].text = to;
        to += length + 1;
    }
    return ARMTAP_OK;
}

void armtap_name_list_free(struct armtap_name_list *names)
{
    free(names->text);
    free(names->names);
}

size_t armtap_name_list_write(const struct armtap_name_list *names, char buffer[ARMTAP_NAMES_MAX])
{
    size_t used = 0;
    for (size_t i = 0; i < names->count; i++) {
        const struct armtap_name *name = &names->names[i];
        size_t length = strlen(name->text);
        if (name->dropped)
            continue;
        if (used > 0)
            buffer[used++] = ',';
        memcpy(buffer + used, name->text, length);
        used += length;
    }
    return used;
}

size_t armtap_name_list_drop(struct armtap_name_list *names, const char *name, size_t length, enum armtap_refusal why)
{
    size_t before = names->dropped;
    for (size_t i = 0; i < names->count; i++) {
        struct armtap_name *own = &names->names[i];
        if (own->dropped || strlen(own->text) != length || memcmp(own->text, name, length) != 0)
            continue;
        own->dropped = true;
        own->why = why;
        names->dropped++;
    }
    return names->dropped - before;
}

void armtap_name_list_restore(struct armtap_name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        names->names[i].dropped = false;
    names->dropped = 0;
}
