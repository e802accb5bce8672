/* One command at a time: the client waits until the script is ready, writes a code and arguments, waits until the
 * script says that it is done, and writes 0. It does not wait for those that a program gives every cycle. */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

#include "mailbox_command.h"

/* Recipes that show a client to be ur_rtde: another may have one or two like its own. */
static const unsigned proof[] = {[ARMTAP_UR_RTDE_CONTROL] = 4, [ARMTAP_UR_RTDE_IO] = 3};

#define IO_REGISTER 23u     /* where RTDEIOInterface writes its codes */
#define IO_REGISTER_OLD 20u /* up to 1.4.0 */

/* What the script writes into its state register. */
enum { STATE_UNKNOWN = -1, STATE_TAKEN = 0, STATE_READY = 1, STATE_DONE = 2 };

/* Commands that show a client to be ur_rtde whose set-ups were not captured: each waited for and cleared, and at least
 * one with arguments: the packages of another client may be one number that is set and cleared again. Until then some
 * are kept, with room for those that prove it. */
#define LATE_PROOF 3u
#define HELD_MOST 8u

struct ended {
    struct armtap_pending command;
    enum armtap_command_ending ending;
};

/* Of a client whose set-ups were not captured. */
struct late {
    bool is_proven;
    bool has_offset;               /* what the robot sends, or the script, shows the registers */
    bool has_answers;              /* what the robot sends can be read */
    bool has_heard;                /* and was read up to the client's last package, without a hole before it */
    struct armtap_said_queue said; /* by the robot, since that package: the client's next one comes late */
    bool has_arguments;            /* a command that was cleared */
    unsigned proofs, count;        /* count: of held */
    struct ended held[HELD_MOST];  /* before that is proven */
};

struct armtap_mailbox {
    uint64_t connection; /* its own */
    struct late *late;   /* NULL: the set-ups were captured */
    bool is_other;       /* it is no mailbox of ur_rtde */
    unsigned offset;
    uint64_t ids; /* of the recipes that fit, by bit */
    armtap_ur_rtde_set releases[ARMTAP_UR_RTDE_SIDES];
    bool has_begun;               /* it wrote something: no more set-ups are expected */
    bool lacks_bytes;             /* some were missing before */
    bool is_changed;              /* by the last record, so that later ones may mean something else */
    bool was_strange;             /* one of its scripts, and that was said */
    int32_t state;                /* the script's */
    struct armtap_where answered; /* the last package from the robot; all zeros: none */
    struct armtap_pending pending;
};

static struct armtap_mailbox *new_mailbox(void)
{
    struct armtap_mailbox *mailbox = calloc(1, sizeof *mailbox);
    if (!mailbox)
        return NULL;
    mailbox->state = STATE_UNKNOWN;
    for (unsigned i = 0; i < ARMTAP_UR_RTDE_SIDES; i++)
        mailbox->releases[i] = ARMTAP_UR_RTDE_ALL;
    return mailbox;
}

int armtap_mailbox_new_late(struct armtap_mailbox **mailbox, bool is_early)
{
    struct armtap_mailbox *made = new_mailbox();
    if (made && !(made->late = calloc(1, sizeof *made->late))) {
        free(made);
        made = NULL;
    }
    *mailbox = made;
    if (!made)
        return ARMTAP_ERR_MEMORY;
    made->late->has_heard = is_early;
    return ARMTAP_OK;
}

void armtap_mailbox_free(struct armtap_mailbox *mailbox)
{
    if (mailbox)
        free(mailbox->late);
    free(mailbox);
}

size_t armtap_mailbox_bytes(const struct armtap_mailbox *mailbox)
{
    return sizeof *mailbox + (mailbox->late ? sizeof *mailbox->late : 0);
}

bool armtap_mailbox_waits(const struct armtap_mailbox *mailbox)
{
    const struct late *late = mailbox->late;
    return mailbox->pending.is_there || (late && !late->is_proven && late->count > 0);
}

bool armtap_mailbox_is_unused(const struct armtap_mailbox *mailbox)
{
    return mailbox->late && !mailbox->has_begun;
}

