#include "legacy_layout.h"

#include <stdio.h>

#include "base/process/message.h"

#define LIST_MAX 700
/* What one item of a list may need. */
#define ITEM_MAX 48
#define LENGTH_WORD 4
#define CELL 8

/* Columns of one kind: "94, 103-108"; those of modes are counted, since there 0 may be taken for a mode. */
struct column_list {
    bool of_variables;
    char text[LIST_MAX], modes[LIST_MAX];
    size_t length, modes_length;
    unsigned first, last; /* the range that is not written yet; 0: none */
};

static void write_range(struct column_list *list)
{
    size_t room = sizeof list->text - list->length;
    const char *separator = list->length == 0 ? "" : ", ";
    if (list->first == 0 || room < ITEM_MAX)
        return;
    if (list->first == list->last)
        list->length += (size_t)snprintf(list->text + list->length, room, "%s%u", separator, list->first);
    else
        list->length +=
            (size_t)snprintf(list->text + list->length, room, "%s%u-%u", separator, list->first, list->last);
}

static void add_mode(struct column_list *list, const struct legacy_lack *lack)
{
    size_t room = sizeof list->modes - list->modes_length;
    if (armtap_enum_at(lack->field, 0) && room > ITEM_MAX)
        list->modes_length += (size_t)snprintf(list->modes + list->modes_length, room, "%s%s",
                                               list->modes_length == 0 ? "" : ", ", lack->field->name);
}

static void add_range(void *user, const struct legacy_lack *lack)
{
    struct column_list *list = user;
    if (lack->is_variable != list->of_variables)
        return;
    add_mode(list, lack);
    if (list->first > 0 && lack->first == list->last + 1) {
        list->last = lack->last;
        return;
    }
    write_range(list);
    list->first = lack->first;
    list->last = lack->last;
}

static void list_columns(struct column_list *list, const struct legacy_layout *layout,
                         const struct armtap_recipe *received)
{
    legacy_layout_lacks(layout, received, add_range, list);
    write_range(list);
}

void legacy_report(const struct legacy_layout *layout, const struct armtap_recipe *received, const char *source)
{
    struct column_list reserved = {.of_variables = false}, lacking = {.of_variables = true};
    list_columns(&reserved, layout, received);
    list_columns(&lacking, layout, received);
    message_info("packets of %zu bytes: %u of %u columns are from RTDE; always 0, because RTDE lacks them: columns %s",
                 layout->size, legacy_layout_filled(layout, received), (unsigned)(layout->size - LENGTH_WORD) / CELL,
                 reserved.length == 0 ? "(none)" : reserved.text);
    if (lacking.length > 0)
        message_warning("also always 0, because %s lacks their variables: columns %s%s%s", source, lacking.text,
                        lacking.modes_length > 0 ? "; 0 is not the state there: " : "", lacking.modes);
}
