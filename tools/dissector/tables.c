#include <inttypes.h>

#include "../../decoders/external_control_words.h"
#include "armtap.h"
#include "base/process/message.h"
#include "base/text/utf8.h"
#include "dissector.h"

static void put_string(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fprintf(to, "\\%03d", (unsigned char)*text);
        else
            putc(*text, to);
    putc('"', to);
}

static void put_member(FILE *to, const char *key, const char *text)
{
    fprintf(to, "%s = ", key);
    put_string(to, text);
    fputs(", ", to);
}

#define UNICODE_END 0x110000u

/* ---- fields ------------------------------------------------------------------------------------------------------ */

#define ARMTAP_GENERATION_ANY ARMTAP_GENERATION_UNKNOWN
static const char *const generations[] = {
    [ARMTAP_GENERATION_UNKNOWN] = "ur",
    [ARMTAP_GENERATION_CB2] = "cb2",
    [ARMTAP_GENERATION_CB3E] = "cb3e",
    [ARMTAP_GENERATION_AUBO] = "aubo",
};

static void put_values(FILE *to, const struct armtap_field *field)
{
    const struct armtap_enum_value *value = armtap_enum_at(field, 0);
    if (!value)
        return;
    fputs("values = {", to);
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++) {
        fprintf(to, "{%s = %" PRId64 ", generation = \"%s\", ", value->is_bit ? "bit" : "value", value->value,
                generations[value->generation]);
        put_member(to, "name", value->name);
        fputs("}, ", to);
    }
    fputs("}, ", to);
}

/* BOOL to DOUBLE: what a packet holds. */
static void put_field(FILE *to, const struct armtap_field *field)
{
    fputs("  {", to);
    put_member(to, "name", field->name);
    put_member(to, "element", armtap_type_name(field->type, 1));
    put_member(to, "type", armtap_type_name(field->type, field->count));
    put_member(to, "unit", field->unit);
    put_member(to, "meaning", field->meaning);
    put_values(to, field);
    fprintf(to, "count = %u, rtde = %s, realtime = %s},\n", (unsigned)field->count,
            field->direction & ARMTAP_FIELD_BOTH ? "true" : "false",
            field->column_cb2 != 0 || field->column_cb3e != 0 ? "true" : "false");
}

static void put_fields(FILE *to)
{
    fputs("armtap.fields = {\n", to);
    for (size_t i = 0; i < armtap_field_count(); i++)
        put_field(to, armtap_field_at(i));
    fputs("}\n", to);
}

static void put_types(FILE *to)
{
    static const unsigned counts[] = {1, 3, 6};
    fputs("armtap.types = {\n", to);
    for (int type = ARMTAP_BOOL; type <= ARMTAP_DOUBLE; type++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const char *name = armtap_type_name((enum armtap_type)type, counts[i]);
            if (name[0] != '\0')
                fprintf(to, "  %s = {element = \"%s\", count = %u, width = %zu},\n", name,
                        armtap_type_name((enum armtap_type)type, 1), counts[i],
                        armtap_type_width((enum armtap_type)type));
        }
    fputs("}\n", to);
}

/* ---- realtime ---------------------------------------------------------------------------------------------------- */

/* Of the layouts that have these columns. */
static enum armtap_generation generation_of(const struct armtap_recipe *recipe)
{
    unsigned column = 1;
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_field *field = armtap_recipe_at(recipe, i)->field;
        if (field->column_cb2 != column)
            return ARMTAP_GENERATION_CB3E;
        column += field->count;
    }
    return ARMTAP_GENERATION_CB2;
}

static int put_layout(FILE *to, size_t size)
{
    struct armtap_recipe *recipe;
    if (armtap_recipe_realtime(size, &recipe) != ARMTAP_OK)
        return message_no_memory();
    fprintf(to, "  {size = %zu, generation = \"%s\", fields = {", size, generations[generation_of(recipe)]);
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        put_string(to, armtap_recipe_at(recipe, i)->field->name);
        fputs(", ", to);
    }
    fprintf(to, "}},\n");
    armtap_recipe_release(recipe);
    return 0;
}

static int put_layouts(FILE *to)
{
    fputs("armtap.layouts = {\n", to);
    for (size_t i = 0; armtap_realtime_size_at(i) != 0; i++)
        if (put_layout(to, armtap_realtime_size_at(i)) != 0)
            return -1;
    fputs("}\n", to);
    return 0;
}

/* ---- RTDE, AUBO and ports ---------------------------------------------------------------------------------------- */

static void put_packages(FILE *to)
{
    fputs("armtap.rtde_packages = {\n", to);
#define MESSAGE(type, name, to_least, to_most, from_least, from_most)                                                  \
    fprintf(to, "  {id = \"%s\", type = %d, name = \"%s\", to_robot = {%d, %d}, from_robot = {%d, %d}},\n", #type,     \
            (int)(type), name, to_least, to_most, from_least, from_most);
#include "../../decoders/rtde_messages.def"
    fputs("}\n", to);
}

