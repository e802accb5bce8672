/* Replaces ur_rtde's mailbox in builds without it (configure --enable-decoders without ur_rtde): there is none. */
#include "layer.h"

const char *armtap_ur_rtde_last(armtap_ur_rtde_set set)
{
    (void)set;
    return "";
}

bool armtap_mailbox_script_line(struct armtap_mailbox_script *script, uint64_t connection,
                                const struct armtap_where *where, const char *line, size_t length)
{
    (void)script, (void)connection, (void)where, (void)line, (void)length;
    return false;
}

void armtap_mailbox_script_lost(struct armtap_mailbox_script *script, uint64_t connection)
{
    (void)script, (void)connection;
}

void armtap_mailbox_script_free(struct armtap_mailbox_script *script)
{
    (void)script;
}

int armtap_mailbox_set_up(struct armtap_mailbox **mailbox, int recipe_id, const struct armtap_recipe *recipe,
                          enum armtap_mailbox_client *client)
{
    (void)mailbox, (void)recipe_id, (void)recipe;
    *client = ARMTAP_MAILBOX_OTHER;
    return ARMTAP_OK;
}

int armtap_mailbox_new_late(struct armtap_mailbox **mailbox, bool is_early)
{
    (void)is_early;
    *mailbox = NULL;
    return ARMTAP_OK;
}

bool armtap_mailbox_is_unused(const struct armtap_mailbox *mailbox)
{
    (void)mailbox;
    return true;
}

bool armtap_mailbox_is_other(const struct armtap_mailbox *mailbox)
{
    (void)mailbox;
    return true;
}

size_t armtap_mailbox_bytes(const struct armtap_mailbox *mailbox)
{
    (void)mailbox;
    return 0;
}

int armtap_mailbox_take(struct armtap_mailbox *mailbox, struct armtap_conn *conn, struct armtap_mailbox_script *script,
                        const struct armtap_record *record)
{
    (void)mailbox, (void)conn, (void)script, (void)record;
    return ARMTAP_OK;
}

int armtap_mailbox_lost(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                        const struct armtap_mailbox_script *script, enum armtap_direction direction)
{
    (void)mailbox, (void)conn, (void)script, (void)direction;
    return ARMTAP_OK;
}

int armtap_mailbox_end(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script)
{
    (void)mailbox, (void)conn, (void)script;
    return ARMTAP_OK;
}

bool armtap_mailbox_waits(const struct armtap_mailbox *mailbox)
{
    (void)mailbox;
    return false;
}

void armtap_mailbox_free(struct armtap_mailbox *mailbox)
{
    (void)mailbox;
}
