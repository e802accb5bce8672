/* armtap info --json */
#include "info.h"

#include <stdio.h>
#include <string.h>

#include "command_line/shared_text.h"
#include "base/text/json_writer.h"
#include "input/sidecars/sidecar.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

#define RATE_DIGITS 6

/* The notes of a stream, or of the whole capture if `summary` is NULL. */
static void notes_json(struct json *json, const struct info *info, const struct armtap_stream_summary *summary)
{
    json_member_object(json, "notes", false);
    for (size_t i = 0; i < armtap_note_count(); i++) {
        uint64_t count = info_notes_of(info->part, info->streams, summary, i);
        if (count > 0)
            json_member_unsigned(json, armtap_note_at(i)->id, count);
    }
    json_close(json);
}

static const char *generation_name(enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? "cb2" : generation == ARMTAP_GENERATION_CB3E ? "cb3e" : NULL;
}

static void names_json(struct json *json, const struct armtap_recipe *recipe)
{
    size_t count = recipe ? armtap_recipe_count(recipe) : 0;
    for (size_t i = 0; i < count; i++)
        json_text(json, armtap_recipe_at(recipe, i)->name);
}

/* Channels share a table, so the stream's fields are those of all its channels. */
static void fields_json(struct json *json, const struct armtap_stream_summary *summary)
{
    json_member_array(json, "fields", false);
    for (size_t i = 0; i < summary->channel_count; i++)
        if (summary->channels[i].direction == ARMTAP_FROM_ROBOT)
            names_json(json, summary->channels[i].recipe);
    if (summary->channel_count == 0)
        names_json(json, summary->recipe);
    json_close(json);
}

static void reasons_json(struct json *json, const struct armtap_stream_guess *guess)
{
    json_member_array(json, "reasons", false);
    for (const char *at = guess->reasons, *end; *at != '\0'; at = *end == '\0' ? end : end + 2) {
        char reason[480];
        end = strstr(at, "; ");
        end = end ? end : at + strlen(at);
        snprintf(reason, sizeof reason, "%.*s", (int)(end - at), at);
        json_text(json, reason);
    }
    json_close(json);
}

static void guess_json(struct json *json, const struct armtap_stream_summary *summary)
{
    json_key(json, "guess");
    if (!summary->guess) {
        json_null(json);
        return;
    }
    json_object(json, false);
    json_member_text_or_null(json, "source", summary->guess->source);
    json_member_unsigned(json, "score", summary->guess->score);
    json_member_unsigned(json, "needed", summary->guess->needed);
    reasons_json(json, summary->guess);
    json_member_array(json, "by_position", false);
    for (size_t i = 0; i < armtap_recipe_count(summary->recipe); i++)
        if (armtap_streams_is_by_position(summary, armtap_recipe_at(summary->recipe, i)))
            json_text(json, armtap_recipe_at(summary->recipe, i)->name);
    json_close(json);
    json_close(json);
}

static void known_fields_json(struct json *json, const char *fields)
{
    json_member_array(json, "fields", false);
    for (const char *end; *fields != '\0'; fields = end + strspn(end, ",")) {
        char name[80];
        end = fields + strcspn(fields, ",");
        snprintf(name, sizeof name, "%.*s", (int)(end - fields), fields);
        json_text(json, name);
    }
    json_close(json);
}

static void candidates_json(struct json *json, const struct armtap_stream_summary *summary)
{
    json_member_array(json, "candidates", false);
    for (size_t i = 0; i < summary->candidate_count; i++) {
        const struct armtap_known_recipe *known = summary->candidates[i];
        json_object(json, false);
        json_member_text_or_null(json, "name", known->name);
        json_member_text_or_null(json, "client", known->client);
        known_fields_json(json, known->fields);
        json_close(json);
    }
    json_close(json);
}

static void rate_json(struct json *json, const struct info_counts *counts)
{
    int64_t rate = info_rate_of(counts->steps, counts->streaming);
    json_key(json, "rate_hz");
    if (rate < 0)
        json_null(json);
    else
        json_decimal(json, rate, RATE_DIGITS);
    json_member_unsigned(json, "steps", counts->steps);
    json_key(json, "streaming_s");
    json_decimal(json, counts->streaming, 9);
}

/* What the kinematics say; null if they do not tell a model. */
static void model_json(struct json *json, const struct armtap_stream_summary *summary)
{
    struct armtap_kinematics_result result = model_of_stream(summary);
    json_key(json, "model");
    if (result.outcome != ARMTAP_KINEMATICS_MODEL) {
        json_null(json);
        return;
    }
    json_object(json, false);
    json_key(json, "names");
    model_names_json(json, &result);
    json_key(json, "residual_mm");
    json_decimal(json, (int64_t)(result.residual * 1e6 + 0.5), 3);
    json_close(json);
}

