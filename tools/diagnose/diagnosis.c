#include "diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/file_reader.h"
#include "base/timestamp.h"

static void hear(void *user, const struct armtap_note_kind *kind, const struct armtap_stream *stream,
                 const struct armtap_where *where, const char *text)
{
    const struct diagnosis *diagnosis = user;
    live_finding(diagnosis->live, kind, stream, where, text);
}

int diagnosis_begin(struct diagnosis *diagnosis)
{
    /* The arm's rows are shown around safety stops alone. */
    bool stops = diagnosis->around != NULL && strcmp(diagnosis->around->id, "safety.stop") == 0;
    diagnosis_free(diagnosis);
    diagnosis->streams = streams_new();
    diagnosis->findings = findings_new();
    if (diagnosis->findings != NULL && diagnosis->live != NULL)
        findings_listen(diagnosis->findings, hear, diagnosis);
    if (diagnosis->findings != NULL)
        diagnosis->watches = monitors_new(diagnosis->findings, &diagnosis->modes, stops ? diagnosis->reach : 0);
    return diagnosis->streams == NULL || diagnosis->watches == NULL ? -1 : 0;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
    streams_free(diagnosis->streams);
    monitors_free(diagnosis->watches);
    findings_free(diagnosis->findings);
    modes_free(&diagnosis->modes);
    free(diagnosis->near);
    diagnosis->streams = NULL;
    diagnosis->watches = NULL;
    diagnosis->findings = NULL;
    diagnosis->near = NULL;
    diagnosis->near_count = 0;
    diagnosis->offers.count = 0;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int on_record(void *user, const struct armtap_record *record)
{
    struct diagnosis *diagnosis = user;
    if (streams_record(diagnosis->streams, record) != 0)
        return -1;
    if (diagnosis->live != NULL)
        live_record(diagnosis->live, record);
    return monitors_record(diagnosis->watches, record);
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct diagnosis *diagnosis = user;
    if (streams_recipe(diagnosis->streams, event) != 0)
        return -1;
    return monitors_recipe(diagnosis->watches, event);
}

/* Of a client that tries again and again the first time is told. */
static void follow_attempts(struct diagnosis *diagnosis, const struct armtap_event *event)
{
    char text[ATTEMPT_TEXT_MAX];
    const struct attempts *attempts = streams_attempts(diagnosis->streams);
    const struct attempt_summary *news = attempts_news(attempts);
    live_event(diagnosis->live, event);
    if (news == NULL)
        return;
    attempt_text(text, attempts, news, diagnosis->zone);
    live_finding(diagnosis->live, armtap_note_find(attempt_id(news->outcome)), NULL, &event->where, text);
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct diagnosis *diagnosis = user;
    struct findings *findings = diagnosis->findings;
    if (streams_note(diagnosis->streams, note) != 0)
        return -1;
    /* What carries no telemetry has no number: its ends are told instead. */
    if (note->stream != NULL && strcmp(note->kind->id, "stream.foreign") == 0)
        findings_say(findings, note->kind->id, NULL, &note->where, "%s and %s: %s", note->stream->robot,
                     note->stream->client, note->text == NULL ? "" : note->text);
    else if (!monitors_keep(diagnosis->watches, note))
        findings_add(findings, note->kind, note->stream, &note->where, note->text);
    return findings_failed(findings) ? -1 : monitors_note(diagnosis->watches, note);
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct diagnosis *diagnosis = user;
    if (streams_event(diagnosis->streams, event) != 0)
        return -1;
    if (diagnosis->live != NULL)
        follow_attempts(diagnosis, event);
    if (monitors_event(diagnosis->watches, event) != 0)
        return -1;
    struct armtap_note note;
    if (streams_let_go(diagnosis->streams))
        monitors_forget(diagnosis->watches, event->stream->connection);
    return streams_due_note(diagnosis->streams, event, &note) ? on_note(user, &note) : 0;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    struct diagnosis *diagnosis = user;
    remedy_offer(&diagnosis->offers, setup);
    return 0;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct diagnosis *diagnosis = user;
    return monitors_message(diagnosis->watches, message);
}

static int begin_again(void *user)
{
    return diagnosis_begin(user);
}

enum exit_status diagnosis_read(struct diagnosis *diagnosis)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_refused = on_refused,
                                     .on_message = on_message};
    enum exit_status status = replay_learning(diagnosis->source, &sink, diagnosis, begin_again, &diagnosis->totals);
    diagnosis->is_whole = status == EXIT_DONE;
    return status;
}