bool armtap_mailbox_is_other(const struct armtap_mailbox *mailbox)
{
    return mailbox->is_other;
}

static enum armtap_ur_rtde_side side_of(const struct armtap_mailbox *mailbox)
{
    return mailbox->releases[ARMTAP_UR_RTDE_CONTROL] ? ARMTAP_UR_RTDE_CONTROL : ARMTAP_UR_RTDE_IO;
}

static bool is_proven(const struct armtap_mailbox *mailbox)
{
    unsigned count = 0;
    for (uint64_t ids = mailbox->ids; ids; ids &= ids - 1)
        count++;
    return count >= proof[side_of(mailbox)];
}

/* ---- set-ups ----------------------------------------------------------------------------------------------------- */

/* The offset of a mailbox whose client sets up this recipe; false: it has none. */
static bool offset_in(const struct armtap_recipe *recipe, unsigned *offset)
{
    const struct armtap_recipe_entry *first = armtap_recipe_at(recipe, 0);
    if (!first || !first->field || first->field->id < ARMTAP_ID_input_int_register ||
        first->field->id > (unsigned)ARMTAP_ID_input_int_register_last)
        return false;
    bool is_upper = first->field->id >= ARMTAP_ID_input_int_register + ARMTAP_UR_RTDE_UPPER;
    *offset = is_upper ? ARMTAP_UR_RTDE_UPPER : 0;
    return true;
}

/* Keeps the releases that have this recipe, too; false: there are none. */
static bool keep_fitting(struct armtap_mailbox *mailbox, unsigned recipe_id, const struct armtap_recipe *recipe)
{
    for (unsigned i = 0; i < ARMTAP_UR_RTDE_SIDES; i++)
        mailbox->releases[i] = armtap_ur_rtde_recipe((enum armtap_ur_rtde_side)i, mailbox->releases[i], recipe_id,
                                                     recipe, mailbox->offset);
    mailbox->ids |= UINT64_C(1) << recipe_id;
    return mailbox->releases[0] || mailbox->releases[1];
}

int armtap_mailbox_set_up(struct armtap_mailbox **out, int recipe_id, const struct armtap_recipe *recipe,
                          enum armtap_mailbox_client *client)
{
    struct armtap_mailbox *mailbox = *out;
    unsigned offset;
    bool may_be = offset_in(recipe, &offset) && recipe_id >= 1 && recipe_id <= 63;
    bool was_proven = mailbox && !mailbox->late && is_proven(mailbox);
    if (!mailbox && may_be) {
        mailbox = *out = new_mailbox();
        if (!mailbox)
            return ARMTAP_ERR_MEMORY;
        mailbox->offset = offset;
    }
    may_be = may_be && !mailbox->late; /* else it sets up others than those that it has used */
    may_be = may_be && keep_fitting(mailbox, (unsigned)recipe_id, recipe);
    *client = may_be ? ARMTAP_MAILBOX_FITS : was_proven ? ARMTAP_MAILBOX_UNKNOWN : ARMTAP_MAILBOX_OTHER;
    return ARMTAP_OK;
}

