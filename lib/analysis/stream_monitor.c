#include "stream_monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_connection.h"

/* A sender that repeats itself so often has had no answer. */
#define RESENT_IN_VAIN 3
/* The second of two keep-alives shows that the first was not answered. */
#define ASKED_IN_VAIN 2

struct monitors {
    struct findings *findings;
    struct modes *modes;
    int64_t reach;
    struct armtap_rates_shared *shared;
    bool is_cut;    /* and that was said */
    size_t moments; /* of all streams */
    bool failed;    /* without memory, of a stream that has ended */
    struct stalls stalls;
    struct by_connection all; /* struct stream_monitor */
};

struct monitors *armtap_monitors_new(struct findings *findings, struct modes *modes, int64_t reach)
{
    struct monitors *watches = calloc(1, sizeof *watches);
    if (!watches)
        return NULL;
    watches->findings = findings;
    watches->modes = modes;
    watches->reach = reach;
    watches->shared = armtap_rates_shared_new(0);
    if (watches->shared)
        return watches;
    free(watches);
    return NULL;
}

static void free_live(struct stream_monitor *watch)
{
    armtap_rates_free(watch->rates);
    if (watch->clocks)
        armtap_clock_drift_clear(watch->clocks);
    if (watch->holes)
        armtap_missing_records_clear(watch->holes);
    free(watch->clocks);
    free(watch->holes);
}

/* The rows before a stop that did not come. */
static void forget_moments(struct stream_monitor *watch)
{
    for (size_t i = 0; i < ARMTAP_ARMS_MAX; i++) {
        if (!watch->moments[i] || watch->moments[i]->count > 0)
            continue;
        free(watch->moments[i]);
        watch->moments[i] = NULL;
    }
}

/* What a stream needs while it goes on is much; what is told of it afterwards is little. */
static void end_watch(struct monitors *watches, struct stream_monitor *watch)
{
    if (!watch->rates)
        return;
    armtap_missing_records_end(watch->holes, watches->findings);
    armtap_rates_totals(watch->rates, &watch->stream_rates_totals);
    armtap_clock_drift_totals(watch->clocks, &watch->clock_drift_totals);
    watch->clock_drift_totals.has_drift = watch->clock_drift_totals.has_drift && !watch->was_full;
    watches->failed =
        watches->failed || armtap_rates_failed(watch->rates) || watch->clocks->failed || watch->holes->failed;
    free_live(watch);
    forget_moments(watch);
    watch->rates = NULL;
    watch->clocks = NULL;
    watch->holes = NULL;
}

static void watch_free(struct stream_monitor *watch)
{
    free_live(watch);
    for (size_t i = 0; i < ARMTAP_ARMS_MAX; i++) {
        if (watch->moments[i])
            armtap_stop_window_free(watch->moments[i]);
        free(watch->moments[i]);
    }
    free(watch);
}

