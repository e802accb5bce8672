/* Requests that wait for their replies. The controller answers in order, so a reply also shows that the replies to
 * earlier requests were missed; a gap in what it sent may show that, too. A set-up whose reply was missed still
 * replaced the output recipe: the previous one no longer describes the data. Without any of these no reply was sent,
 * and it still does, unless the client went on. */
#include <stdlib.h>
#include <string.h>

#include "protocol/budget.h"
#include "bytes.h"
#include "rtde_session.h"
#include "inside.h"

#define PASSED_MAX INT64_C(50000000)       /* ns that a reply may be captured after the client's next request */
#define UNANSWERED_MAX INT64_C(1000000000) /* ns that a client waits for a reply at most */

void armtap_rtde_free_request(struct armtap_rtde *rtde, struct armtap_rtde_request *request)
{
    if (request)
        armtap_rtde_put(rtde, &request->recipe, NULL);
    free(request);
}

static void forget_first(struct armtap_rtde *rtde)
{
    struct armtap_rtde_request *first = rtde->requests;
    rtde->requests = first->next;
    rtde->request_bytes -= sizeof *first + first->names_length;
    rtde->request_count--;
    if (!rtde->requests)
        rtde->requests_end = &rtde->requests;
    armtap_rtde_free_request(rtde, first);
}

void armtap_rtde_forget_requests(struct armtap_rtde *rtde)
{
    while (rtde->requests)
        forget_first(rtde);
}

/* Commas among the bytes of a frequency: to a controller that reads it as a name they end one. */
static size_t commas_in(double frequency)
{
    uint8_t bytes[8];
    size_t count = 0;
    armtap_put_double(bytes, frequency);
    for (size_t i = 0; i < sizeof bytes; i++)
        count += bytes[i] == ',';
    return count;
}

/* The forgotten set-ups of that type; NULL for other types. */
static struct armtap_rtde_forgotten *forgotten_of(struct armtap_rtde *rtde, enum armtap_rtde_type type)
{
    return type == ARMTAP_RTDE_SETUP_OUTPUTS  ? &rtde->forgotten[ARMTAP_FROM_ROBOT]
           : type == ARMTAP_RTDE_SETUP_INPUTS ? &rtde->forgotten[ARMTAP_TO_ROBOT]
                                              : NULL;
}

/* Counts a forgotten request, so that its reply is not taken for the reply to a later one. */
static void note_forgotten(struct armtap_rtde *rtde, enum armtap_rtde_type type, enum armtap_budget_code code)
{
    struct armtap_rtde_forgotten *forgotten = forgotten_of(rtde, type);
    if (!forgotten)
        return;
    forgotten->limit = armtap_budget_at(code);
    forgotten->owed++;
}

static void forget_waiting(struct armtap_rtde *rtde, enum armtap_budget_code code)
{
    const struct armtap_rtde_request *first = rtde->requests;
    if (!first->answered && !first->missed)
        note_forgotten(rtde, first->type, code);
    forget_first(rtde);
}

/* Whether this reply is to a forgotten request. */
static bool takes_owed(struct armtap_rtde *rtde, enum armtap_rtde_type type)
{
    struct armtap_rtde_forgotten *forgotten = forgotten_of(rtde, type);
    if (!forgotten || forgotten->owed == 0)
        return false;
    forgotten->owed--;
    return true;
}

/* Each data package without a recipe examines all waiting requests: there must be few. */
static int keep_few(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    bool many = rtde->request_count > ARMTAP_LIMIT_asked, large = rtde->request_bytes > ARMTAP_LIMIT_requests;
    while ((rtde->request_count > ARMTAP_LIMIT_asked || rtde->request_bytes > ARMTAP_LIMIT_requests) &&
           rtde->request_count > 1) {
        forget_waiting(rtde, many ? ARMTAP_BUDGET_asked : ARMTAP_BUDGET_requests);
    }
    int error = many ? armtap_conn_limit(conn, frame, ARMTAP_BUDGET_asked) : ARMTAP_OK;
    return error == ARMTAP_OK && large ? armtap_conn_limit(conn, frame, ARMTAP_BUDGET_requests) : error;
}

/* The newest request cannot be kept. Replies come in the order of requests, so the waiting ones go with it: otherwise
 * replies could no longer be matched to requests. */
static void forget_all(struct armtap_rtde *rtde, enum armtap_rtde_type type, enum armtap_budget_code code)
{
    while (rtde->requests)
        forget_waiting(rtde, code);
    note_forgotten(rtde, type, code);
}

