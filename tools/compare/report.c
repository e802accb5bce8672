#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/json_writer.h"
#include "base/numbers/number_text.h"
#include "base/text/printf_format.h"
#include "input/files/file_reader.h"
#include "base/terminal/fold.h"
#include "base/terminal/word_wrap.h"
#include "command_line/shared_text.h"
#include "input/robots/labels.h"

enum { NAME_SHOWN = 40, TEXT_BYTES = 400, HEAD_INDENT = 8, CELL_BYTES = 24 };

static const char *const side_names[ARMTAP_SIDES] = {[ARMTAP_SIDE_LEGACY] = "legacy", [ARMTAP_SIDE_RTDE] = "RTDE"};

static const char *const verdict_names[] = {
    [ARMTAP_EQUAL] = "equal",
    [ARMTAP_DIFFERS] = "differs",
    [ARMTAP_ONLY_LEGACY] = "only-legacy",
    [ARMTAP_ONLY_RTDE] = "only-rtde",
};

static bool is_compared(const struct armtap_difference *difference)
{
    return difference->verdict == ARMTAP_EQUAL || difference->verdict == ARMTAP_DIFFERS;
}

/* Equal, but no value ever changed: what reads another column may find the same there. */
static bool is_unproved(const struct armtap_difference *difference)
{
    return difference->verdict == ARMTAP_EQUAL && difference->is_constant;
}

size_t comparison_compared(const struct comparison *comparison, size_t *differ)
{
    size_t compared = 0;
    *differ = 0;
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++) {
        const struct armtap_difference *difference = armtap_comparison_at(comparison->found, i);
        compared += is_compared(difference) ? 1 : 0;
        *differ += difference->verdict == ARMTAP_DIFFERS ? 1 : 0;
    }
    return compared;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

void comparison_json(const struct comparison *comparison)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_unsigned(&json, "pairs", comparison->tally->pairs);
    json_member_array(&json, "fields", true);
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++) {
        const struct armtap_difference *difference = armtap_comparison_at(comparison->found, i);
        json_object(&json, false);
        json_member_text(&json, "field", difference->name);
        json_member_unsigned(&json, "pairs", difference->pairs);
        json_key(&json, "max_abs_diff");
        json_double(&json, difference->largest);
        json_key(&json, "mean_abs_diff");
        json_double(&json, difference->mean);
        json_member_text(&json, "verdict", verdict_names[difference->verdict]);
        if (is_compared(difference)) {
            json_member_bool(&json, "constant", difference->is_constant);
        } else {
            json_key(&json, "constant");
            json_null(&json);
        }
        json_close(&json);
    }
    json_close(&json);
    json_member_object(&json, "models", false);
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        const struct armtap_kinematics_result result = model_of_stream(comparison->sides[side]->summary);
        json_key(&json, side == ARMTAP_SIDE_LEGACY ? "legacy" : "rtde");
        if (result.outcome == ARMTAP_KINEMATICS_MODEL)
            model_names_json(&json, &result);
        else
            json_null(&json);
    }
    json_close(&json);
    json_end(&json);
}

/* ---- pieces of text ---------------------------------------------------------------------------------------------- */

static bool is_cb2(const struct comparison *comparison)
{
    return comparison->sides[ARMTAP_SIDE_LEGACY]->summary->stream->generation == ARMTAP_GENERATION_CB2;
}

static unsigned column_of(const struct comparison *comparison, const struct armtap_field *field)
{
    return field ? is_cb2(comparison) ? field->column_cb2 : field->column_cb3e : 0;
}

static void write_number(char *to, size_t room, double number)
{
    if (isnan(number))
        snprintf(to, room, "-");
    else
        snprintf(to, room, "%.3g", number);
}