void armtap_monitors_free(struct monitors *watches)
{
    if (!watches)
        return;
    for (size_t i = 0; i < watches->all.count; i++)
        watch_free(watches->all.slots[i].thing);
    armtap_stalls_free(&watches->stalls);
    armtap_rates_shared_free(watches->shared);
    free(watches->all.slots);
    free(watches);
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

const struct stream_monitor *armtap_monitors_of(const struct monitors *watches, uint64_t connection)
{
    return by_connection_look_up(&watches->all, connection);
}

static struct stream_monitor *watch_new(struct monitors *watches, uint64_t connection)
{
    struct stream_monitor *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->connection = connection;
    watch->rates = armtap_rates_new(watches->shared, NULL);
    watch->clocks = calloc(1, sizeof *watch->clocks);
    watch->holes = calloc(1, sizeof *watch->holes);
    if (watch->rates && watch->clocks && watch->holes)
        return watch;
    watch_free(watch);
    return NULL;
}

/* The watch of a connection, made if there is none; NULL without memory. */
static struct stream_monitor *see(struct monitors *watches, const struct armtap_stream *stream)
{
    struct stream_monitor *watch = by_connection_find(&watches->all, stream->connection);
    if (watch)
        return watch;
    watch = by_connection_make_room(&watches->all) ? watch_new(watches, stream->connection) : NULL;
    if (!watch)
        return NULL;
    watch->was_full = armtap_stalls_of_client(&watches->stalls, stream->connection);
    by_connection_add(&watches->all, stream->connection, watch);
    return watch;
}

/* ---- feeding --------------------------------------------------------------------------------------------------- */

/* A stop whose surroundings are kept, if there is room for one more. */
static bool shows_stop(struct monitors *watches, const struct stop_windows *moments, bool stop_begins)
{
    bool shows = stop_begins && moments->count < MOMENTS_EACH && watches->moments < MOMENTS_ALL;
    watches->moments += shows;
    return shows;
}

static int watch_moments(struct monitors *watches, struct stream_monitor *watch, const struct armtap_record *record,
                         const struct armtap_arm *arm, bool stop_begins)
{
    struct stop_windows **moments = &watch->moments[arm->number - 1];
    if (!*moments && !(*moments = calloc(1, sizeof **moments)))
        return -1;
    return armtap_stop_window_record(*moments, record, arm, shows_stop(watches, *moments, stop_begins), watches->reach);
}

static int watch_arms(struct monitors *watches, struct stream_monitor *watch, const struct armtap_record *record)
{
    for (size_t i = 0; i < record->arm_count && record->recipe; i++) {
        const struct armtap_arm *arm = &record->arms[i];
        bool stop_begins = armtap_modes_record(watches->modes, watch->modes, watches->findings, record, i);
        if (watches->modes->failed || armtap_findings_failed(watches->findings))
            return -1;
        if (watches->reach > 0 && watch_moments(watches, watch, record, arm, stop_begins) != 0)
            return -1;
    }
    return 0;
}

int armtap_monitors_record(struct monitors *watches, const struct armtap_record *record)
{
    struct stream_monitor *watch = see(watches, record->stream);
    if (!watch)
        return -1;
    if (!watch->rates)
        return 0;
    if (record->direction == ARMTAP_FROM_ROBOT)
        watch->resent = 0;
    armtap_missing_records_record(watch->holes, watches->findings, record);
    armtap_rates_take_record(watch->rates, watches->findings, record);
    armtap_clock_drift_record(watch->clocks, record);
    if (armtap_rates_failed(watch->rates) || watch->clocks->failed)
        return -1;
    if (watches->shared->is_cut && !watches->is_cut) {
        watches->is_cut = true;
        armtap_findings_say(watches->findings, "input.hostile", record->stream, &record->where, "%s",
                            armtap_budget_find("channels")->text);
    }
    return record->direction == ARMTAP_FROM_ROBOT ? watch_arms(watches, watch, record) : 0;
}

int armtap_monitors_message(struct monitors *watches, const struct armtap_message *message)
{
    if (message->stream->protocol != ARMTAP_RTDE || message->stream->records[ARMTAP_FROM_ROBOT] > 0)
        return 0;
    struct stream_monitor *watch = see(watches, message->stream);
    if (!watch)
        return -1;
    armtap_unanswered_message(&watch->dialogue, message);
    return 0;
}

int armtap_monitors_note(struct monitors *watches, const struct armtap_note *note)
{
    const struct stream_monitor *watch = note->stream ? armtap_monitors_of(watches, note->stream->connection) : NULL;
    if (watch && watch->rates)
        armtap_rates_take_note(watch->rates, watches->findings, note);
    bool has_failed = watch && watch->holes && watch->holes->failed;
    return has_failed || armtap_findings_failed(watches->findings) ? -1 : 0;
}

bool armtap_monitors_keep(struct monitors *watches, const struct armtap_note *note)
{
    const struct stream_monitor *watch = note->stream ? armtap_monitors_of(watches, note->stream->connection) : NULL;
    return watch && watch->holes && armtap_missing_records_note(watch->holes, note);
}

int armtap_monitors_recipe(struct monitors *watches, const struct armtap_recipe_event *event)
{
    struct stream_monitor *watch = see(watches, event->stream);
    if (!watch)
        return -1;
    if (watch->rates)
        armtap_rates_take_recipe(watch->rates, watches->findings, event);
    return armtap_findings_failed(watches->findings) || (watch->rates && armtap_rates_failed(watch->rates)) ? -1 : 0;
}

static const char *sender_of(const struct armtap_event *event)
{
    return event->direction == ARMTAP_FROM_ROBOT ? "the robot" : "the client";
}

/* Who closes first is told; the other side's answer, and a reset that only ends what was being closed (a program that
 * quits while data still comes), are part of that. */
static void tell_close(struct monitors *watches, struct stream_monitor *watch, const struct armtap_event *event)
{
    const struct armtap_stream *stream = event->stream;
    if (event->a == ARMTAP_CLOSE_FIN && !watch->closing)
        armtap_findings_say(watches->findings, "tcp.closed", stream, &event->where, "%s closed the connection",
                            sender_of(event));
    if (event->a == ARMTAP_CLOSE_RESET && !watch->closing)
        armtap_findings_say(watches->findings, "tcp.reset", stream, &event->where, "%s reset the connection",
                            sender_of(event));
}

/* Whether one side asked in vain, and heard nothing more until the connection's end, but that. */
static bool asked_in_vain(const struct stream_monitor *watch, const struct armtap_event *event,
                          enum armtap_direction by)
{
    const struct asking *asking = &watch->asking[by];
    uint64_t heard = event->stream->packets[!by];
    bool is_closer = event->direction != by && (event->a == ARMTAP_CLOSE_FIN || event->a == ARMTAP_CLOSE_RESET);
    return asking->count >= ASKED_IN_VAIN && (heard == asking->heard || (is_closer && heard == asking->heard + 1));
}

/* What TCP shows of why data stopped, for the silence before a close. */
static void blame(struct stream_monitor *watch, const struct armtap_event *event)
{
    char why[160] = "";
    if (watch->stuck.packet > 0)
        snprintf(why, sizeof why, "the client did not read, its receive buffer was full from packet %" PRIu64 " on",
                 watch->stuck.packet);
    else if (watch->resent >= RESENT_IN_VAIN)
        snprintf(why, sizeof why,
                 "the robot sent its last data %" PRIu64 " times again, and nobody acknowledged it: the client, or the "
                 "way to it, was gone",
                 watch->resent);
    else if (asked_in_vain(watch, event, ARMTAP_TO_ROBOT))
        snprintf(why, sizeof why,
                 "%" PRIu64 " keep-alives of the client got no answer: the robot, or the way to it, was gone",
                 watch->asking[ARMTAP_TO_ROBOT].count);
    else if (asked_in_vain(watch, event, ARMTAP_FROM_ROBOT))
        snprintf(why, sizeof why,
                 "%" PRIu64 " keep-alives of the robot got no answer: the client, or the way to it, was gone",
                 watch->asking[ARMTAP_FROM_ROBOT].count);
    armtap_rates_blame(watch->rates, why);
}

static void take_close(struct monitors *watches, struct stream_monitor *watch, const struct armtap_event *event)
{
    tell_close(watches, watch, event);
    if (watch->rates && !watch->closing) {
        blame(watch, event);
        armtap_rates_take_event(watch->rates, watches->findings, event);
    }
    watch->closing = true;
    watch->closed[event->direction] = true;
    if (event->a != ARMTAP_CLOSE_FIN || watch->closed[!event->direction])
        end_watch(watches, watch);
}

/* What the network did to a packet, and how sure that is. */
static const struct transport {
    enum armtap_event_type type;
    const char *id;
    const char *verb, *verbs; /* of 1 byte, and of several */
    const char *doubt;        /* where the packets do not prove it */
} transports[] = {
    {ARMTAP_EVENT_RETRANSMISSION, "tcp.retransmission", "was sent again", "were sent again",
     ", judged by the delay alone: the packets do not tell it from reordering or a copy"},
    {ARMTAP_EVENT_DUPLICATE, "capture.duplicate", "was captured twice", "were captured twice",
     ", judged by the delay alone: the packets do not tell a copy from a retransmission"},
    {ARMTAP_EVENT_OUT_OF_ORDER, "tcp.out-of-order", "arrived after later ones", "arrived after later ones",
     ", judged by the delay alone: the packets do not tell reordering from a retransmission"},
};

/* Told of connections whose protocol is not known yet, too. */
static void tell_transport(struct monitors *watches, const struct armtap_event *event)
{
    const char *from = armtap_direction_name(event->direction);
    const char *bytes = event->a == 1 ? "byte" : "bytes";
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
        const struct transport *transport = &transports[i];
        if (event->type != transport->type)
            continue;
        const char *verb = event->a == 1 ? transport->verb : transport->verbs;
        if (event->doubtful)
            armtap_findings_doubt(watches->findings, transport->id, event->stream, &event->where,
                                  "%" PRIu64 " %s %s %s%s", event->a, bytes, from, verb, transport->doubt);
        else
            armtap_findings_say(watches->findings, transport->id, event->stream, &event->where, "%" PRIu64 " %s %s %s",
                                event->a, bytes, from, verb);
    }
}

