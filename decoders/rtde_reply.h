/* Matches a reply to a set-up with its request: which type belongs to which name, what was refused, what is unreadable.
 */
#ifndef ARMTAP_RTDE_REPLY_H
#define ARMTAP_RTDE_REPLY_H

#include "rtde_session.h"

struct armtap_rtde_reply {
    enum armtap_rtde_type type; /* what was set up */
    struct armtap_item names;   /* of the request; length 0 without it */
    struct armtap_item types;   /* of these names */
    struct armtap_item taken; /* the first bytes of the request's names, read as a frequency; length 0 unless misread */
    struct armtap_item missed; /* whole names among them, missing in `names` */
    size_t name_count, type_count;
    struct armtap_recipe *layout; /* made for another connection whose lists were the same, with nothing to note about
                                     them; NULL: none */
    bool requested;               /* the request was captured, and has a name for each type */
    bool strange;                 /* its types do not match the request */
    bool misread;                 /* the set-up was written for another protocol than the one in force */
    bool cut;        /* and so the controller read its first name with extra bytes or without its beginning */
    bool refused;    /* a name was not found or is in use */
    bool affordable; /* its fields did not go beyond the connection's budget */
    double frequency;
};

/* Parses `request`, NULL if it was not captured, and the reply. Both must outlive the result, whose layout the caller
 * releases. */
struct armtap_rtde_reply armtap_rtde_read_reply(const struct armtap_rtde *rtde, struct armtap_conn *conn,
                                                const struct armtap_rtde_request *request,
                                                const struct armtap_rtde_package *package);
/* The recipe of its lists, held by the caller, if the connection can afford it; else NULL. */
int armtap_rtde_recipe_of(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_rtde_reply *reply,
                          struct armtap_recipe **recipe);
/* Notes what is wrong with a reply, and sets `refused`; holds the refusal of a set-up that the client may yet mend. */
int armtap_rtde_note_reply(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           struct armtap_rtde_reply *reply);
/* Notes the refusal that is held, if any: the client did not mend it. */
int armtap_rtde_note_held(struct armtap_rtde *rtde, struct armtap_conn *conn);
/* Passes a partly refused set-up to the sink. */
int armtap_rtde_tell_refused(struct armtap_conn *conn, const struct armtap_frame *frame,
                             const struct armtap_rtde_reply *reply);
/* Notes unknown fields and types. */
int armtap_rtde_note_strangers(struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_rtde_reply *reply, const struct armtap_recipe *recipe);
/* Its first bytes, in hexadecimal. */
void armtap_rtde_show_bytes(struct armtap_line *line, const struct armtap_frame *frame);
/* Inputs, outputs or properties. */
enum armtap_word armtap_rtde_set_up_of(enum armtap_rtde_type type);
/* The release of a controller that is too old for properties, and the first ones that have them; "" if it is not. */
const char *armtap_rtde_properties_lacking(struct armtap_line *since, struct armtap_conn *conn);
/* Whether every item is the name of a type, or the reason why there is none. */
bool armtap_rtde_are_types(const char *types, size_t length);

/* ---- rtde_properties.c ---- */

int armtap_rtde_read_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                                const struct armtap_rtde_package *package);
int armtap_rtde_unreadable_properties(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                      const struct armtap_frame *frame);
/* The controller answers in order: this reply, of another type, shows which requests for properties have none. */
int armtap_rtde_passed_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, enum armtap_rtde_type type);
/* At a time when the controller still sends: notes requests whose answer should have come. */
int armtap_rtde_overdue_properties(struct armtap_rtde *rtde, struct armtap_conn *conn, int64_t now);
/* Bytes from the robot are missing: they may hold the answers. */
void armtap_rtde_lost_properties(struct armtap_rtde *rtde);

#endif
