/* armtap recipe: RTDE recipes for what a legacy program reads, from captures, or of well-known clients. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe.h"
#include "command_line/commands.h"
#include "array.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "command_line/options.h"
#include "input/files/recipe_file.h"
#include "base/terminal/fold.h"
#include "inside.h"

#define LARGEST_CB2_SIZE 812
#define LENGTH_WORD 4
#define CELL 8

struct recipe_job {
    const char *columns, *fields, *layout, *key;
    enum armtap_generation generation; /* of `columns`; UNKNOWN: not given */
    struct capture_recipe_wish wish;
    bool list, plain, json;
    struct options options;
    struct mapping mapping;
    enum armtap_generation counted; /* the generation of the legacy columns; UNKNOWN: none were given */
};

static int read_from(const struct option_row *row, const char *value, void *place)
{
    struct recipe_job *job = place;
    (void)row;
    struct capture_recipe_wish *wish = &job->wish;
    if (!MAKE_ROOM(wish->names, wish->count))
        return message_no_memory();
    wish->names[wish->count++] = value;
    return 0;
}

#define OPTIONS_STRUCT struct recipe_job
static const struct option_row rows[] = {
#define OPTIONS_RECIPE
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "recipe",
    .arguments = "[@NAME]",
    .summary =
        "Prints an RTDE recipe with the same data as legacy columns, a legacy layout or another client, as UR's XML. "
        "Standard error lists columns without an RTDE field, and elements replaced by their whole vector. Types are "
        "those of RTDE protocol 2.",
    .rows = rows,
    .groups = GROUPS_recipe,
    .decodes_with = "from",
    .examples = "  armtap recipe --columns \"2-7,32-37\" > recipe.xml\n"
                "  armtap recipe --layout 1060 --plain\n"
                "  armtap recipe --from robot.pcapng --stream 1\n"
                "  armtap recipe --from refused.pcapng --accepted > recipe.xml\n"
                "  armtap recipe --list\n  armtap recipe \"@record.py-2.7.12\"\n"};

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* A robot that was named in place of a capture, or NULL. */
static const char *first_robot(const struct recipe_job *job)
{
    for (size_t i = 0; i < job->wish.count; i++)
        if (robot_address_is(job->wish.names[i]))
            return job->wish.names[i];
    return job->options.operand_count > 0 && robot_address_is(job->options.operands[0]) ? job->options.operands[0]
                                                                                        : NULL;
}

/* Checks that the options fit together. */
static int check_together(struct recipe_job *job)
{
    const struct options *options = &job->options;
    int sources = (job->columns != NULL) + (job->fields != NULL) + (job->layout != NULL) + (job->wish.count > 0) +
                  job->list + (int)options->operand_count;
    if (first_robot(job))
        options_refuse_robot("recipe", first_robot(job));
    else if (options->operand_count > 0 && options->operands[0][0] != '@')
        message_error("recipe: %s is not the @NAME of a well-known client (--list shows them); for a capture, use "
                      "--from %s",
                      options->operands[0], options->operands[0]);
    else if (sources != 1)
        message_error("recipe: use %s --columns, --fields, --layout, --from, --list or @NAME",
                      sources == 0 ? "one of" : "only one of");
    else if (job->wish.file > job->wish.count)
        message_error("recipe: --file %" PRIu64 ": there %s %zu", job->wish.file, job->wish.count == 1 ? "is" : "are",
                      job->wish.count);
    else if (job->key && !recipe_write_is_key(job->key))
        message_error("recipe: --key '%s': a key consists of letters, digits, '_', '-' and '.'", job->key);
    else
        return 0;
    return -1;
}

/* ---- from legacy columns ----------------------------------------------------------------------------------------- */

static int from_columns(struct recipe_job *job)
{
    struct columns columns;
    job->counted = job->generation != ARMTAP_GENERATION_UNKNOWN ? job->generation : ARMTAP_GENERATION_CB3E;
    if (columns_parse(job->columns, armtap_layout_columns(job->counted), &columns) != 0)
        return -1;
    return mapping_columns(&job->mapping, &columns, job->counted);
}