int armtap_monitors_event(struct monitors *watches, const struct armtap_event *event)
{
    struct armtap_where stuck = armtap_stalls_begin_of_client(&watches->stalls, event->stream->connection);
    tell_transport(watches, event);
    if (armtap_stalls_event(&watches->stalls, watches->findings, event) != 0)
        return -1;
    if (event->stream->protocol != ARMTAP_PROTOCOL_NONE) {
        struct stream_monitor *watch = see(watches, event->stream);
        if (!watch)
            return -1;
        watch->was_full = watch->was_full || armtap_stalls_of_client(&watches->stalls, watch->connection);
        watch->stuck = stuck;
        armtap_unanswered_event(&watch->dialogue, event);
        watch->resent += event->type == ARMTAP_EVENT_RETRANSMISSION && event->direction == ARMTAP_FROM_ROBOT;
        if (event->type == ARMTAP_EVENT_KEEP_ALIVE)
            watch->asking[event->direction] = (struct asking){event->a, event->stream->packets[!event->direction]};
        if (event->type == ARMTAP_EVENT_CLOSE) {
            take_close(watches, watch, event);
        } else {
            if (watch->rates) {
                armtap_missing_records_event(watch->holes, event);
                armtap_rates_take_event(watch->rates, watches->findings, event);
            }
        }
    } else if (event->type == ARMTAP_EVENT_CLOSE) {
        armtap_stalls_forget(&watches->stalls, event->stream->connection);
        armtap_findings_forget(watches->findings, event->stream->connection);
    }
    return watches->failed || armtap_findings_failed(watches->findings) ? -1 : 0;
}

void armtap_monitors_forget(struct monitors *watches, uint64_t connection)
{
    struct stream_monitor *watch = by_connection_remove(&watches->all, connection);
    if (watch)
        watch_free(watch);
    armtap_stalls_forget(&watches->stalls, connection);
    armtap_findings_add_up(watches->findings, connection);
}

int armtap_monitors_end(struct monitors *watches)
{
    for (size_t i = 0; i < watches->all.count; i++)
        end_watch(watches, watches->all.slots[i].thing);
    return watches->failed ? -1 : 0;
}
