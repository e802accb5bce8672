/* What a connection does for a layer, and what layers there are. A layer takes the records of a decoder and gives
 * events of its own. It is no decoder: it sees no bytes but those of records. */
#ifndef ARMTAP_LAYER_H
#define ARMTAP_LAYER_H

#include "armtap.h"
#include "mailbox_script.h"

/* ---- the connection ---- */

/* Hands a command to the sink; leave its stream unset. */
int armtap_conn_command(struct armtap_conn *conn, struct armtap_command *command);
/* Notes at a record that a script of an unknown release was sent to its client's robot. */
int armtap_conn_strange_script(struct armtap_conn *conn, const struct armtap_record *record);
/* Bytes that came from the client so far, be they records or not yet. */
uint64_t armtap_conn_client_bytes(const struct armtap_conn *conn);
/* What the layer knows has changed, so that later records may mean something else: digests must keep this packet. */
void armtap_conn_layer_moved(struct armtap_conn *conn);

/* ---- mailbox.c ----
 *
 * The command mailbox of ur_rtde: what its client writes into input registers, and what its script on the robot answers
 * in output registers, as commands. */

struct armtap_mailbox;

/* What set-ups show of a client. */
enum armtap_mailbox_client {
    ARMTAP_MAILBOX_FITS,   /* it may be ur_rtde's */
    ARMTAP_MAILBOX_OTHER,  /* it is not */
    ARMTAP_MAILBOX_UNKNOWN /* it was, but for this recipe: of a release that no table has, or another that is alike */
};
/* A client set up an input recipe. *mailbox is that of its connection, NULL while there is none: it is made for a
 * client that may be ur_rtde's. */
int armtap_mailbox_set_up(struct armtap_mailbox **mailbox, int recipe_id, const struct armtap_recipe *recipe,
                          enum armtap_mailbox_client *client);
/* For a client whose set-ups were not captured: it may be ur_rtde's until a package shows otherwise. is_early: since
 * its first package the mailbox gets all that the robot says. ERR_MEMORY, or OK; then *mailbox is NULL if ur_rtde was
 * left out. */
int armtap_mailbox_new_late(struct armtap_mailbox **mailbox, bool is_early);
/* Whether it was made for such a client, of which no package was heard. */
bool armtap_mailbox_is_unused(const struct armtap_mailbox *mailbox);
/* Whether the last record showed that it is not. */
bool armtap_mailbox_is_other(const struct armtap_mailbox *mailbox);
/* Of memory. */
size_t armtap_mailbox_bytes(const struct armtap_mailbox *mailbox);
/* A record of a connection with a mailbox. */
int armtap_mailbox_take(struct armtap_mailbox *mailbox, struct armtap_conn *conn, struct armtap_mailbox_script *script,
                        const struct armtap_record *record);
/* Bytes of a direction are missing. */
int armtap_mailbox_lost(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                        const struct armtap_mailbox_script *script, enum armtap_direction direction);
/* The client writes no more. */
int armtap_mailbox_end(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script);
/* Whether a command is there whose end is not known yet. */
bool armtap_mailbox_waits(const struct armtap_mailbox *mailbox);
void armtap_mailbox_free(struct armtap_mailbox *mailbox);

#endif
