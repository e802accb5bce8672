/* The names of a recipe to be set up, and which of them were left out. */
#ifndef ARMTAP_NAME_LIST_H
#define ARMTAP_NAME_LIST_H

#include "armtap.h"

#define ARMTAP_NAMES_MAX 2048 /* bytes that a controller takes, by UR's guide */

struct armtap_name {
    const char *text;
    enum armtap_refusal why;
    bool dropped;
};

struct armtap_name_list {
    char *text;
    struct armtap_name *names;
    size_t count, dropped;
};

/* Bytes of a comma separated list as it will be sent: without blanks and empty names. */
size_t armtap_name_list_bytes(const char *list);
int armtap_name_list_take(struct armtap_name_list *names, const char *list);
void armtap_name_list_free(struct armtap_name_list *names);
/* Writes the names that were not dropped, comma separated; returns their bytes. */
size_t armtap_name_list_write(const struct armtap_name_list *names, char buffer[ARMTAP_NAMES_MAX]);
/* Leaves out a name; returns how many there were of it. */
size_t armtap_name_list_drop(struct armtap_name_list *names, const char *name, size_t length, enum armtap_refusal why);
/* Takes all of them again. */
void armtap_name_list_restore(struct armtap_name_list *names);

#endif
