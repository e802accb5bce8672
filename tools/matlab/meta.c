#include "meta.h"

struct matlab_node *matlab_node_new(struct matlab_node *parent, const char *name, enum matlab_node_kind kind)
{
    struct matlab_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct matlab_node){.name = name, .kind = kind};
    if (!parent)
        return node;
    if (parent->last)
        parent->last->next = node;
    else
        parent->children = node;
    parent->last = node;
    parent->count++;
    return node;
}

/* An array with room for one more element after `count`; NULL without memory, with nothing freed. */
static void *grow(void *array, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? realloc(array, (2 * count + 1) * size) : array;
}

int matlab_node_add_text(struct matlab_node *node, const char *text)
{
    const char **texts = grow(node->texts, node->count, sizeof *texts);
    if (!texts)
        return -1;
    node->texts = texts;
    texts[node->count++] = text;
    return 0;
}

int matlab_node_add_number(struct matlab_node *node, int32_t number)
{
    int32_t *numbers = grow(node->numbers, node->count, sizeof *numbers);
    if (!numbers)
        return -1;
    node->numbers = numbers;
    numbers[node->count++] = number;
    return 0;
}

/* `meta` is three structures deep. */
void matlab_node_free(struct matlab_node *node)
{
    while (node) {
        struct matlab_node *next = node->next;
        matlab_node_free(node->children);
        free(node->texts);
        free(node->numbers);
        free(node);
        node = next;
    }
}
