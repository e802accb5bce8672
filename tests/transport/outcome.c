#include "outcome.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_value(uint64_t hash, const struct armtap_value *value)
{
    hash = hash_bytes(hash, value->name, strlen(value->name));
    hash = hash_bytes(hash, &value->type, sizeof value->type);
    hash = hash_bytes(hash, &value->count, sizeof value->count);
    hash = hash_bytes(hash, &value->present, 1);
    if (!value->present)
        return hash;
    if (value->type == ARMTAP_STRING || value->type == ARMTAP_BYTES || value->type == ARMTAP_JSON)
        return value->length ? hash_bytes(hash, value->text, value->length) : hash;
    return hash_bytes(hash, value->u64, value->count * sizeof value->u64[0]);
}

static uint64_t hash_record(const struct armtap_record *record)
{
    struct armtap_value value;
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), record->frame, record->frame_length);
    for (size_t i = 0; armtap_record_value(record, i, &value); i++)
        hash = hash_value(hash, &value);
    return hash_bytes(hash, record->updated, sizeof *record->updated);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct outcome *outcome = user;
    enum armtap_direction direction = record->direction;
    if (outcome->count[direction] == outcome->room[direction]) {
        size_t room = outcome->room[direction] ? 2 * outcome->room[direction] : 256;
        outcome->records[direction] = realloc(outcome->records[direction], room * sizeof(struct outcome_record));
        assert_non_null(outcome->records[direction]);
        outcome->room[direction] = room;
    }
    outcome->records[direction][outcome->count[direction]++] = (struct outcome_record){
        .stream = record->stream->connection,
        .offset = record->offset,
        .length = record->frame_length,
        .packet = (uint64_t)record->where.file << 32 | record->where.packet,
        .hash = hash_record(record),
        .flags = record->flags,
        .version = record->version,
        .id = record->recipe_id,
        .opaque = !record->recipe,
    };
    if (outcome->watch)
        outcome->watch(outcome->about, record);
    return 0;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct outcome *outcome = user;
    if (event->direction != ARMTAP_FROM_ROBOT)
        return 0;
    armtap_recipe_release(outcome->recipe);
    outcome->recipe = armtap_recipe_hold(event->recipe);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct outcome *outcome = user;
    log_line(&outcome->notes, "%s: %s", note->kind->id, note->text);
    return 0;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct outcome *outcome = user;
    uint64_t connection = event->stream->connection;
    if (event->type == ARMTAP_EVENT_GAP) {
        outcome->gap_events[event->direction]++;
        outcome->gap_bytes[event->direction] += event->a;
    }
    if (event->type == ARMTAP_EVENT_CLOSE && connection < OUTCOME_STREAMS) {
        outcome->streams[connection] = *event->stream;
        outcome->closes[connection]++;
    }
    return 0;
}

struct armtap_sink outcome_sink(void)
{
    return (struct armtap_sink){.size = sizeof(struct armtap_sink),
                                .on_record = on_record,
                                .on_recipe = on_recipe,
                                .on_note = on_note,
                                .on_event = on_event};
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->records[0]);
    free(outcome->records[1]);
    armtap_recipe_release(outcome->recipe);
    log_free(&outcome->notes);
    *outcome = (struct outcome){0};
}

unsigned outcome_notes(const struct outcome *outcome, const char *id)
{
    char start[80] = "";
    unsigned count = 0;
    strncat(start, id, sizeof start - 2);
    strcat(start, ":");
    for (const char *at = outcome->notes.text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        count += strncmp(at, start, strlen(start)) == 0;
    return count;
}

void outcome_of(const struct capture_list *list, const struct armtap_net_options *options, struct outcome *outcome)
{
    struct armtap_net *net;
    struct armtap_sink sink = outcome_sink();
    assert_int_equal(armtap_net_new(options, &sink, outcome, &net), 0);
    for (size_t i = 0; i < list->count; i++) {
        const struct packet *from = &list->packets[i];
        /* a block of its own: the sanitizer reports reads beyond it */
        uint8_t *own = malloc(from->length);
        assert_non_null(own);
        memcpy(own, list->bytes.at + from->at, from->length);
        struct armtap_packet packet = {.size = sizeof(struct armtap_packet),
                                       .link_type = (int)list->link,
                                       .where = {.time = from->time, .packet = i + 1},
                                       .data = own,
                                       .captured = from->length,
                                       .length = from->length};
        assert_int_equal(armtap_net_packet(net, &packet), 0);
        free(own);
    }
    assert_int_equal(armtap_net_finish(net), 0);
    armtap_net_free(net);
}

void outcome_of_dialogue(const struct dialogue *dialogue, const struct cutting *cutting,
                         const struct clothing *clothing, const struct armtap_net_options *options,
                         struct outcome *outcome)
{
    struct segments segments = {0};
    struct capture_list list = {0};
    cut(dialogue, cutting, &segments);
    dress(dialogue, &segments, clothing, &list);
    outcome_of(&list, options, outcome);
    capture_list_free(&list);
    segments_free(&segments);
}

bool same_record(const struct outcome_record *a, const struct outcome_record *b)
{
    return a->offset == b->offset && a->length == b->length && a->hash == b->hash && a->version == b->version &&
           a->id == b->id && ((a->flags ^ b->flags) & ~(unsigned)ARMTAP_AFTER_GAP) == 0 && a->opaque == b->opaque;
}

static void fail_different(const struct outcome_record *a, const struct outcome_record *b, const char *what, size_t k)
{
    const struct outcome_record *both[] = {a, b};
    for (int i = 0; i < 2; i++)
        print_error("byte %zu, length %zu, hash %llx, flags %x, version %d, id %d\n", (size_t)both[i]->offset,
                    both[i]->length, (unsigned long long)both[i]->hash, both[i]->flags, both[i]->version, both[i]->id);
    fail_msg("%s: record %zu differs", what, k);
}

void assert_same_records(const struct outcome *a, const struct outcome *b, const char *what)
{
    for (int i = 0; i < 2; i++) {
        if (a->count[i] != b->count[i])
            fail_msg("%s: %zu records in direction %d, expected %zu", what, b->count[i], i, a->count[i]);
        for (size_t k = 0; k < a->count[i]; k++)
            if (!same_record(&a->records[i][k], &b->records[i][k]) || b->records[i][k].flags != a->records[i][k].flags)
                fail_different(&a->records[i][k], &b->records[i][k], what, k);
    }
}