/* An element of a value; a mode with its name. */
static void write_value(char *to, size_t room, const struct armtap_value *value, unsigned element,
                        enum armtap_generation generation)
{
    char text[NUMBER_MAX + 1];
    const char *name = NULL;
    if (armtap_value_is_text(value) || element >= value->count) {
        snprintf(to, room, "a different kind of value");
        return;
    }
    if (value->type == ARMTAP_DOUBLE) {
        text[number_repr(value->f64[element], text)] = '\0';
        snprintf(to, room, "%s", text);
        return;
    }
    if (value->field && strcmp(value->field->unit, "bits") == 0) {
        snprintf(to, room, "0x%" PRIx64, value->u64[element]);
        return;
    }
    if (value->field)
        name = armtap_enum_name(value->field, value->i64[element], generation);
    text[armtap_value_is_signed(value) ? number_signed(value->i64[element], text)
                                       : number_unsigned(value->u64[element], text)] = '\0';
    snprintf(to, room, "%s%s%s", text, name ? " " : "", name ? name : "");
}

static void wrap_format(struct text_wrap *wrap, const char *format, ...) PRINTF_FORMAT(2, 3);
static void wrap_format(struct text_wrap *wrap, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_wrap_words(wrap, text);
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void print_side(const struct comparison *comparison, enum armtap_side side)
{
    const struct chosen_stream *one = comparison->sides[side];
    const struct armtap_stream *stream = one->summary->stream;
    const struct armtap_pairing_tally *tally = comparison->tally;
    const char *robot = stream->robot[0] == '\0' ? "?" : labels_name(comparison->source->labels, stream->robot);
    char step[60] = "", protocol[30] = "of an unknown protocol";
    if (stream->version > 0)
        snprintf(protocol, sizeof protocol, "protocol %d", stream->version);
    if (side == ARMTAP_SIDE_LEGACY)
        text_line(stdout, HEAD_INDENT, "legacy  stream %u, robot %s, packets of %d bytes, %s", one->summary->number,
                  robot, stream->version,
                  model_controller(stream->generation,
                                   comparison->sides[ARMTAP_SIDE_RTDE]->summary->stream->controller_version));
    else
        text_line(stdout, HEAD_INDENT, "RTDE    stream %u, robot %s, %s%s%s", one->summary->number, robot, protocol,
                  stream->controller_version[0] == '\0' ? "" : ", controller ", stream->controller_version);
    if (tally->step[side] > 0)
        snprintf(step, sizeof step, ", mostly %.6g s apart", tally->step[side]);
    text_line(stdout, HEAD_INDENT, "%*s%" PRIu64 " records%s; %" PRIu64 " unpaired", HEAD_INDENT, "",
              tally->records[side], step, tally->unpaired[side]);
}

static void print_head(const struct comparison *comparison)
{
    const struct armtap_pairing_tally *tally = comparison->tally;
    print_side(comparison, ARMTAP_SIDE_LEGACY);
    print_side(comparison, ARMTAP_SIDE_RTDE);
    char clocks[60] = "are the same";
    if (tally->farthest > 0)
        snprintf(clocks, sizeof clocks, "up to %.3g s apart", tally->farthest);
    text_line(stdout, HEAD_INDENT, "pairs   %" PRIu64 " by controller time, %.6f to %.6f s", tally->pairs, tally->first,
              tally->last);
    text_line(stdout, HEAD_INDENT, "%*snearest within %.6g s (half a cycle); clocks %s", HEAD_INDENT, "",
              tally->cycle / 2, clocks);
    putchar('\n');
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void write_columns(char *to, size_t room, const struct comparison *comparison,
                          const struct armtap_difference *difference)
{
    unsigned column = column_of(comparison, difference->field);
    if (column == 0)
        snprintf(to, room, "-");
    else if (difference->count > 1)
        snprintf(to, room, "%u-%u", column, column + difference->count - 1);
    else
        snprintf(to, room, "%u", column);
}

#define COMPARE_COLUMNS 6
#define NARROW_COLUMNS 60
#define NUMBERS_WIDTH (8 + 9 + 9 + 7) /* of a row, and the verdict */

static int row_gap(void)
{
    return text_columns(stdout) < NARROW_COLUMNS ? 1 : 2;
}

/* Where a field differs most. */
static void print_worst(const struct comparison *comparison, const struct armtap_difference *difference)
{
    char values[ARMTAP_SIDES][80], element[24] = "";
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 9);
    for (int side = 0; side < ARMTAP_SIDES; side++)
        write_value(values[side], sizeof values[side], &difference->value[side], difference->element,
                    comparison->sides[ARMTAP_SIDE_LEGACY]->summary->stream->generation);
    if (difference->count > 1)
        snprintf(element, sizeof element, " in [%u]", difference->element);
    wrap_format(&wrap, "in %" PRIu64 " pair%s, %s%s at %.6f s: legacy %s, RTDE %s;", difference->differ,
                difference->differ == 1 ? "" : "s",
                isnan(difference->largest) ? "first without a difference in numbers"
                : difference->largest > 0  ? "largest"
                                           : "only in the sign of zero, first",
                element, difference->clock, values[ARMTAP_SIDE_LEGACY], values[ARMTAP_SIDE_RTDE]);
    for (int side = 0; side < ARMTAP_SIDES && difference->where[side].packet > 0; side++) {
        const struct armtap_where *where = &difference->where[side];
        const struct replay_source *source = comparison->source;
        const char *end = side == ARMTAP_SIDE_LEGACY ? "," : "";
        const char *name = side_names[side];
        if (source->count > 1 && where->file < source->count)
            wrap_format(&wrap, "%s packet %" PRIu64 " of %.300s%s", name, where->packet,
                        reader_name(source->names[where->file]), end);
        else
            wrap_format(&wrap, "%s packet %" PRIu64 "%s", name, where->packet, end);
    }
    text_wrap_end(&wrap);
}

/* `paint`: of the verdict, in the last column. */
static void print_cells(struct text_row row, int width, enum text_paint paint, const char *const cells[COMPARE_COLUMNS])
{
    const int widths[COMPARE_COLUMNS] = {-7, -width, 8, 9, 9, 0};
    const int numbers = 2;
    for (int i = 0; i < COMPARE_COLUMNS; i++) {
        if (i == numbers)
            text_row_together(&row, NUMBERS_WIDTH + 3 * row.gap);
        text_row_painted(&row, widths[i], i + 1 == COMPARE_COLUMNS ? paint : row.paint, cells[i]);
    }
    text_row_end(&row);
}

static void print_row(const struct comparison *comparison, const struct armtap_difference *difference, int width)
{
    char columns[CELL_BYTES], pairs[CELL_BYTES], largest[CELL_BYTES], mean[CELL_BYTES];
    write_columns(columns, sizeof columns, comparison, difference);
    write_number(largest, sizeof largest, difference->largest);
    write_number(mean, sizeof mean, difference->mean);
    bool differs = difference->verdict == ARMTAP_DIFFERS, is_idle = is_unproved(difference);
    snprintf(pairs, sizeof pairs, "%" PRIu64, difference->pairs);
    print_cells(text_row_begin(stdout, 2, row_gap()), width,
                differs   ? PAINT_WARNING
                : is_idle ? PAINT_NONE
                          : PAINT_GOOD,
                (const char *const[]){columns, difference->name, pairs, largest, mean,
                                      is_idle ? "no proof" : verdict_names[difference->verdict]});
    if (differs)
        print_worst(comparison, difference);
}

static void print_table(const struct comparison *comparison)
{
    size_t width = strlen("field");
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++) {
        const struct armtap_difference *difference = armtap_comparison_at(comparison->found, i);
        size_t length = strlen(difference->name);
        if (is_compared(difference) && length > width)
            width = length < NAME_SHOWN ? length : NAME_SHOWN;
    }
    print_cells(text_row_heading(stdout, 2, row_gap()), (int)width, PAINT_HEADING,
                (const char *const[]){"columns", "field", "pairs", "largest", "mean", "verdict"});
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++)
        if (is_compared(armtap_comparison_at(comparison->found, i)))
            print_row(comparison, armtap_comparison_at(comparison->found, i), (int)width);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

