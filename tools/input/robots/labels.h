/* Names in place of addresses (--label, --labels): addresses are the same in every cell, a robot has several ports, and
 * its address may change. Names are of robots, and of clients as well. */
#ifndef INPUT_LABELS_H
#define INPUT_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: no address has a name. */
struct labels;

/* Takes "ADDRESS=NAME", the value of --label. ADDRESS may end in a port, for robots behind one address. Several may
 * have one name: they are one robot. 0, or -1 after a message. */
int labels_add(struct labels **labels, const char *text);
/* The same for the lines of a file, "ADDRESS=NAME" or "ADDRESS NAME". */
int labels_read(struct labels **labels, const char *file);
void labels_free(struct labels *labels);

/* The name of an end, "10.0.0.2:30004" or "[fd00::2]:30004", or of a host; NULL: it has none. Valid as long as the
 * labels are. */
const char *labels_find(const struct labels *labels, const char *end);
/* What people and columns call it: its name, or `end` as it is. */
const char *labels_name(const struct labels *labels, const char *end);
/* Adds the member `key` with the name, if there is one. */
struct json;
void labels_json(const struct labels *labels, struct json *json, const char *key, const char *end);
/* Whether both are ends of one robot: of one name, or without one of one host. */
bool labels_are_one(const struct labels *labels, const char *one, const char *other);
/* Puts names in place of addresses in a text of up to `size` bytes, which may be cut. A port that the name is not of
 * stays: "cell-3:30004 refused ...". */
void labels_in_text(const struct labels *labels, char *text, size_t size);
/* The name as a part of a topic of ROS, which has letters, digits and "_" only: two names never give the same. NULL: it
 * is the name of none. */
const char *labels_topic(const struct labels *labels, const char *name);

#endif