/* A client sets up all that its release has, unless the controller refuses a field. */
static void take_missing_set_ups(struct armtap_mailbox *mailbox, const struct armtap_stream *stream)
{
    enum armtap_ur_rtde_side side = side_of(mailbox);
    armtap_ur_rtde_set complete = armtap_ur_rtde_complete(side, mailbox->releases[side], mailbox->ids);
    if (!mailbox->has_begun && complete && !stream->midstream && !mailbox->lacks_bytes)
        mailbox->releases[side] = complete;
    mailbox->is_changed = mailbox->is_changed || !mailbox->has_begun;
    mailbox->has_begun = true;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

/* The releases that fit, and by what evidence. */
static void read_table(const struct armtap_mailbox *mailbox, const struct armtap_mailbox_script *script,
                       struct armtap_command_table *table)
{
    table->side = side_of(mailbox);
    table->offset = mailbox->offset;
    table->releases = mailbox->releases[table->side];
    const struct armtap_script_binding *own = armtap_mailbox_script_of(script, mailbox->connection);
    bool has_registers = own && !own->is_strange &&
                         (own->offset == ARMTAP_SCRIPT_OFFSET_UNKNOWN || (unsigned)own->offset == mailbox->offset);
    table->is_by_script = has_registers && (table->releases & own->releases) != 0;
    if (table->is_by_script)
        table->releases &= own->releases;
    table->is_by_packages = mailbox->late != NULL;
    table->is_offset_unknown = mailbox->late && !mailbox->late->has_offset;
}

static bool has_arguments(const struct armtap_pending *pending)
{
    return pending->has_integers || pending->has_doubles || pending->field_count > 0;
}

/* A command of a client that is not known to be ur_rtde: keeps it until that is proven. */
static int hold(struct armtap_mailbox *mailbox, struct armtap_conn *conn, const struct armtap_command_table *table,
                const struct armtap_pending *pending, enum armtap_command_ending ending)
{
    struct late *late = mailbox->late;
    bool is_proof = pending->is_acknowledged && pending->waiting == ARMTAP_WAITING_YES && !pending->bytes_missing;
    late->proofs += is_proof;
    late->has_arguments = late->has_arguments || (is_proof && has_arguments(pending));
    late->is_proven = (late->proofs >= LATE_PROOF && late->has_arguments) || table->is_by_script;
    if (late->count == HELD_MOST)
        memmove(late->held, late->held + 1, --late->count * sizeof late->held[0]);
    if (is_proof || late->is_proven || late->count < HELD_MOST - LATE_PROOF)
        late->held[late->count++] = (struct ended){*pending, ending};
    int error = ARMTAP_OK;
    for (unsigned i = 0; i < late->count && late->is_proven && error == ARMTAP_OK; i++)
        error = armtap_command_give(conn, table, &late->held[i].command, late->held[i].ending);
    return error;
}

static int give(struct armtap_mailbox *mailbox, struct armtap_conn *conn, const struct armtap_mailbox_script *script,
                struct armtap_pending *pending, enum armtap_command_ending ending)
{
    struct armtap_command_table table;
    read_table(mailbox, script, &table);
    pending->is_there = false;
    if (mailbox->late && !mailbox->late->is_proven)
        return hold(mailbox, conn, &table, pending, ending);
    return armtap_command_give(conn, &table, pending, ending);
}

/* How a command ended that the client cleared, or replaced by another. */
static enum armtap_command_ending ending_of(const struct armtap_pending *pending, enum armtap_command_ending otherwise)
{
    if (pending->is_done)
        return ARMTAP_COMMAND_DONE;
    if (pending->waiting != ARMTAP_WAITING_YES || pending->wants_stop)
        return ARMTAP_COMMAND_SENT;
    if (pending->bytes_missing || otherwise == ARMTAP_COMMAND_UNFINISHED)
        return ARMTAP_COMMAND_UNFINISHED;
    if (!pending->shows_state)
        return ARMTAP_COMMAND_SENT;
    if (pending->is_overtaken)
        return ARMTAP_COMMAND_UNFINISHED;
    return pending->cause ? ARMTAP_COMMAND_FAILED : otherwise;
}

static int end_cleared(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script)
{
    mailbox->is_changed = true;
    return give(mailbox, conn, script, &mailbox->pending, ending_of(&mailbox->pending, ARMTAP_COMMAND_ABANDONED));
}

/* The client cleared it. What the robot said before may still wait for bytes that the capture lacks: a command that
 * seems not to be done is kept until the robot has said something later. */
static int acknowledge(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script, const struct armtap_where *where)
{
    struct armtap_pending *pending = &mailbox->pending;
    if (pending->is_acknowledged)
        return ARMTAP_OK;
    pending->is_acknowledged = true;
    pending->acknowledged = *where;
    mailbox->is_changed = true;
    return pending->is_done ? end_cleared(mailbox, conn, script) : ARMTAP_OK;
}

static int replace(struct armtap_mailbox *mailbox, struct armtap_conn *conn, const struct armtap_mailbox_script *script)
{
    struct armtap_pending *pending = &mailbox->pending;
    bool is_cleared = pending->is_acknowledged;
    mailbox->is_changed = true;
    bool has_answers = !mailbox->late || mailbox->late->has_answers;
    pending->bytes_missing = pending->bytes_missing || (is_cleared && has_answers); /* of the robot's */
    return give(mailbox, conn, script, pending, ending_of(pending, ARMTAP_COMMAND_REPLACED));
}

static int leave_unfinished(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                            const struct armtap_mailbox_script *script)
{
    struct armtap_pending *pending = &mailbox->pending;
    if (!pending->is_there)
        return ARMTAP_OK;
    return give(mailbox, conn, script, pending, ending_of(pending, ARMTAP_COMMAND_UNFINISHED));
}

/* ---- from the script --------------------------------------------------------------------------------------------- */

/* Whether the script's state says that the pending command is done. */
static bool says_done(const struct armtap_mailbox *mailbox)
{
    const struct armtap_pending *pending = &mailbox->pending;
    bool is_oldest = mailbox->releases[ARMTAP_UR_RTDE_CONTROL] == UINT64_C(1) << ARMTAP_UR_RTDE_0_0_1;
    if (is_oldest)
        return pending->was_taken && mailbox->state == STATE_READY;
    return pending->may_be_done && mailbox->state == STATE_DONE;
}

static void take_done(struct armtap_mailbox *mailbox, const struct armtap_said *said)
{
    struct armtap_pending *pending = &mailbox->pending;
    pending->is_done = true;
    pending->done = said->where;
    pending->cause = NULL;
    pending->results = said->results;
    mailbox->is_changed = true;
}

static void take_state(struct armtap_mailbox *mailbox, const struct armtap_said *said)
{
    struct armtap_pending *pending = &mailbox->pending;
    if (!said->shows_state)
        return;
    bool is_new = said->state != mailbox->state || (pending->is_there && !pending->shows_state);
    mailbox->is_changed = mailbox->is_changed || is_new;
    mailbox->state = said->state;
    pending->shows_state = true;
    pending->may_be_done = pending->may_be_done || said->state != STATE_DONE;
    pending->was_taken = pending->was_taken || said->state == STATE_TAKEN;
    bool is_answer = pending->is_there && !armtap_said_before(&said->where, &pending->issued);
    if (is_answer && !pending->is_done && says_done(mailbox))
        take_done(mailbox, said);
    else if (is_answer && !pending->is_done)
        pending->undone = said->where;
}

/* A stop that is over before the client withdraws the command is no cause. */
static void take_cause(struct armtap_mailbox *mailbox, const struct armtap_said *said)
{
    struct armtap_pending *pending = &mailbox->pending;
    if (!said->shows_stops || !said->cause == !pending->cause)
        return;
    mailbox->is_changed = true;
    if (said->cause && pending->wants_stop)
        take_done(mailbox, said);
    else
        pending->cause = said->cause;
}

static int take_early_result(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                             const struct armtap_mailbox_script *script, const struct armtap_said *said)
{
    mailbox->pending.results = said->results;
    mailbox->is_changed = true;
    return give(mailbox, conn, script, &mailbox->pending, ARMTAP_COMMAND_SENT);
}

static int take_answer(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script, const struct armtap_said *said)
{
    struct armtap_pending *pending = &mailbox->pending;
    bool is_cleared = pending->is_there && pending->is_acknowledged;
    int error = ARMTAP_OK;
    mailbox->answered = said->where;
    take_state(mailbox, said); /* captured late, it may still say that a cleared command is done */
    if (is_cleared && !armtap_said_before(&said->where, &pending->acknowledged))
        error = end_cleared(mailbox, conn, script);
    if (error != ARMTAP_OK || !pending->is_there)
        return error;
    pending->was_paused = pending->was_paused || said->is_paused;
    if (pending->waiting == ARMTAP_WAITING_RESULT)
        return take_early_result(mailbox, conn, script, said);
    if (!pending->is_done)
        take_cause(mailbox, said);
    return pending->is_done && is_cleared ? end_cleared(mailbox, conn, script) : ARMTAP_OK;
}

static int take_record_of_robot(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                                const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    struct armtap_said said;
    armtap_said_read(&said, mailbox->offset, record);
    return take_answer(mailbox, conn, script, &said);
}

/* What the robot said is not known for a while. */
static void keep_hole(struct armtap_mailbox *mailbox, bool is_of_bytes)
{
    mailbox->state = STATE_UNKNOWN;
    mailbox->late->has_heard = false;
    mailbox->pending.is_overtaken = true;
    mailbox->pending.bytes_missing = mailbox->pending.bytes_missing || is_of_bytes;
}

/* The packages of a client whose set-ups were not captured come late: each when its next one proves it. What the robot
 * said meanwhile is heard in the order of the capture: up to that package; NULL: all. */
static int hear_until(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                      const struct armtap_mailbox_script *script, const struct armtap_where *where)
{
    struct late *late = mailbox->late;
    struct armtap_said said;
    int error = ARMTAP_OK;
    while (error == ARMTAP_OK && armtap_said_next(&late->said, where, &said)) {
        if (said.is_after_gap || said.is_after_rest)
            keep_hole(mailbox, said.is_after_gap);
        error = take_answer(mailbox, conn, script, &said);
        late->has_heard = true;
    }
    if (armtap_said_has_gap(&late->said)) /* before that package, or behind it */
        keep_hole(mailbox, true);
    return error;
}

/* ---- from the client --------------------------------------------------------------------------------------------- */

/* The code that a package carries; false: none. */
static bool code_in(const struct armtap_mailbox *mailbox, const struct armtap_record *record, int32_t *code)
{
    static const unsigned registers[ARMTAP_UR_RTDE_SIDES][2] = {
        [ARMTAP_UR_RTDE_CONTROL] = {0, 0}, [ARMTAP_UR_RTDE_IO] = {IO_REGISTER, IO_REGISTER_OLD}};
    for (unsigned i = 0; i < 2; i++) {
        unsigned number = mailbox->offset + registers[side_of(mailbox)][i];
        if (!armtap_set_has(record->updated, ARMTAP_ID_input_int_register + number))
            continue;
        *code = record->state->input_int_register[number];
        return true;
    }
    return false;
}

/* Whether a 0 in that recipe clears the command: in another one it is for the watchdog. */
static bool clears(const struct armtap_mailbox *mailbox, unsigned recipe_id)
{
    return side_of(mailbox) == ARMTAP_UR_RTDE_IO ||
           (armtap_ur_rtde_clearers(recipe_id) & mailbox->releases[ARMTAP_UR_RTDE_CONTROL]) != 0;
}

static int take_command(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                        const struct armtap_mailbox_script *script, const struct armtap_record *record, int32_t code)
{
    struct armtap_command_table table;
    enum armtap_ur_rtde_side side = side_of(mailbox);
    armtap_ur_rtde_set writers = armtap_ur_rtde_writers(side, code, (unsigned)record->recipe_id);
    int error = mailbox->pending.is_there ? replace(mailbox, conn, script) : ARMTAP_OK;
    if (error != ARMTAP_OK)
        return error;
    if ((writers & mailbox->releases[side]) && (mailbox->releases[side] & ~writers)) {
        mailbox->releases[side] &= writers;
        mailbox->is_changed = true;
    }
    read_table(mailbox, script, &table);
    struct armtap_pending *pending = &mailbox->pending;
    armtap_command_begin(pending, &table, record, code);
    pending->may_be_done = mailbox->state != STATE_DONE;
    pending->is_overtaken =
        mailbox->late ? !mailbox->late->has_heard : armtap_said_before(&record->where, &mailbox->answered);
    pending->bytes_missing = pending->is_overtaken && !mailbox->late;
    if (pending->waiting == ARMTAP_WAITING_NO)
        return give(mailbox, conn, script, pending, ARMTAP_COMMAND_SENT);
    mailbox->is_changed = true;
    return ARMTAP_OK;
}

static int take_code(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                     const struct armtap_mailbox_script *script, const struct armtap_record *record, int32_t code)
{
    if (code != 0)
        return take_command(mailbox, conn, script, record, code);
    bool is_cleared = mailbox->pending.is_there && clears(mailbox, (unsigned)record->recipe_id);
    return is_cleared ? acknowledge(mailbox, conn, script, &record->where) : ARMTAP_OK;
}

/* The registers of a client whose set-ups were not captured: the script shows them, or what the robot sends. */
static void find_offset(struct armtap_mailbox *mailbox, const struct armtap_mailbox_script *script,
                        const struct armtap_record *record)
{
    bool is_read = record->direction == ARMTAP_FROM_ROBOT && record->recipe;
    bool has_lower = is_read && armtap_set_has(record->updated, ARMTAP_ID_output_int_register);
    bool has_upper = is_read && armtap_set_has(record->updated, ARMTAP_ID_output_int_register + ARMTAP_UR_RTDE_UPPER);
    const struct armtap_script_binding *own = armtap_mailbox_script_of(script, mailbox->connection);
    bool script_has = own && !own->is_strange && own->offset != ARMTAP_SCRIPT_OFFSET_UNKNOWN;
    if (mailbox->late->has_offset || (has_lower == has_upper && !script_has))
        return;
    mailbox->late->has_offset = true;
    mailbox->offset = has_lower == has_upper ? (unsigned)own->offset : has_upper ? ARMTAP_UR_RTDE_UPPER : 0;
    mailbox->is_changed = true;
}

static int id_of(const struct armtap_record *record)
{
    return record->frame[ARMTAP_PACKAGE_HEAD - 1];
}

/* Of a package whose set-up was not captured: the releases of a set whose recipe of that id has its length, and that
 * write its code with it. */
static armtap_ur_rtde_set fitting_late(armtap_ur_rtde_set set, const struct armtap_record *record, int32_t *code)
{
    size_t bytes;
    if (!armtap_command_code(record, code, &bytes))
        return 0;
    unsigned id = (unsigned)id_of(record);
    set = armtap_ur_rtde_sized(ARMTAP_UR_RTDE_CONTROL, set, id, bytes);
    if (*code == 0) /* it clears with a recipe that has nothing else */
        return bytes == sizeof *code ? set : 0;
    return set & armtap_ur_rtde_writers(ARMTAP_UR_RTDE_CONTROL, *code, id);
}

static int take_late_write(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                           const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    struct armtap_record known = *record;
    armtap_ur_rtde_set *set = &mailbox->releases[ARMTAP_UR_RTDE_CONTROL];
    int32_t code = 0;
    mailbox->is_changed = true;
    int error = hear_until(mailbox, conn, script, &record->where);
    if (error != ARMTAP_OK)
        return error;
    armtap_ur_rtde_set fitting = fitting_late(*set, record, &code);
    if (!fitting) { /* some releases write packages that are too short */
        mailbox->is_other = !mailbox->late->is_proven;
        return ARMTAP_OK;
    }
    known.recipe_id = id_of(record);
    *set = fitting;
    mailbox->has_begun = true;
    return take_code(mailbox, conn, script, &known, code);
}

static int take_write(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                      const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    int32_t code;
    if (!code_in(mailbox, record, &code))
        return ARMTAP_OK;
    take_missing_set_ups(mailbox, record->stream);
    return take_code(mailbox, conn, script, record, code);
}

/* Nobody can read it, or tell where in the capture it is. */
static int take_unread(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    struct armtap_pending *pending = &mailbox->pending;
    mailbox->late->has_heard = mailbox->late->has_heard && mailbox->late->has_answers;
    bool is_later = !mailbox->late->has_answers && pending->is_there && pending->is_acknowledged &&
                    !armtap_said_before(&record->where, &pending->acknowledged);
    return is_later ? end_cleared(mailbox, conn, script) : ARMTAP_OK;
}

/* A record of a client whose set-ups were not captured. */
static int take_late(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                     const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    struct late *late = mailbox->late;
    struct armtap_said said;
    find_offset(mailbox, script, record);
    if (record->direction == ARMTAP_TO_ROBOT)
        return take_late_write(mailbox, conn, script, record);
    if (!record->recipe || !late->has_offset || record->where.packet == 0)
        return take_unread(mailbox, conn, script, record);
    armtap_said_read(&said, mailbox->offset, record);
    said.client_bytes = armtap_conn_client_bytes(conn);
    bool is_new = armtap_said_keep(&late->said, &said);
    mailbox->is_changed = mailbox->is_changed || is_new || !late->has_answers;
    late->has_answers = true;
    return ARMTAP_OK;
}

/* ---- losses and ends --------------------------------------------------------------------------------------------- */

int armtap_mailbox_lost(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                        const struct armtap_mailbox_script *script, enum armtap_direction direction)
{
    struct armtap_pending *pending = &mailbox->pending;
    mailbox->lacks_bytes = true;
    if (mailbox->late && mailbox->late->has_answers && direction == ARMTAP_FROM_ROBOT) {
        mailbox->late->said.has_gap = true;
        return ARMTAP_OK;
    }
    if (mailbox->late) {
        armtap_said_drop(&mailbox->late->said);
        mailbox->late->has_heard = false;
    }
    mailbox->state = STATE_UNKNOWN;
    pending->bytes_missing = true;
    if (direction == ARMTAP_FROM_ROBOT)
        return ARMTAP_OK;
    pending->is_done = pending->is_done && pending->is_acknowledged; /* else it may be the next that was done */
    return leave_unfinished(mailbox, conn, script);
}

int armtap_mailbox_end(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script)
{
    int error = mailbox->late ? hear_until(mailbox, conn, script, NULL) : ARMTAP_OK;
    return error == ARMTAP_OK ? leave_unfinished(mailbox, conn, script) : error;
}

/* ---- all records ------------------------------------------------------------------------------------------------- */

/* A script that is sent while the client's connection is open is its own: clients of other releases may come before and
 * after. */
static int bind_script(struct armtap_mailbox *mailbox, struct armtap_mailbox_script *script,
                       const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    bool is_open = stream->midstream || !armtap_said_before(&script->found_at, &stream->first), is_new = false;
    mailbox->connection = stream->connection;
    if (!script->is_read || !is_open || armtap_said_before(&record->where, &script->found_at))
        return ARMTAP_OK;
    int error = armtap_mailbox_script_bind(script, stream->connection, &is_new);
    mailbox->is_changed = mailbox->is_changed || is_new;
    return error;
}

/* Once it is known that the client is ur_rtde's. */
static int say_strange(struct armtap_mailbox *mailbox, struct armtap_conn *conn,
                       const struct armtap_mailbox_script *script, const struct armtap_record *record)
{
    const struct armtap_script_binding *own = armtap_mailbox_script_of(script, mailbox->connection);
    bool is_known = mailbox->late ? mailbox->late->is_proven : is_proven(mailbox);
    if (!own || !own->is_strange || mailbox->was_strange || !is_known)
        return ARMTAP_OK;
    mailbox->was_strange = true;
    mailbox->is_changed = true;
    return armtap_conn_strange_script(conn, record);
}

int armtap_mailbox_take(struct armtap_mailbox *mailbox, struct armtap_conn *conn, struct armtap_mailbox_script *script,
                        const struct armtap_record *record)
{
    mailbox->is_changed = false;
    int error = bind_script(mailbox, script, record);
    if (error != ARMTAP_OK)
        return error;
    if (mailbox->late)
        error = take_late(mailbox, conn, script, record);
    else if (record->recipe && is_proven(mailbox))
        error = record->direction == ARMTAP_TO_ROBOT ? take_write(mailbox, conn, script, record)
                                                     : take_record_of_robot(mailbox, conn, script, record);
    if (error == ARMTAP_OK)
        error = say_strange(mailbox, conn, script, record);
    if (mailbox->is_changed)
        armtap_conn_layer_moved(conn);
    return error;
}