typedef bool picks(const struct armtap_difference *difference);

static bool is_reserved(const struct armtap_difference *difference)
{
    return difference->verdict == ARMTAP_ONLY_LEGACY && difference->field &&
           difference->field->direction == ARMTAP_FIELD_LEGACY;
}

static bool is_not_asked_for(const struct armtap_difference *difference)
{
    return difference->verdict == ARMTAP_ONLY_LEGACY && !is_reserved(difference);
}

static bool is_only_rtde(const struct armtap_difference *difference)
{
    return difference->verdict == ARMTAP_ONLY_RTDE;
}

static bool is_integer(const struct armtap_difference *difference)
{
    return is_compared(difference) && difference->field && difference->field->type != ARMTAP_DOUBLE &&
           difference->field->type != ARMTAP_UINT64 && difference->field->column_cb3e > 0;
}

static size_t count_picked(const struct comparison *comparison, picks *picked)
{
    size_t count = 0;
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++)
        count += picked(armtap_comparison_at(comparison->found, i)) ? 1 : 0;
    return count;
}

/* The index of the next picked field, from `i` on. */
static size_t next_picked(const struct comparison *comparison, picks *picked, size_t i)
{
    while (i < armtap_comparison_count(comparison->found) && !picked(armtap_comparison_at(comparison->found, i)))
        i++;
    return i;
}

