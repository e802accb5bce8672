#include "summaries.h"

#include <stdio.h>
#include <stdlib.h>

/* Of an archive each summary has all that is known of it: the last one's. */
static int add_list(struct kept_list *list, const struct summary *summary, const struct spot *spot, const char *key)
{
    if (summary->is_placed) {
        if (summary->capture < list->capture)
            return 0;
        list->texts.length = 0;
        list->capture = summary->capture;
    }
    return list_add(list, json_node_member(summary->root, key), spot, key);
}

/* What the last summary has. */
static int keep_last(struct kept_text *kept, const struct summary *summary, const char *key)
{
    if (summary->capture < kept->capture)
        return 0;
    return text_keep(kept, json_node_member(summary->root, key), summary->capture);
}

int infos_add(struct infos *infos, struct summary *summary)
{
    const struct spot spot = {.file = summary->name};
    const struct json_node *root = summary->root;
    bool is_added = unsigned_add(&infos->packets, json_node_member(root, "packets"), &spot, "packets") == 0 &&
                    unsigned_add(&infos->bytes, json_node_member(root, "bytes"), &spot, "bytes") == 0 &&
                    streams_add(&infos->streams, summary) == 0 &&
                    keep_last(&infos->more_streams, summary, "more_streams") == 0 &&
                    keep_last(&infos->more_recipes, summary, "more_recipes") == 0 &&
                    add_list(&infos->attempts, summary, &spot, "attempts") == 0 &&
                    add_list(&infos->other_ports, summary, &spot, "other_ports") == 0 &&
                    notes_add(&infos->notes, json_node_member(root, "notes"), &spot) == 0;
    return is_added ? 0 : -1;
}

static void print_rest(const struct kept_text *kept, struct json *json, const char *key)
{
    if (!kept->text)
        return;
    json_key(json, key);
    text_print(kept, json);
}

void infos_print(struct infos *infos)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_unsigned(&json, "packets", infos->packets);
    json_member_unsigned(&json, "bytes", infos->bytes);
    json_key(&json, "streams");
    streams_print(&infos->streams, &json);
    print_rest(&infos->more_streams, &json, "more_streams");
    print_rest(&infos->more_recipes, &json, "more_recipes");
    json_key(&json, "attempts");
    list_print(&infos->attempts, &json);
    json_key(&json, "other_ports");
    list_print(&infos->other_ports, &json);
    json_key(&json, "notes");
    notes_print(&infos->notes, &json);
    json_end(&json);
}

bool infos_have_fault(const struct infos *infos)
{
    return notes_have_fault(&infos->notes);
}

void infos_release(struct infos *infos)
{
    streams_release(&infos->streams);
    free(infos->more_streams.text);
    free(infos->more_recipes.text);
    free(infos->attempts.texts.data);
    free(infos->other_ports.texts.data);
    free(infos->notes.counts);
}
