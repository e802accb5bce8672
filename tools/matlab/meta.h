/* The structure `meta`: what is known of the table and of its variables. */
#ifndef MATLAB_META_H
#define MATLAB_META_H

#include "content.h"

/* Children keep their order. NULL without memory; the texts and names must outlive the node. */
struct matlab_node *matlab_node_new(struct matlab_node *parent, const char *name, enum matlab_node_kind kind);
int matlab_node_add_text(struct matlab_node *node, const char *text);
int matlab_node_add_number(struct matlab_node *node, int32_t number);
void matlab_node_free(struct matlab_node *node);

#endif
