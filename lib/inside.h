/* Functions of the library that only armtap's own program uses: no header is installed that declares them, and the
 * shared library does not export them. They keep the rules of armtap.h. */
#ifndef ARMTAP_INSIDE_H
#define ARMTAP_INSIDE_H

#include "armtap.h"

/* ---- tables ---- */

/* Number of gnuplot columns in UR's legacy layout of that generation; CB3's and e-Series' unless it is CB2. */
unsigned armtap_layout_columns(enum armtap_generation generation);
/* "CB3", "e-Series" or "PolyScope X", by the major number; NULL for others. */
const char *armtap_release_series(const char *version);
/* The libraries that AUBO's decoder is built with ("wslay 1.1.1, ..."); NULL if it was left out. */
const char *armtap_aubo_libraries(void);
const struct armtap_budget *armtap_budget_at(size_t i);
/* Writes the values of a state in the order of a recipe, for the `values` of a data package; absent fields and names
 * that the table does not know become 0. Returns the number of bytes (armtap_recipe_size), or ERR_SPACE. */
int armtap_encode_values(const struct armtap_recipe *recipe, const struct armtap_state *state, void *buffer,
                         size_t capacity);

/* ---- packets and nets ---- */

/* The addresses of a TCP packet's sender and receiver: "10.0.0.2", "[fd00::2]". False for other packets. */
bool armtap_packet_hosts(const struct armtap_packet *packet, char from[64], char to[64]);
/* Says whether the next packets repeat those of an earlier file, so that this file can be decoded alone; not at first.
 * Only armtap_stream.beginning leaves them out. */
int armtap_net_copies(struct armtap_net *net, bool are_copies);
/* Call before the first packet, if no callback looks at fields that a record did not set: record->state then holds
 * those of `updated`, and other fields may be absent that came before. Takes 4.6 KB less for each connection with
 * records. ERR_BUSY if connections are known already. */
int armtap_net_brief(struct armtap_net *net);
/* Packets of a kind that may carry a robot's, but cannot be read: what they are ("ESP (IPsec)", "WireGuard"), and how
 * many there are. False if there are not so many kinds; at most 16 are counted. */
struct armtap_unread {
    const char *what; /* a constant */
    uint64_t packets;
};
bool armtap_net_unread(const struct armtap_net *net, size_t index, struct armtap_unread *unread);

/* ---- archives: captures in several files, decoded file by file ------------------------------------------------- */

/* The digest of captured packets: those that the decoding of later ones may depend on, and in place of the others what
 * they added up to. A net that is given the digest of the packets before is where those packets would have left it. */
struct armtap_digest;
/* An element of a digest, in order of capture. */
struct armtap_kept {
    bool is_stretch;             /* not a packet: for armtap_net_pass */
    struct armtap_packet packet; /* of a stretch: `where` of its last packet, and bytes without a link type */
};
struct armtap_digest_options {
    size_t size;            /* sizeof(struct armtap_digest_options) */
    size_t limit;           /* bytes of packets that it keeps; 0: 64 MiB */
    unsigned first_records; /* of each kind that it keeps after a set-up or a gap, up to 255; 0: as many as the analysis
                               of rates looks at */
};
/* `options` may be NULL. */
int armtap_digest_new(const struct armtap_digest_options *options, struct armtap_digest **digest);
void armtap_digest_free(struct armtap_digest *digest);
/* False if it had to leave out what belongs into it. Ask once it was completed. */
bool armtap_digest_is_whole(const struct armtap_digest *digest);
/* The i-th element, valid until the digest changes; false beyond the last. */
bool armtap_digest_at(const struct armtap_digest *digest, size_t i, struct armtap_kept *kept);
/* From now on packets are added to this digest; NULL: to none. The one before is completed: read it after this call. A
 * digest must live until then. The net's sink must have the callbacks of those that are given the digest, on_record
 * above all. */
int armtap_net_digest(struct armtap_net *net, struct armtap_digest *digest);
/* Passes over a stretch of a digest. ERR_NOT_OURS if the bytes are none; ERR_NOT_READY if it does not follow what came
 * before, as when a file is missing: then the net has ended. */
int armtap_net_pass(struct armtap_net *net, const struct armtap_where *where, const void *bytes, size_t length);

/* ---- arguments of notes, read back ------------------------------------------------------------------------------- */

/* The id of the argument with that name, and the word of that text; 0: there is none. */
uint16_t armtap_argument_named(const char *name, size_t length);
uint16_t armtap_word_named(const char *text, size_t length);

#endif