/* The picked names; a numbered series as its first and last number. */
static void wrap_names(struct text_wrap *wrap, const struct comparison *comparison, picks *picked)
{
    const struct armtap_comparison *found = comparison->found;
    size_t next;
    for (size_t i = next_picked(comparison, picked, 0); i < armtap_comparison_count(found); i = next) {
        const char *first = armtap_comparison_at(found, i)->name, *last = first;
        next = next_picked(comparison, picked, i + 1);
        while (next < armtap_comparison_count(found) &&
               text_name_follows(last, armtap_comparison_at(found, next)->name)) {
            last = armtap_comparison_at(found, next)->name;
            next = next_picked(comparison, picked, next + 1);
        }
        if (first == last)
            text_wrap_word(wrap, first);
        else
            wrap_format(wrap, "%.200s..%.100s", first, text_name_number(last));
    }
}

static void print_names(const struct comparison *comparison, const char *title, picks *picked)
{
    if (count_picked(comparison, picked) == 0)
        return;
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 2);
    text_heading(stdout, 2, title);
    wrap_names(&wrap, comparison, picked);
    text_wrap_end(&wrap);
}

static void print_alone(const struct comparison *comparison)
{
    print_names(comparison, "\nonly in the legacy stream, reserved by UR, no name in RTDE:", is_reserved);
    print_names(comparison, "\nonly in the legacy stream; this RTDE client does not request them:", is_not_asked_for);
    print_names(comparison, "\nonly in the RTDE stream:", is_only_rtde);
}

/* ---- remarks ----------------------------------------------------------------------------------------------------- */

struct remarks {
    const struct comparison *comparison;
    bool begun;
};

static struct text_wrap remark(struct remarks *remarks)
{
    if (!remarks->begun)
        text_heading(stdout, 2, "\nworth knowing");
    remarks->begun = true;
    fputs("  -", stdout);
    return text_wrap_begin(stdout, 3, 4);
}

static const struct armtap_difference *find_difference(const struct comparison *comparison, enum armtap_field_id id)
{
    for (size_t i = 0; i < armtap_comparison_count(comparison->found); i++) {
        const struct armtap_difference *difference = armtap_comparison_at(comparison->found, i);
        if (difference->field == armtap_field_at(id) && is_compared(difference))
            return difference;
    }
    return NULL;
}

