/* Tables of AUBO's topics: those with the meaning of a field, and the others. */
#include "tables.h"

#include <string.h>

enum of { ROBOT, ARM };
enum vendor { CONTROL, AUBO };

static const struct topic {
    enum of of;
    const char *name, *type, *direction, *meaning;
} topics[] = {
#define TOPIC(of, name, type, direction, meaning) {of, #name, type, direction, meaning},
#include "aubo_menu.def"
};
#define TOPICS (sizeof topics / sizeof *topics)

static const struct name {
    const char *name;
    enum vendor vendor;
    unsigned count;
    const char *unit, *meaning;
} names[] = {
#define NAME(name, vendor, type, count, unit, direction, meaning) {#name, vendor, count, unit, meaning},
#include "fields/wire_names.def"
};

static const struct twin {
    const char *topic, *field;
    double factor;
} twins[] = {
#define PAIR(topic, field, factor) {#topic, #field, factor},
#define ROBOT PAIR
#define ARM PAIR
#include "aubo_topics.def"
};

static const struct twin *twin_of(const struct topic *topic)
{
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (strcmp(twins[i].topic, topic->name) == 0)
            return &twins[i];
    return NULL;
}

static const struct name *name_of(const struct topic *topic)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].vendor == AUBO && strcmp(names[i].name, topic->name) == 0)
            return &names[i];
    return NULL;
}

/* The topic and its type: "double[]" of six elements as "double[6]". */
static void begin_row(FILE *to, const struct topic *topic, unsigned count)
{
    size_t length = strlen(topic->type);
    bool is_vector = count > 1 && length > 2 && strcmp(topic->type + length - 2, "[]") == 0;
    fprintf(to, "| `%s%s` | %.*s", topic->of == ARM ? "R1_" : "", topic->name, (int)(length - (is_vector ? 2 : 0)),
            topic->type);
    if (is_vector)
        fprintf(to, "[%u]", count);
    fputs(" | ", to);
}

void put_aubo_topics(FILE *to)
{
    fputs("| topic | type | field | factor | unit of the field | meaning |\n|---|---|---|---:|---|---|\n", to);
    for (size_t i = 0; i < TOPICS; i++) {
        const struct twin *twin = twin_of(&topics[i]);
        if (!twin)
            continue;
        const struct armtap_field *field = armtap_field_find(twin->field, strlen(twin->field));
        begin_row(to, &topics[i], field->count);
        fprintf(to, "`%s` | ", twin->field);
        if (twin->factor != 1)
            fprintf(to, "%g", twin->factor);
        fprintf(to, " | %s | ", field->unit);
        put_cell(to, field->meaning);
        fputs(" |\n", to);
    }
}

void put_aubo_names(FILE *to)
{
    fputs("| topic | type | unit | direction | meaning |\n|---|---|---|---|---|\n", to);
    for (size_t i = 0; i < TOPICS; i++) {
        const struct name *name = name_of(&topics[i]);
        if (twin_of(&topics[i]))
            continue;
        begin_row(to, &topics[i], name ? name->count : 1);
        fprintf(to, "%s | %s | ", name ? name->unit : "", topics[i].direction);
        put_cell(to, name ? name->meaning : topics[i].meaning);
        put_modes(to, topics[i].name);
        fputs(" |\n", to);
    }
}
