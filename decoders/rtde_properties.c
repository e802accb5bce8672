/* Properties of protocol 3 (READ_PROPERTIES): what a reply lacks, and requests that get none. A controller answers in
 * order, and sends data whatever becomes of them. */
#include <string.h>

#include "rtde_package.h"
#include "rtde_reply.h"

#define LISTED_MOST 6 /* names that a note lists */

/* ---- replies --------------------------------------------------------------------------------------------------- */

/* The properties whose values are not whole among `length` bytes, as far as a note lists them. Returns how many more
 * there are. */
static unsigned list_lacking(struct armtap_line *line, const struct armtap_recipe *recipe, size_t length)
{
    unsigned listed = 0, more = 0;
    armtap_line_begin(line);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (entry->offset + entry->wire_size <= length)
            continue;
        if (listed < LISTED_MOST && armtap_line_name(line, entry->name))
            listed++;
        else
            more++;
    }
    return more;
}

static int note_length(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                       size_t length)
{
    struct armtap_line names;
    if (recipe->open || length == recipe->size)
        return ARMTAP_OK;
    unsigned more = list_lacking(&names, recipe, length);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_property_short,
                             ARGS(arg_bytes(length), arg_bytes_known(recipe->size), arg_names(&names),
                                  more > 0 ? arg_more(more) : arg_none(true)));
}

static int deliver(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                   struct armtap_rtde_reply *reply, const struct armtap_rtde_package *package)
{
    struct armtap_recipe *recipe = NULL;
    int error = armtap_rtde_recipe_of(conn, frame, reply, &recipe);
    if (error != ARMTAP_OK || !recipe)
        return error;
    struct armtap_data data = {.recipe = recipe,
                               .version = rtde->protocol,
                               .values = package->values,
                               .values_length = package->values_length};
    if (!recipe->open && package->values_length != recipe->size)
        data.flags |= package->values_length < recipe->size ? (unsigned)ARMTAP_SHORT : (unsigned)ARMTAP_LONG;
    error = note_length(conn, frame, recipe, package->values_length);
    if (error == ARMTAP_OK)
        error = armtap_conn_properties(conn, frame, &data);
    armtap_recipe_release(recipe);
    return error;
}

int armtap_rtde_read_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                                const struct armtap_rtde_package *package)
{
    struct armtap_rtde_request *request = armtap_rtde_answered(rtde, ARMTAP_RTDE_PROPERTIES);
    struct armtap_rtde_reply reply = armtap_rtde_read_reply(rtde, conn, request, package);
    int error = armtap_rtde_note_reply(rtde, conn, frame, &reply);
    if (error == ARMTAP_OK && !reply.refused)
        error = deliver(rtde, conn, frame, &reply, package);
    armtap_recipe_release(reply.layout);
    armtap_rtde_free_request(rtde, request);
    return error;
}

int armtap_rtde_unreadable_properties(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                      const struct armtap_frame *frame)
{
    struct armtap_line hex;
    armtap_rtde_free_request(rtde, armtap_rtde_answered(rtde, ARMTAP_RTDE_PROPERTIES));
    armtap_rtde_show_bytes(&hex, frame);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_property_short,
                             ARGS(arg_reason(ARMTAP_WORD_unreadable), arg_hex(hex.text)));
}

/* ---- requests without a reply ---------------------------------------------------------------------------------- */

static int note_unanswered(struct armtap_conn *conn, struct armtap_rtde_request *request)
{
    struct armtap_frame frame = armtap_place(ARMTAP_TO_ROBOT, request->offset, request->where);
    struct armtap_line since;
    const char *release = armtap_rtde_properties_lacking(&since, conn);
    request->settled = true;
    return armtap_conn_raise(conn, &frame, ARMTAP_NOTE_rtde_property_unanswered,
                             ARGS(arg_quoted_name(request->names, request->names_length), arg_release_since(since.text),
                                  arg_release(release)));
}

static bool waits(const struct armtap_rtde_request *request)
{
    return request->type == ARMTAP_RTDE_PROPERTIES && !request->settled && !request->answered;
}

int armtap_rtde_passed_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, enum armtap_rtde_type type)
{
    const struct armtap_rtde_request *answered = armtap_rtde_waiting(rtde, type);
    bool is_start = type == ARMTAP_RTDE_START;
    int error = ARMTAP_OK;
    if (!answered && !is_start)
        return ARMTAP_OK;
    for (struct armtap_rtde_request *next = rtde->requests; next && next != answered && error == ARMTAP_OK;
         next = next->next)
        if (waits(next) && (!is_start || next->passed))
            error = note_unanswered(conn, next);
    return error;
}

int armtap_rtde_overdue_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, int64_t now)
{
    int error = ARMTAP_OK;
    for (struct armtap_rtde_request *next = rtde->requests; next && error == ARMTAP_OK; next = next->next)
        if (waits(next) && armtap_rtde_is_overdue(next, now))
            error = note_unanswered(conn, next);
    return error;
}

void armtap_rtde_lost_properties(struct armtap_rtde *rtde)
{
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next)
        next->settled |= next->type == ARMTAP_RTDE_PROPERTIES;
}