/* Remarks on compared fields. */
static const struct {
    enum armtap_field_id field;
    bool cb2;
    const char *text;
} traps[] = {
    {ARMTAP_ID_actual_TCP_pose, true,
     "actual_TCP_pose: CB2 has the actual pose in columns 74-79, as its joint positions prove; CB3 and e-Series "
     "moved it to 56-61 and have the target pose in 74-79"},
    {ARMTAP_ID_target_TCP_speed, true,
     "target_TCP_speed: columns 80-85 are the target speed, though UR's table for CB2 says only speed"},
    {ARMTAP_ID_target_TCP_pose, false,
     "target_TCP_pose: a program written for CB2 now reads the target pose from columns 74-79, not the actual one, "
     "which is in 56-61"},
};

static void remark_traps(struct remarks *remarks)
{
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        if (traps[i].cb2 != is_cb2(remarks->comparison) || !find_difference(remarks->comparison, traps[i].field))
            continue;
        struct text_wrap wrap = remark(remarks);
        text_wrap_words(&wrap, traps[i].text);
        text_wrap_end(&wrap);
    }
}

static void remark_bits(struct remarks *remarks, enum armtap_field_id id)
{
    const struct armtap_difference *difference = find_difference(remarks->comparison, id);
    if (!difference)
        return;
    const uint64_t *forms = difference->forms;
    struct text_wrap wrap = remark(remarks);
    wrap_format(&wrap, "%s:", difference->name);
    if (forms[ARMTAP_INTEGER_RAW] > 0 && forms[ARMTAP_INTEGER_DOUBLE] > 0)
        text_wrap_words(&wrap,
                        "the legacy column holds a raw integer in some packets and a double in others; each is read "
                        "accordingly");
    else if (forms[ARMTAP_INTEGER_RAW] > 0)
        text_wrap_words(&wrap, "the legacy column is a raw 64-bit integer here, not a double as in UR's documents and "
                               "on "
                               "most robots; it is compared as an integer");
    else if (forms[ARMTAP_INTEGER_DOUBLE] > 0)
        text_wrap_words(&wrap, "the legacy column is a double whose value is the bits (5.0 is bits 0 and 2); it is "
                               "compared as an integer");
    else
        text_wrap_words(&wrap, "always 0 here; switch one on to make the comparison meaningful");
    text_wrap_end(&wrap);
}

static void remark_integers(struct remarks *remarks)
{
    size_t count = count_picked(remarks->comparison, is_integer);
    if (count == 0)
        return;
    struct text_wrap wrap = remark(remarks);
    wrap_names(&wrap, remarks->comparison, is_integer);
    text_wrap_words(
        &wrap, count == 1 ? "is a double in the legacy packet and an integer in RTDE; it is compared as an integer"
                          : "are doubles in the legacy packet and integers in RTDE; they are compared as integers");
    text_wrap_end(&wrap);
}

static void remark_constants(struct remarks *remarks)
{
    size_t count = count_picked(remarks->comparison, is_unproved);
    if (count == 0)
        return;
    struct text_wrap wrap = remark(remarks);
    wrap_names(&wrap, remarks->comparison, is_unproved);
    text_wrap_words(&wrap, count == 1 ? "never changed, so it proves nothing: record while it changes"
                                      : "never changed, so they prove nothing: record while they change");
    text_wrap_end(&wrap);
}

static void remark_absent(struct remarks *remarks)
{
    for (size_t i = 0; i < armtap_comparison_count(remarks->comparison->found); i++) {
        const struct armtap_difference *difference = armtap_comparison_at(remarks->comparison->found, i);
        if (difference->absent == 0)
            continue;
        struct text_wrap wrap = remark(remarks);
        wrap_format(&wrap,
                    "%.100s: %" PRIu64 " pair%s omitted because one side has no value: a record was truncated, or a "
                    "legacy column that must hold an integer does not",
                    difference->name, difference->absent, difference->absent == 1 ? " is" : "s are");
        text_wrap_end(&wrap);
    }
}