/* All columns of a legacy packet that its recipe names. */
static int from_packet(struct recipe_job *job, const struct armtap_recipe *recipe, enum armtap_generation generation)
{
    struct columns columns = {.count = 0};
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        for (size_t at = entry->offset; at + CELL <= entry->offset + entry->wire_size; at += CELL)
            columns_add(&columns, (unsigned)(at / CELL) + 1);
    }
    job->counted = generation;
    return mapping_columns(&job->mapping, &columns, generation);
}

static int from_size(struct recipe_job *job, uint64_t size)
{
    enum armtap_generation generation = size <= LARGEST_CB2_SIZE ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
    struct armtap_recipe *recipe;
    int error = armtap_recipe_realtime((size_t)size, &recipe);
    if (error != ARMTAP_OK) {
        message_error("recipe: --layout %" PRIu64 ": %s", size, armtap_strerror(error));
        return -1;
    }
    size_t known = 0, count = armtap_recipe_count(recipe);
    if (count > 0)
        known = armtap_recipe_at(recipe, count - 1)->offset + armtap_recipe_at(recipe, count - 1)->wire_size;
    if (LENGTH_WORD + known < size)
        message_warning("only the first %zu bytes of a packet of %" PRIu64 " bytes are known; check that this is the "
                        "number in its length word",
                        LENGTH_WORD + known, size);
    int outcome = from_packet(job, recipe, generation);
    armtap_recipe_release(recipe);
    return outcome;
}

static int from_layout(struct recipe_job *job)
{
    enum armtap_generation generation;
    uint64_t size;
    if (job->layout[0] >= '0' && job->layout[0] <= '9')
        return options_number("--layout", job->layout, 12, 4096, &size) != 0 ? -1 : from_size(job, size);
    if (strcmp(job->layout, "cb2") != 0 && strcmp(job->layout, "cb3e") != 0) {
        message_error("recipe: --layout '%s': expected the size of a legacy packet, such as 1060, or cb2 or cb3e",
                      job->layout);
        return -1;
    }
    mapping_generation("recipe: --layout", job->layout, &generation);
    return from_size(job, LENGTH_WORD + CELL * (uint64_t)armtap_layout_columns(generation));
}

/* ---- from a capture ---------------------------------------------------------------------------------------------- */

static const char *refusal_reason(enum armtap_refusal why)
{
    switch (why) {
    case ARMTAP_REFUSAL_NOT_FOUND:
        return "the controller does not know it; armtap diagnose shows why";
    case ARMTAP_REFUSAL_IN_USE:
        return "it is already in use; armtap diagnose shows by whom, if known";
    case ARMTAP_REFUSAL_NOT_SET:
        return "it has no value on this controller";
    default:
        return "the controller misread it, and armtap does not know its type";
    }
}

static bool has_name(const struct armtap_recipe *recipe, const char *name)
{
    size_t i = 0, count = armtap_recipe_count(recipe);
    while (i < count && strcmp(armtap_recipe_at(recipe, i)->name, name) != 0)
        i++;
    return i < count;
}

static void warn_misread(const char *name, int version)
{
    if (version >= 2)
        message_warning(
            "the controller misread %s, because the client's setup lacks the frequency that protocol %d puts first; "
            "the recipe keeps it, with the type that armtap knows",
            name, version);
    else
        message_warning("the controller misread %s, because the client had not negotiated the protocol; the recipe "
                        "keeps it, with the type that armtap knows",
                        name);
}

static int take_refused(struct recipe_job *job, const struct capture_recipe *captured)
{
    for (size_t i = 0; i < captured->refused_count; i++) {
        const struct capture_recipe_refusal *refused = &captured->refused[i];
        if (refused->why == ARMTAP_REFUSAL_MISREAD && has_name(captured->recipe, refused->name))
            warn_misread(refused->name, captured->version);
        else if (mapping_refused(&job->mapping, refused->name, refusal_reason(refused->why)) != 0)
            return -1;
    }
    return 0;
}

