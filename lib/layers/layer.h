/* What a connection does for a layer: something that takes the records of a decoder and gives events of its own. A
 * layer is no decoder; it sees no bytes but those of records. */
#ifndef ARMTAP_LAYER_H
#define ARMTAP_LAYER_H

#include "armtap.h"

/* Hands a command to the sink; leave its stream unset. */
int armtap_conn_command(struct armtap_conn *conn, struct armtap_command *command);
/* Notes at a record that a script of an unknown release was sent to its client's robot. */
int armtap_conn_strange_script(struct armtap_conn *conn, const struct armtap_record *record);
/* Bytes that came from the client so far, be they records or not yet. */
uint64_t armtap_conn_client_bytes(const struct armtap_conn *conn);
/* What the layer knows has changed, so that later records may mean something else: digests must keep this packet. */
void armtap_conn_layer_moved(struct armtap_conn *conn);

#endif