static void remark_clocks(struct remarks *remarks)
{
    const struct armtap_pairing_tally *tally = remarks->comparison->tally;
    double legacy = tally->step[ARMTAP_SIDE_LEGACY], rtde = tally->step[ARMTAP_SIDE_RTDE];
    if (legacy > 0 && rtde > 0 && (legacy > 1.5 * rtde || rtde > 1.5 * legacy)) {
        struct text_wrap wrap = remark(remarks);
        wrap_format(&wrap,
                    "the rates differ, about %.4g Hz and %.4g Hz: only the records of the slower stream are compared",
                    1 / legacy, 1 / rtde);
        text_wrap_end(&wrap);
    }
    if (tally->farthest > 0) {
        struct text_wrap wrap = remark(remarks);
        text_wrap_words(&wrap,
                        "some pairs have different clocks: their values were sampled at different moments, so moving "
                        "joints differ");
        text_wrap_end(&wrap);
    }
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        const char *name = side_names[side];
        if (tally->restarts[side] > 0) {
            struct text_wrap wrap = remark(remarks);
            wrap_format(&wrap,
                        "the controller's clock restarted in the %s stream, %" PRIu64 " time%s: records are "
                        "paired between restarts",
                        name, tally->restarts[side], tally->restarts[side] == 1 ? "" : "s");
            text_wrap_end(&wrap);
        }
        if (tally->strays[side] > 0) {
            struct text_wrap wrap = remark(remarks);
            wrap_format(&wrap,
                        "%" PRIu64 " %s record%s omitted: the clock is far from those of the neighbouring records",
                        tally->strays[side], name, tally->strays[side] == 1 ? " is" : "s are");
            text_wrap_end(&wrap);
        }
    }
}

/* Records that could not be compared: everything left out is reported. */
static void remark_clockless(struct remarks *remarks)
{
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        const struct chosen_stream *one = remarks->comparison->sides[side];
        const char *name = side_names[side];
        uint64_t without = one->clockless - one->no_number;
        if (one->no_number > 0) {
            struct text_wrap wrap = remark(remarks);
            wrap_format(&wrap, "%" PRIu64 " more %s record%s omitted: the timestamp is not a number", one->no_number,
                        name, one->no_number == 1 ? " is" : "s are");
            text_wrap_end(&wrap);
        }
        if (without > 0) {
            struct text_wrap wrap = remark(remarks);
            wrap_format(&wrap, "%" PRIu64 " more %s record%s omitted: %s", without, name,
                        without == 1 ? " is" : "s are",
                        one->opaque ? "the recipe is unknown, or has no timestamp" : "there is no timestamp");
            text_wrap_end(&wrap);
        }
    }
}

static void remark_little(struct remarks *remarks, size_t compared)
{
    if (compared > 1)
        return;
    struct text_wrap wrap = remark(remarks);
    text_wrap_words(&wrap,
                    "the streams have only the clock in common, which proves nothing about the rest: make the RTDE "
                    "client request more fields");
    text_wrap_end(&wrap);
}

static void remark_recipe(struct remarks *remarks)
{
    if (!remarks->comparison->sides[ARMTAP_SIDE_RTDE]->guessed)
        return;
    struct text_wrap wrap = remark(remarks);
    text_wrap_words(&wrap,
                    "the RTDE recipe was guessed because its handshake was not captured, so this proves nothing; use "
                    "--recipe FILE");
    text_wrap_end(&wrap);
}

static bool have_model_in_common(const struct armtap_kinematics_result *one,
                                 const struct armtap_kinematics_result *other)
{
    for (size_t i = 0; i < one->model_count; i++)
        for (size_t k = 0; k < other->model_count; k++)
            if (one->models[i] == other->models[k])
                return true;
    return false;
}

static void remark_mismatch(struct remarks *remarks, enum armtap_side side)
{
    struct text_wrap wrap = remark(remarks);
    wrap_format(&wrap, "the tool pose does not match the joint angles in the %s stream; diagnose shows the error",
                side_names[side]);
    text_wrap_end(&wrap);
}