static int take_captured(struct recipe_job *job, const struct capture_recipe *captured)
{
    job->wish.to_robot = captured->direction == ARMTAP_TO_ROBOT;
    if (take_refused(job, captured) != 0)
        return -1;
    if (armtap_protocol_has(captured->protocol, ARMTAP_TRAIT_UR_COLUMNS))
        return from_packet(job, captured->recipe, captured->generation);
    return mapping_recipe(&job->mapping, captured->recipe);
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static void list_json(void)
{
    const struct armtap_known_recipe *known;
    struct json json;
    json_begin(&json, stdout);
    json_array(&json, true);
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++) {
        json_object(&json, false);
        json_member_text(&json, "name", known->name);
        json_member_text(&json, "client", known->client);
        json_member_unsigned(&json, "size", known->size);
        json_member_array(&json, "fields", false);
        for (const char *at = known->fields; *at != '\0'; at += *at == ',') {
            size_t length = strcspn(at, ",");
            json_span(&json, at, length);
            at += length;
        }
        json_close(&json);
        json_close(&json);
    }
    json_end(&json);
}

static void list_row(enum text_paint paint, const char *name, const char *size, const char *fields)
{
    struct text_row row = text_row_begin(stdout, 23, 1);
    row.paint = paint;
    text_row_painted(&row, -36, PAINT_HEADING, name);
    text_row_together(&row, 14);
    text_row_cell(&row, 6, size);
    text_row_cell(&row, 7, fields);
    text_row_end(&row);
}

static void list(void)
{
    const struct armtap_known_recipe *known;
    char name[80], size[24], fields[24];
    list_row(PAINT_HEADING, "name, client", "bytes", "fields");
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++) {
        size_t count = 1;
        for (const char *at = known->fields; *at != '\0'; at++)
            count += *at == ',';
        snprintf(name, sizeof name, "@%s", known->name);
        snprintf(size, sizeof size, "%zu", known->size);
        snprintf(fields, sizeof fields, "%zu", count);
        list_row(PAINT_NONE, name, size, fields);
        struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
        text_wrap_words(&wrap, known->client);
        text_wrap_end(&wrap);
    }
    text_line(stdout, 2, "\nPrint one: armtap recipe @NAME. Decode without a handshake: --recipe @NAME.");
}

static bool is_only(enum armtap_field_direction direction, const struct armtap_field *field)
{
    return field && field->direction == direction;
}

/* Checks that the fields are all outputs or all inputs. Returns the usual key; NULL after a message. */
static const char *usual_key(const struct mapping *mapping, bool to_robot)
{
    const struct armtap_field *output = NULL, *input = NULL;
    for (size_t i = 0; i < mapping->count; i++) {
        output = is_only(ARMTAP_FIELD_OUTPUT, mapping->field[i]) ? mapping->field[i] : output;
        input = is_only(ARMTAP_FIELD_INPUT, mapping->field[i]) ? mapping->field[i] : input;
    }
    if (!output || !input)
        return !input && !to_robot ? "out" : "in";
    message_error("recipe: %s is an input, %s an output; a recipe holds only one kind; make two", input->name,
                  output->name);
    return NULL;
}

/* Warns of modes that are numbered differently on controllers with RTDE. */
static void warn_numbers(const struct recipe_job *job)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; i < job->mapping.count && job->counted == ARMTAP_GENERATION_CB2; i++) {
        const struct armtap_field *field = job->mapping.field[i];
        for (size_t k = 0; field && (value = armtap_enum_at(field, k)); k++)
            if (value->generation == ARMTAP_GENERATION_CB2) {
                message_warning("%s: CB2 numbers its values differently from controllers with RTDE; armtap fields "
                                "--enum %s shows both",
                                field->name, field->name);
                break;
            }
    }
}

static void warn_changed(size_t changed, bool plain)
{
    if (changed > 0)
        message_warning(
            "recipe: %zu name%s %s changed: %s cannot hold all bytes, so '?' replaces them; the robot will not "
            "recognise the field by that name",
            changed, changed == 1 ? "" : "s", changed == 1 ? "is" : "are", plain ? "a plain line" : "XML");
}