/* The findings that --around names, in the order of time as all are. */
static int collect_near(struct diagnosis *diagnosis)
{
    size_t count = findings_count(diagnosis->findings);
    diagnosis->near = calloc(count + 1, sizeof(*diagnosis->near));
    if (diagnosis->near == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (findings_at(diagnosis->findings, i)->kind == diagnosis->around)
            diagnosis->near[diagnosis->near_count++] = findings_at(diagnosis->findings, i);
    return 0;
}

/* Of a robot's port and a client there is one, however often the client tried. */
static void find_attempts(struct diagnosis *diagnosis)
{
    char text[ATTEMPT_TEXT_MAX];
    const struct attempts *attempts = streams_attempts(diagnosis->streams);
    const struct attempt_summary *summary = NULL;
    for (size_t i = 0; (summary = attempts_at(attempts, i)) != NULL; i++) {
        attempt_text(text, attempts, summary, diagnosis->zone);
        findings_say(diagnosis->findings, attempt_id(summary->outcome), NULL, &summary->first, "%s", text);
    }
    for (int i = 0; i < ATTEMPT_OUTCOMES; i++) {
        enum attempt_outcome outcome = (enum attempt_outcome)i;
        uint64_t more = attempts_left_out(attempts, outcome);
        const struct armtap_where nowhere = {.time = ARMTAP_NO_TIME};
        if (more > 0)
            findings_say(diagnosis->findings, attempt_id(outcome), NULL, &nowhere,
                         "%" PRIu64 " more attempts, of other clients or at other robots", more);
    }
}

int diagnosis_settle(struct diagnosis *diagnosis)
{
    streams_number(diagnosis->streams);
    findings_listen(diagnosis->findings, NULL, NULL);
    bool has_ended = monitors_end(diagnosis->watches) == 0;
    find_attempts(diagnosis);
    if (!has_ended || findings_failed(diagnosis->findings) || diagnosis->modes.failed ||
        findings_settle(diagnosis->findings, diagnosis->streams) != 0)
        return -1;
    return collect_near(diagnosis);
}

bool diagnosis_found_fault(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < findings_count(diagnosis->findings); i++)
        if (findings_at(diagnosis->findings, i)->kind->severity >= ARMTAP_WARNING)
            return true;
    return false;
}

bool diagnosis_has_content(const struct diagnosis *diagnosis)
{
    return streams_count(diagnosis->streams) > 0 || attempts_at(streams_attempts(diagnosis->streams), 0) != NULL;
}

bool diagnosis_has_subject(const struct diagnosis *diagnosis)
{
    return streams_count(diagnosis->streams) > 0 || attempts_have_fault(streams_attempts(diagnosis->streams));
}

/* ---- what is shown --------------------------------------------------------------------------------------------- */

const char *diagnosis_file(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    if (diagnosis->source->interface != NULL)
        return diagnosis->source->interface;
    return where->file < diagnosis->source->count ? reader_name(diagnosis->source->names[where->file]) : NULL;
}

/* Without times only the very place is near. */
static bool is_there(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    for (size_t i = 0; i < diagnosis->near_count; i++) {
        const struct armtap_where *near = &diagnosis->near[i]->where;
        if (near->time == where->time && near->file == where->file && near->packet == where->packet)
            return true;
    }
    return false;
}

bool diagnosis_shows(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    size_t low = 0, high = diagnosis->near_count;
    if (diagnosis->around == NULL)
        return true;
    if (where->time == ARMTAP_NO_TIME)
        return is_there(diagnosis, where);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t near = diagnosis->near[middle]->where.time;
        if (near != ARMTAP_NO_TIME && near >= timestamp_shift(where->time, -diagnosis->reach))
            high = middle;
        else
            low = middle + 1;
    }
    return low < diagnosis->near_count &&
           diagnosis->near[low]->where.time <= timestamp_shift(where->time, diagnosis->reach);
}