/* Whether the poses are what the joints beside them say: not if columns are read wrongly. */
static void remark_kinematics(struct remarks *remarks)
{
    struct armtap_kinematics_result results[ARMTAP_SIDES], *legacy = &results[ARMTAP_SIDE_LEGACY],
                                                           *rtde = &results[ARMTAP_SIDE_RTDE];
    char names[MODEL_NAMES_MAX], others[MODEL_NAMES_MAX];
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        results[side] = model_of_stream(remarks->comparison->sides[side]->summary);
        if (results[side].outcome == ARMTAP_KINEMATICS_MISMATCH)
            remark_mismatch(remarks, (enum armtap_side)side);
    }
    if (legacy->outcome != ARMTAP_KINEMATICS_MODEL || rtde->outcome != ARMTAP_KINEMATICS_MODEL)
        return;
    struct text_wrap wrap = remark(remarks);
    if (have_model_in_common(legacy, rtde))
        wrap_format(&wrap, "in both streams the poses match the joint angles of a %s",
                    model_names(names, legacy->model_count < rtde->model_count ? legacy : rtde));
    else
        wrap_format(&wrap,
                    "the poses match the joint angles of a %s in the legacy stream, but of a %s in the RTDE stream: "
                    "these are two robots, or one whose model was changed in between",
                    model_names(names, legacy), model_names(others, rtde));
    text_wrap_end(&wrap);
}

static void print_verdict(const struct comparison *comparison, size_t compared, size_t differ)
{
    size_t constant = count_picked(comparison, is_unproved), equal = compared - differ - constant;
    bool proves = equal > 1 && !comparison->sides[ARMTAP_SIDE_RTDE]->guessed;
    const char *paint = text_paint(stdout, differ > 0 ? PAINT_WARNING : proves ? PAINT_GOOD : PAINT_NONE);
    const char *plain = text_plain(stdout);
    char tolerance[60] = "", rest[60] = "";
    if (comparison->tolerance > 0)
        snprintf(tolerance, sizeof tolerance, "%s %g", differ > 0 ? " by more than" : " within", comparison->tolerance);
    if (constant > 0)
        snprintf(rest, sizeof rest, "; %zu never changed: no proof", constant);
    const char *within = differ > 0 || *tolerance ? tolerance : ", bit for bit";
    putchar('\n');
    if (differ > 0)
        text_line(stdout, 2, "%s%zu of %zu field%s differ%s%s%s%s", paint, differ, compared, compared == 1 ? "" : "s",
                  differ == 1 ? "s" : "", within, rest, plain);
    else if (equal == 0)
        text_line(stdout, 2, "%sno field changed, which proves nothing: record while the robot moves%s", paint, plain);
    else if (constant > 0)
        text_line(stdout, 2, "%s%zu of %zu fields %s equal%s%s%s", paint, equal, compared, equal == 1 ? "is" : "are",
                  within, rest, plain);
    else
        text_line(stdout, 2, "%s%s %zu field%s equal%s%s", paint, compared == 1 ? "the" : "all", compared,
                  compared == 1 ? " is" : "s are", within, plain);
}

void comparison_print(const struct comparison *comparison)
{
    struct remarks remarks = {.comparison = comparison};
    size_t differ, compared = comparison_compared(comparison, &differ);
    print_head(comparison);
    print_table(comparison);
    print_alone(comparison);
    remark_traps(&remarks);
    remark_bits(&remarks, ARMTAP_ID_actual_digital_input_bits);
    remark_bits(&remarks, ARMTAP_ID_actual_digital_output_bits);
    remark_integers(&remarks);
    remark_constants(&remarks);
    remark_absent(&remarks);
    remark_clocks(&remarks);
    remark_clockless(&remarks);
    remark_little(&remarks, compared);
    remark_recipe(&remarks);
    remark_kinematics(&remarks);
    print_verdict(comparison, compared, differ);
}