int armtap_rtde_remember(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_rtde_package *package)
{
    struct armtap_rtde_forgotten *forgotten = forgotten_of(rtde, package->type);
    if (forgotten && forgotten->unclaimed > 0) {
        forgotten->unclaimed--;
        return ARMTAP_OK;
    }
    bool may;
    int error = armtap_conn_may_keep(conn, frame, package->names_length, &may);
    if (error == ARMTAP_OK && !may)
        forget_all(rtde, package->type, ARMTAP_BUDGET_held);
    if (error != ARMTAP_OK || !may)
        return error;
    struct armtap_rtde_request *request = calloc(1, sizeof *request + package->names_length);
    if (!request)
        return ARMTAP_ERR_MEMORY;
    request->type = package->type;
    request->version = package->version;
    request->protocol = package->protocol;
    request->frequency = package->frequency;
    request->frequency_commas = commas_in(package->frequency);
    request->offset = frame->offset;
    request->where = frame->where;
    request->names_length = package->names_length;
    if (package->names_length > 0)
        memcpy(request->names, package->names, package->names_length);
    rtde->request_bytes += sizeof *request + request->names_length;
    *rtde->requests_end = request;
    rtde->requests_end = &request->next;
    rtde->request_count++;
    return keep_few(rtde, conn, frame);
}

struct armtap_rtde_request *armtap_rtde_waiting(const struct armtap_rtde *rtde, enum armtap_rtde_type type)
{
    struct armtap_rtde_request *first = NULL, *last = NULL;
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next) {
        if (next->type != type || next->answered)
            continue;
        if (!first && !next->missed)
            first = next;
        last = next;
    }
    return first ? first : last;
}

/* Requests before `answered` were answered, too: removes them, but keeps output set-ups that may explain data. */
static void pass_over(struct armtap_rtde *rtde, const struct armtap_rtde_request *answered)
{
    while (rtde->requests != answered &&
           (rtde->requests->type != ARMTAP_RTDE_SETUP_OUTPUTS || answered->type == ARMTAP_RTDE_SETUP_OUTPUTS))
        forget_first(rtde);
    for (struct armtap_rtde_request *next = rtde->requests; next != answered; next = next->next)
        next->missed = true;
}

void armtap_rtde_answered_badly(struct armtap_rtde *rtde, enum armtap_rtde_type type)
{
    struct armtap_rtde_request *found = armtap_rtde_waiting(rtde, type);
    if (takes_owed(rtde, type) || !found)
        return;
    pass_over(rtde, found);
    found->answered = true;
}

struct armtap_rtde_request *armtap_rtde_answered(struct armtap_rtde *rtde, enum armtap_rtde_type type)
{
    struct armtap_rtde_request *found = armtap_rtde_waiting(rtde, type), **place = &rtde->requests;
    if (!found && forgotten_of(rtde, type) && rtde->lost_requests && !rtde->in_step[ARMTAP_TO_ROBOT])
        forgotten_of(rtde, type)->unclaimed++;
    if (takes_owed(rtde, type) || !found)
        return NULL;
    if (forgotten_of(rtde, type))
        forgotten_of(rtde, type)->limit = NULL;
    pass_over(rtde, found);
    while (*place != found)
        place = &(*place)->next;
    *place = found->next;
    if (!found->next)
        rtde->requests_end = place;
    rtde->request_bytes -= sizeof *found + found->names_length;
    rtde->request_count--;
    return found;
}

/* ---- missed replies ---- */

void armtap_rtde_went_on(struct armtap_rtde *rtde)
{
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next)
        next->passed = true;
}

void armtap_rtde_missed_replies(struct armtap_rtde *rtde)
{
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next)
        next->missed = true;
}

bool armtap_rtde_is_overdue(const struct armtap_rtde_request *request, int64_t now)
{
    int64_t time = request->where.time;
    int64_t limit = request->passed ? PASSED_MAX : UNANSWERED_MAX;
    return now > time && (uint64_t)now - (uint64_t)time > (uint64_t)limit;
}

int armtap_rtde_doubt_outputs(struct armtap_rtde *rtde, struct armtap_conn *conn, int64_t now)
{
    struct armtap_guess *guess;
    bool replaced = false;
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next) {
        if (next->type != ARMTAP_RTDE_SETUP_OUTPUTS || next->answered || next->in_force)
            continue;
        next->missed |= next->passed && armtap_rtde_is_overdue(next, now);
        next->in_force = next->missed || !rtde->outputs;
        replaced |= next->in_force;
    }
    if (!replaced || (!rtde->outputs && !rtde->outputs_refused))
        return ARMTAP_OK;
    armtap_rtde_take_outputs(rtde, NULL);
    rtde->outputs_refused = false;
    int error = armtap_conn_guess(conn, &guess); /* only the names that were asked for may explain the data */
    if (error == ARMTAP_OK)
        guess->ruled_out = true;
    return error;
}
