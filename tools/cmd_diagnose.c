/* armtap diagnose: what went wrong, when, in which packet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "diagnosis.h"
#include "message.h"
#include "options.h"
#include "reader.h"
#include "when.h"

#define AROUND_DEFAULT INT64_C(1000000000)

enum { OPTION_JSON = 1, OPTION_LIST, OPTION_AROUND };

static const struct option_row rows[] = {
    {OPTION_AROUND, 0, "around", "ID[=SECONDS]",
     "only what lies near findings of this id, by default within 1 second; around safety.stop with the arm's positions, "
     "currents and forces"},
    {OPTION_JSON, 0, "json", NULL, "one JSON object instead of tables"},
    {OPTION_LIST, 0, "list", NULL, "print every id with its severity, meaning and remedy"},
};

static const struct option_usage usage = {
    .command = "diagnose",
    .arguments = "[CAPTURE...]",
    .summary = "Shows what went wrong, when, and in which packet: what the controller refused or left out, what the "
               "network lost or repaired, what the capture lacks, who closed, safety stops; then rates, jitter and "
               "clocks of the streams, then their modes. Exit status 1 where a warning or an error was found.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .reads_captures = true,
    .without_captures = OPTION_LIST,
    .examples = "  armtap diagnose robot.pcapng\n  armtap diagnose --around safety.stop=2 robot.pcapng\n"
                "  armtap diagnose --json robot.pcapng | jq .findings\n"};

struct command {
    bool json, list;
    struct options options;
    struct armtap_knowledge *knowledge;
    struct diagnosis diagnosis;
    const struct finding **near; /* those that --around names */
    size_t near_count;
    int status; /* enum exit_status */
};

/* ---- options --------------------------------------------------------------------------------------------------- */

static int unknown_id(const char *id)
{
    const char *names[256];
    size_t count = 0;
    while (count < armtap_note_count() && count < sizeof names / sizeof *names) {
        names[count] = armtap_note_at(count)->id;
        count++;
    }
    const char *nearest = options_nearest(id, names, count);
    message_error("diagnose: --around: no finding has the id %s%s%s; armtap diagnose --list prints them all", id,
                  nearest == NULL ? "" : ", did you mean ", nearest == NULL ? "" : nearest);
    return -1;
}

static int take_around(struct diagnosis *diagnosis, const char *value)
{
    char id[64], seconds[64];
    size_t length = strcspn(value, "=");
    struct when reach = {.ns = AROUND_DEFAULT};
    snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), value);
    diagnosis->around = findings_kind(id);
    if (diagnosis->around == NULL)
        return unknown_id(id);
    if (value[length] == '=') {
        snprintf(seconds, sizeof seconds, "+%s", value + length + 1);
        if (when_parse(seconds, &reach) != 0) {
            message_error("diagnose: --around %s: not a number of seconds: %s", id, value + length + 1);
            return -1;
        }
    }
    diagnosis->reach = reach.ns;
    return 0;
}

static int take(void *user, int id, const char *value)
{
    struct command *command = user;
    if (id == OPTION_AROUND)
        return take_around(&command->diagnosis, value);
    if (id == OPTION_JSON)
        command->json = true;
    else
        command->list = true;
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int on_record(void *user, const struct armtap_record *record)
{
    struct diagnosis *diagnosis = user;
    if (streams_record(diagnosis->streams, record) != 0)
        return -1;
    return watches_record(diagnosis->watches, record);
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct diagnosis *diagnosis = user;
    if (streams_recipe(diagnosis->streams, event) != 0)
        return -1;
    return watches_recipe(diagnosis->watches, event);
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct diagnosis *diagnosis = user;
    if (streams_event(diagnosis->streams, event) != 0)
        return -1;
    return watches_event(diagnosis->watches, event);
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
    else
        findings_add(findings, note->kind, note->stream, &note->where, note->text);
    return findings_failed(findings) ? -1 : 0;
}

/* ---- what is shown --------------------------------------------------------------------------------------------- */

const char *diagnosis_file(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    if (diagnosis->source->interface != NULL)
        return diagnosis->source->interface;
    return where->file < diagnosis->source->count ? reader_name(diagnosis->source->names[where->file]) : NULL;
}

bool diagnosis_shows(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    if (diagnosis->around == NULL)
        return true;
    for (size_t i = 0; i < findings_count(diagnosis->findings); i++) {
        const struct finding *finding = findings_at(diagnosis->findings, i);
        if (finding->kind != diagnosis->around)
            continue;
        if (where->time == ARMTAP_NO_TIME || finding->where.time == ARMTAP_NO_TIME) {
            if (where->file == finding->where.file && where->packet == finding->where.packet)
                return true;
        } else if (where->time >= finding->where.time - diagnosis->reach &&
                   where->time - diagnosis->reach <= finding->where.time) {
            return true;
        }
    }
    return false;
}
