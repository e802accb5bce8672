/* Replaces rtde_guess, rtde_doubt, rtde_checks, rtde_judge, rtde_known and lib/evidence in builds without them
 * (configure --enable-decoders without rtde_guess): data whose handshake is missing stays without names, unless its
 * recipe is given, and a recipe is kept when bytes of both directions are missing. */
#include "rtde_session.h"

int armtap_rtde_guess(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    (void)rtde, (void)conn, (void)frame;
    return ARMTAP_OK;
}

int armtap_rtde_assume_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    (void)rtde, (void)conn, (void)frame;
    return ARMTAP_OK;
}

int armtap_rtde_note_not_taken(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    (void)rtde, (void)conn;
    return ARMTAP_OK;
}

/* ---- a recipe that was set up, after a gap ---- */

int armtap_rtde_gap(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *here)
{
    (void)rtde, (void)conn, (void)here;
    return ARMTAP_OK;
}

int armtap_rtde_doubt_data(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    (void)rtde, (void)conn, (void)frame;
    return ARMTAP_OK;
}

/* ---- well-known clients ---- */

const struct armtap_known_recipe *armtap_known_recipe_at(size_t i)
{
    (void)i;
    return NULL;
}