/* Rows stand behind their layout. */
static void put_primary_layouts(FILE *to)
{
    const char *before = "";
    fputs("armtap.primary_layouts = {\n", to);
#define LAYOUT(layout, type, part, title, generation, least, most, flag)                                               \
    fprintf(to,                                                                                                        \
            "%s  {type = %d, part = %d, title = \"%s\", generation = \"%s\", least = %u, most = %u, flag = %d, "       \
            "rows = {",                                                                                                \
            before, type, part, title, generations[ARMTAP_GENERATION_##generation], (unsigned)(least),                 \
            (unsigned)(most), flag);                                                                                   \
    before = "}},\n";
#define ROW(layout, wire, offset, count, stride, name, field, conversion)                                              \
    fprintf(to, "\n    {wire = \"%s\", offset = %d, count = %d, stride = %d, field = \"%s\", conversion = \"%s\"},",   \
            #wire, offset, count, stride, field, #conversion);
#include "../../decoders/primary_layouts.def"
    fputs("}},\n}\n", to);
}

static void put_primary_messages(FILE *to)
{
    fputs("armtap.primary_messages = {\n", to);
#define MESSAGE(type, name) fprintf(to, "  {type = %d, name = \"%s\"},\n", type, name);
#include "../../decoders/primary_messages.def"
    fputs("}\narmtap.primary_levels = {", to);
#define REPORT_LEVEL(number, name) fprintf(to, "[%d] = \"%s\", ", number, name);
#include "../../decoders/primary_messages.def"
    fputs("}\narmtap.primary_sources = {", to);
#define SOURCE(number, name) fprintf(to, "[%d] = \"%s\", ", number, name);
#include "../../decoders/primary_sources.def"
    fputs("}\n", to);
}

/* Parts stand behind their message. */
static void put_robot_messages(FILE *to)
{
    enum { ONCE, REPEATED };
    const char *before = "";
    fputs("armtap.robot_messages = {\n", to);
#define ROBOT_MESSAGE(type, name, kind, often)                                                                         \
    fprintf(to, "%s  {type = %d, name = \"%s\", repeated = %s, parts = {", before, type, name,                         \
            (often) == REPEATED ? "true" : "false");                                                                   \
    before = "}},\n";
#define PART(type, generation, wire, name, member)                                                                     \
    fprintf(to, "\n    {generation = \"%s\", wire = \"%s\", name = \"%s\", member = \"%s\"},",                         \
            generations[ARMTAP_GENERATION_##generation], #wire, name, #member);
#include "../../decoders/primary_messages.def"
    fputs("}},\n}\n", to);
}

static void put_dashboard_lines(FILE *to)
{
#define GREETING(words) fprintf(to, "armtap.dashboard_greeting = \"%s\"\n", words);
#include "../../decoders/dashboard_lines.def"
#define STATE(request, reply, field)                                                                                   \
    fprintf(to, "  {request = \"%s\", reply = \"%s\", field = \"%s\"},\n", request, reply, #field);
    fputs("armtap.dashboard_states = {\n", to);
#include "../../decoders/dashboard_lines.def"
#define REFUSAL(words, advice) fprintf(to, "  {words = \"%s\", advice = \"%s\"},\n", words, advice);
    fputs("}\narmtap.dashboard_refusals = {\n", to);
#include "../../decoders/dashboard_lines.def"
    fputs("}\n", to);
}

static void put_control_rows(FILE *to)
{
#define LAYOUT(name, port, words, kind) fprintf(to, "  {port = %d, words = %d, kind = \"%s\"},\n", port, words, #kind);
    fputs("armtap.control_layouts = {\n", to);
#include "../../decoders/external_control_layouts.def"
#define KIND(name, title, selector) fprintf(to, "  %s = {title = \"%s\", selector = %d},\n", #name, title, selector);
    fputs("}\narmtap.control_kinds = {\n", to);
#include "../../decoders/external_control_layouts.def"
#define SELECTOR(kind, number, name)                                                                                   \
    fprintf(to, "  {kind = \"%s\", number = %d, name = \"%s\"},\n", #kind, number, name);
    fputs("}\narmtap.control_selectors = {\n", to);
#include "../../decoders/external_control_layouts.def"
#define RESULT(port, name) fprintf(to, "  {port = %d, name = \"%s\"},\n", port, name);
    fputs("}\narmtap.control_results = {\n", to);
#include "../../decoders/external_control_layouts.def"
    fputs("}\n", to);
}

static void put_control_values(FILE *to)
{
    enum { ALWAYS, IN_SEARCH };
#define BOUND(kind, when, word, count, least, most)                                                                    \
    fprintf(to, "  {kind = \"%s\", in_search = %s, word = %d, count = %d, least = %d, most = %d},\n", #kind,           \
            (when) == IN_SEARCH ? "true" : "false", word, count, least, most);
    fputs("armtap.control_bounds = {\n", to);
#include "../../decoders/external_control_layouts.def"
#define VALUE(kind, selectors, condition, word, count, name, wire)                                                     \
    fprintf(to,                                                                                                        \
            "  {kind = \"%s\", selectors = %" PRIu32 ", condition = \"%s\", word = %d, count = %d, name = \"%s\", "    \
            "wire = \"%s\"},\n",                                                                                       \
            #kind, (uint32_t)(selectors), #condition, word, count, name, #wire);
    fputs("}\narmtap.control_values = {\n", to);
#include "../../decoders/external_control_layouts.def"
    fprintf(to, "}\narmtap.control = {micro = %d, milli = %d, unknown = %d, result_least = %d, result_most = %d,\n",
            MICRO_SCALE, MILLI_SCALE, NUMBER_MOST, RESULT_LEAST, RESULT_MOST);
    fprintf(to, "  script_port = %d, profile = %d, flag = %d, zeros = %d, duration = %d, blend = %d, quintic = %d,\n",
            SCRIPT_PORT, POINT_PROFILE, POINT_FLAG, POINT_ZEROS, POINT_DURATION, POINT_BLEND, QUINTIC_TYPE);
    fprintf(to, "  longest_milli = %d, request = ", LONGEST_MILLI);
    put_string(to, SCRIPT_REQUEST);
    fputs("}\n", to);
}

static void put_aubo_topics(FILE *to)
{
    fprintf(to, "armtap.aubo_arms = %d\narmtap.aubo_topics = {\n", ARMTAP_ARMS_MAX);
#define ROBOT(topic, field, factor)                                                                                    \
    fprintf(to, "  {name = \"%s\", field = \"%s\", factor = %d, arm = false},\n", #topic, #field, factor);
#define ARM(topic, field, factor)                                                                                      \
    fprintf(to, "  {name = \"%s\", field = \"%s\", factor = %d, arm = true},\n", #topic, #field, factor);
#include "../../decoders/aubo_topics.def"
    fputs("}\n", to);
}

static void put_ports(FILE *to)
{
    const struct armtap_protocol_info *info;
    fputs("armtap.ports = {\n", to);
    for (size_t i = 0; (info = armtap_protocol_at(i)); i++) {
        fprintf(to, "  %s = {", info->name);
        for (const uint16_t *port = info->ports; *port != 0; port++)
            fprintf(to, "%u, ", (unsigned)*port);
        fputs("},\n", to);
    }
    fputs("}\n", to);
}

static void put_safety_words(FILE *to)
{
    fputs("armtap.safety_words = {\n", to);
#define WORD(text, later, first)                                                                                       \
    fprintf(to, "  {text = \"%s\", later = \"%s\", first = \"%s\"},\n", text, #later, #first);
#include "../../lib/analysis/facts/safety_words.def"
    fputs("}\narmtap.safety_sums = {\n", to);
#define SUMS_UP(bit, others) fprintf(to, "  {bit = %d, others = %" PRIu32 "},\n", bit, UINT32_C(others));
#include "../../lib/analysis/facts/safety_words.def"
    fputs("}\n", to);
}

static void put_findings(FILE *to)
{
    fputs("armtap.findings = {\n", to);
    for (size_t i = 0; i < armtap_note_count(); i++) {
        const struct armtap_note_kind *kind = armtap_note_at(i);
        fprintf(to, "  [\"%s\"] = {", kind->id);
        put_member(to, "severity", armtap_severity_name(kind->severity));
        put_member(to, "meaning", kind->meaning);
        fputs("},\n", to);
    }
    fputs("}\n", to);
}

/* Ranges of characters that would do something to a terminal, or that nobody sees. */
static void put_hidden(FILE *to)
{
    fputs("armtap.hidden = {", to);
    for (uint32_t first = 0, end; first < UNICODE_END; first = end + 1) {
        for (end = first; end < UNICODE_END && utf8_is_hidden(end); end++)
            continue;
        if (end > first)
            fprintf(to, "{%" PRIu32 ", %" PRIu32 "}, ", first, end - 1);
    }
    fputs("}\n", to);
}

int dissector_tables(FILE *to)
{
    fprintf(to,
            "-- Made by armtap %s: do not edit.\n"
            "local is_read, dissector = pcall(Dissector.get, \"ur_rtde\")\n"
            "if is_read and dissector then return end -- by a copy in another folder\n"
            "local armtap = {version = \"%s\"}\n",
            armtap_version(), armtap_version());
    put_fields(to);
    put_types(to);
    put_packages(to);
    put_primary_layouts(to);
    put_primary_messages(to);
    put_robot_messages(to);
    put_dashboard_lines(to);
    put_control_rows(to);
    put_control_values(to);
    put_aubo_topics(to);
    put_ports(to);
    put_safety_words(to);
    put_findings(to);
    put_hidden(to);
    return put_layouts(to);
}