static void stream_json(struct json *json, const struct info *info, const struct armtap_stream_summary *summary,
                        const struct info_counts *counts)
{
    const struct armtap_stream *stream = summary->stream;
    enum armtap_direction direction = info_direction(summary);
    json_object(json, true);
    json_member_unsigned(json, "stream", summary->number);
    json_member_text(json, "protocol", armtap_protocol_name(stream->protocol));
    json_key(json, "version");
    if (stream->version == 0)
        json_null(json);
    else
        json_signed(json, stream->version);
    json_member_text(json, "generation", generation_name(stream->generation));
    json_member_text_or_null(json, "robot", stream->robot);
    json_member_text_or_null(json, "client", stream->client);
    labels_json(info->options.source.labels, json, "label", stream->robot);
    labels_json(info->options.source.labels, json, "client_label", stream->client);
    json_member_text_or_null(json, "controller_version", stream->controller_version);
    json_member_unsigned(json, "records", counts->records[ARMTAP_FROM_ROBOT]);
    json_member_unsigned(json, "records_to_robot", counts->records[ARMTAP_TO_ROBOT]);
    json_member_time(json, "first_time", counts->first[direction]);
    json_member_time(json, "last_time", counts->last[direction]);
    rate_json(json, counts);
    fields_json(json, summary);
    guess_json(json, summary);
    candidates_json(json, summary);
    model_json(json, summary);
    json_member_bool(json, "midstream", stream->midstream);
    json_member_unsigned(json, "gaps", counts->gaps);
    json_member_unsigned(json, "bytes_decoded", counts->decoded);
    json_member_unsigned(json, "bytes_lost", counts->lost);
    json_member_unsigned(json, "bytes_skipped", counts->skipped);
    notes_json(json, info, summary);
    json_close(json);
}

/* Of a capture in an archive only the streams that have packets in it. */
static void streams_json(struct json *json, const struct info *info)
{
    const struct armtap_stream_summary *summary;
    json_member_array(json, "streams", true);
    for (size_t i = 0; (summary = armtap_streams_at(info->streams, i)); i++) {
        struct info_counts counts = info_counts_of(info->part, summary);
        if (!info->part || counts.packets > 0)
            stream_json(json, info, summary, &counts);
    }
    json_close(json);
}

/* Where the capture stands in its archive. */
static void archive_json(struct json *json, const struct archive *archive)
{
    if (!archive)
        return;
    json_member_object(json, "archive", false);
    json_member_unsigned(json, "capture", archive_current(archive));
    json_member_unsigned(json, "captures", archive_count(archive));
    json_close(json);
}

/* Streams that are not listed, if any. */
static void rest_json(struct json *json, const struct armtap_streams_rest *rest)
{
    if (rest->count == 0)
        return;
    json_member_object(json, "more_streams", false);
    json_member_unsigned(json, "count", rest->count);
    json_member_unsigned(json, "records", rest->records[ARMTAP_FROM_ROBOT]);
    json_member_unsigned(json, "records_to_robot", rest->records[ARMTAP_TO_ROBOT]);
    json_member_unsigned(json, "gaps", rest->gaps);
    json_member_unsigned(json, "bytes_decoded", rest->bytes_decoded);
    json_member_unsigned(json, "bytes_lost", rest->bytes_lost);
    json_member_unsigned(json, "bytes_skipped", rest->bytes_skipped);
    json_close(json);
}

static void attempts_json(struct json *json, const struct armtap_attempts *attempts, const struct labels *labels)
{
    const struct armtap_attempt *summary;
    json_member_array(json, "attempts", true);
    for (size_t i = 0; (summary = armtap_attempts_at(attempts, i)); i++) {
        json_object(json, false);
        json_member_text_or_null(json, "robot", summary->robot);
        json_member_text_or_null(json, "client", summary->client);
        labels_json(labels, json, "label", summary->robot);
        labels_json(labels, json, "client_label", summary->client);
        json_member_text_or_null(json, "outcome", armtap_attempt_outcome_name(summary->outcome));
        json_member_unsigned(json, "count", summary->count);
        json_member_time(json, "first_time", summary->first.time);
        json_member_time(json, "last_time", summary->last.time);
        json_member_unsigned(json, "first_packet", summary->first.packet);
        json_member_time(json, "connected_time", summary->has_connected ? summary->connected.time : ARMTAP_NO_TIME);
        json_close(json);
    }
    json_close(json);
}

static void ports_json(struct json *json, const struct info *info)
{
    json_member_array(json, "other_ports", true);
    for (size_t i = 0; i < info->port_count; i++) {
        json_object(json, false);
        json_member_text_or_null(json, "robot", info->ports[i].robot);
        labels_json(info->options.source.labels, json, "label", info->ports[i].robot);
        json_member_unsigned(json, "port", info->ports[i].port);
        json_member_text_or_null(json, "name", info->ports[i].name);
        json_member_unsigned(json, "packets", info->ports[i].packets);
        json_member_unsigned(json, "bytes", info->ports[i].bytes);
        json_close(json);
    }
    json_close(json);
}

void info_print_json(const struct info *info)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_unsigned(&json, "packets", info->totals.packets);
    json_member_unsigned(&json, "bytes", info->totals.bytes);
    archive_json(&json, info->archive);
    streams_json(&json, info);
    rest_json(&json, armtap_streams_rest(info->streams));
    if (armtap_streams_recipes_left_out(info->streams) > 0)
        json_member_unsigned(&json, "more_recipes", armtap_streams_recipes_left_out(info->streams));
    attempts_json(&json, armtap_streams_attempts(info->streams), info->options.source.labels);
    ports_json(&json, info);
    comments_json(&json, &info->comments, &info->options.source);
    notes_json(&json, info, NULL);
    json_end(&json);
}