static void print_json(const struct mapping *mapping, const char *key)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_text(&json, "key", key);
    json_member_array(&json, "fields", true);
    for (size_t i = 0; i < mapping->count; i++) {
        json_object(&json, false);
        json_member_text(&json, "name", mapping->line[i].name);
        json_member_text(&json, "type", mapping->line[i].type);
        json_close(&json);
    }
    json_close(&json);
    json_member_array(&json, "left_out", true);
    for (size_t i = 0; i < mapping->lack_count; i++) {
        json_object(&json, false);
        json_key(&json, "column");
        if (mapping->lack[i].column == 0)
            json_null(&json);
        else
            json_unsigned(&json, mapping->lack[i].column);
        json_member_text_or_null(&json, "name", mapping->lack[i].name);
        json_member_text(&json, "reason", mapping->lack[i].reason);
        json_close(&json);
    }
    json_end(&json);
}

/* 0, or -1 after a message. */
static int print_text(const struct mapping *mapping, const char *key, bool plain)
{
    struct buffer text = {0};
    size_t changed = plain ? recipe_write_plain(&text, mapping->line, mapping->count)
                           : recipe_write_xml(&text, key, mapping->line, mapping->count);
    bool is_whole = !text.failed;
    if (is_whole) {
        fwrite(text.data, 1, text.length, stdout);
        warn_changed(changed, plain);
    }
    free(text.data);
    return is_whole ? 0 : message_no_memory();
}

static int print_recipe(const struct recipe_job *job)
{
    const struct mapping *mapping = &job->mapping;
    const char *key = usual_key(mapping, job->wish.to_robot);
    if (!key)
        return -1;
    mapping_report(mapping);
    if (mapping->count == 0) {
        message_error("recipe: RTDE has none of these; armtap fields lists its fields");
        return -1;
    }
    warn_numbers(job);
    key = job->key ? job->key : key;
    if (!job->json)
        return print_text(mapping, key, job->plain);
    print_json(mapping, key);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int from_known(struct recipe_job *job, const char *name)
{
    struct armtap_recipe *recipe;
    if (recipe_file_read(name, &recipe) != 0)
        return -1;
    int outcome = mapping_recipe(&job->mapping, recipe);
    armtap_recipe_release(recipe);
    return outcome;
}

/* A damaged capture yields what came before the damage. */
static enum exit_status run_capture(struct recipe_job *job)
{
    struct capture_recipe captured;
    job->wish.how = &job->options.source;
    enum exit_status status = capture_recipe_read(&job->wish, &captured);
    if (!captured.recipe || take_captured(job, &captured) != 0 || print_recipe(job) != 0)
        status = EXIT_FAILED;
    mapping_free(&job->mapping); /* its names may belong to the capture */
    capture_recipe_free(&captured);
    return status;
}

static enum exit_status run_job(struct recipe_job *job)
{
    int outcome;
    if (job->list && job->json)
        list_json();
    else if (job->list)
        list();
    if (job->list)
        return EXIT_DONE;
    if (job->wish.count > 0)
        return run_capture(job);
    if (job->columns)
        outcome = from_columns(job);
    else {
        if (job->layout)
            outcome = from_layout(job);
        else {
            if (job->fields)
                outcome = mapping_names(&job->mapping, job->fields);
            else
                outcome = from_known(job, job->options.operands[0]);
        }
    }
    return outcome == 0 && print_recipe(job) == 0 ? EXIT_DONE : EXIT_FAILED;
}

int cmd_recipe(int argc, char **argv)
{
    struct recipe_job job = {.list = false};
    enum exit_status status = EXIT_FAILED;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &job.options, &job);
    if (outcome != OPTIONS_RUN) {
        free(job.wish.names);
        return options_status(outcome);
    }
    if (check_together(&job) == 0)
        status = run_job(&job);
    mapping_free(&job.mapping);
    free(job.wish.names);
    options_free(&job.options);
    return (int)status;
}
