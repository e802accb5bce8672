/* The primary interface: its tables against the facts, its messages in any pieces. The bytes were packed by Python's
 * struct from UR's documents, or come from controllers. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/primary_message.h"
#include "../../decoders/primary_layout.h"
#include "inside.h"

/* ---- the tables ---- */

static const struct {
    const char *name;
    enum armtap_primary_wire wire;
} wires[] = {
    {"bool", ARMTAP_WIRE_BOOL},      {"int8", ARMTAP_WIRE_INT8},     {"uint8", ARMTAP_WIRE_UINT8},
    {"int16", ARMTAP_WIRE_INT16},    {"uint16", ARMTAP_WIRE_UINT16}, {"int32", ARMTAP_WIRE_INT32},
    {"uint32", ARMTAP_WIRE_UINT32},  {"uint64", ARMTAP_WIRE_UINT64}, {"float32", ARMTAP_WIRE_FLOAT},
    {"float64", ARMTAP_WIRE_DOUBLE},
};

/* Which elements of which rows a fact has named. */
struct seen {
    uint8_t rows[512];
    uint8_t sample[128]; /* a sub-package that shows the variant */
};

/* A sub-package of that type and size; `euromap`: its flags are set. */
static void make_sample(uint8_t sample[128], unsigned type, bool euromap)
{
    memset(sample, euromap ? 1 : 0, 128);
    sample[4] = (uint8_t)type;
}

static bool is_wire(const struct armtap_primary_row *row, const char *name)
{
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++)
        if (strcmp(wires[i].name, name) == 0)
            return row->wire == wires[i].wire || (row->wire == ARMTAP_WIRE_BOOL && wires[i].wire == ARMTAP_WIRE_UINT8);
    fail_msg("no type %s", name);
    return false;
}

/* Whether the fact's field ("actual_q_2", "analog_io_types.bit1", "-") is that of an element. */
static bool is_field(const struct armtap_primary_row *row, unsigned element, const char *fact)
{
    char name[96];
    if (row->conversion >= ARMTAP_CONVERT_BIT_0)
        snprintf(name, sizeof name, "analog_io_types.bit%d", row->conversion - ARMTAP_CONVERT_BIT_0);
    else if (row->count > 1 && row->field[0] != '\0')
        snprintf(name, sizeof name, "%s_%u", row->field, element);
    else
        snprintf(name, sizeof name, "%s", row->field);
    return strcmp(name[0] == '\0' ? "-" : name, fact) == 0;
}

/* subpackage, type, variant, size, offset, name, wire, field */
static void check_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct seen *seen = user;
    uint8_t found[ARMTAP_PRIMARY_PARTS];
    assert_int_equal(count, 8);
    if (strcmp(cells[6], "bytes") == 0)
        return;
    bool is_cb2 = strncmp(cells[2], "1.", 2) == 0 && strcmp(cells[2], "1.6-3.1") != 0 &&
                  strcmp(cells[2], "1.8-3.1") != 0 && strcmp(cells[2], "1.8- full") != 0;
    size_t size = strtoul(cells[3], NULL, 10), offset = strtoul(cells[4], NULL, 10);
    make_sample(seen->sample, (unsigned)strtoul(cells[1], NULL, 10), strstr(cells[2], "euromap"));
    size_t layouts =
        armtap_primary_layouts_of(seen->sample, size, is_cb2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E, found);
    for (size_t i = 0; i < layouts; i++) {
        size_t first = armtap_primary_layout_at(found[i])->first;
        for (size_t r = first; r < first + armtap_primary_rows_within(found[i], size); r++) {
            const struct armtap_primary_row *row = armtap_primary_row_at(r);
            for (unsigned k = 0; k < row->count; k++)
                if (row->offset + k * row->stride == offset && is_wire(row, cells[6]) && is_field(row, k, cells[7])) {
                    seen->rows[r] |= (uint8_t)(1u << k);
                    return;
                }
        }
    }
    fail_msg("%s %s: %s at %zu, a %s, is not \"%s\" in decoders/primary_layouts.def", cells[0], cells[2], cells[5],
             offset, cells[6], cells[7]);
}

static void test_every_fact_is_in_the_layouts_and_back(void **unused)
{
    struct seen seen = {.rows = {0}};
    (void)unused;
    assert_true(table_each("primary_layout.csv", check_row, &seen) > 500);
    const struct armtap_primary_row *row;
    for (size_t r = 0; (row = armtap_primary_row_at(r)); r++) {
        const struct armtap_primary_layout *layout = armtap_primary_layout_at(row->layout);
        if (seen.rows[r] != (1u << row->count) - 1 && strcmp(layout->name, "LaserPointer") != 0)
            fail_msg("no fact for %s of %s", row->name, layout->name);
    }
}

/* Rows stand in the order of their last bytes, fields have their vectors' elements, widened numbers fit. */
static void test_rows_are_in_order(void **unused)
{
    (void)unused;
    const struct armtap_primary_row *row, *before = NULL;
    for (size_t r = 0; (row = armtap_primary_row_at(r)); before = row, r++) {
        if (before && before->layout == row->layout)
            assert_true(armtap_primary_row_end(before) < armtap_primary_row_end(row));
        if (row->field[0] != '\0')
            assert_int_equal(field_named(row->field)->count, row->count);
    }
}

/* ---- messages ---- */

/* Controllers' first messages (VERSION, the undocumented 12), and those made with Python's struct. */
static const struct {
    const char *what, *hex, *expected, *note; /* NULL: none */
} messages[] = {
    {"VERSION of 5.4",
     "00000037 14 ffffffffffffffff fe 03 09 5552436f6e74726f6c 05 04 00000000 00000000"
     "30332d30352d323031392c2030363a33393a3030",
     "version C0A-1 \"URControl\" report -1 mode -1 line 0:0 data 0 0 clock nan from -2, text < level 3 "
     "\"03-05-2019, 06:39:00\" of \"ROBOTINTERFACE\"\n",
     NULL},
    {"TEXT",
     "000000601400000002dfdc18b0fd00536f636b65742074696d6564206f75742077616974696e6720666f7220636f6d6d616e64206f6e2072"
     "6576657273655f736f636b65742e20546865207363726970742077696c6c2065786974206e6f772e",
     "text < level 3 \"Socket timed out waiting for command on reverse_socket. The script will exit now.\" of "
     "\"RTMACHINE\"\n",
     "ur.message: quoted='Socket timed out waiting for command on reverse_socket. The script will exit now.' "
     "case=waits-in-vain"},
    {"TEXT of no bytes", "0000000f1400000002dfdc18b0fd00", "text < level 3 \"\" of \"RTMACHINE\"\n", "ur.message:\n"},
    {"ERROR_CODE C153A2", "000000231400000002dfdc18b0fd060000009900000002000000030000000100000000",
     "error C153A2 \"\" report 3 mode -1 line 0:0 data 1 0 clock 12345.678000 from -3, text < level 1 \"\" of "
     "\"RTMACHINE\"\n",
     "ur.error: code=153 argument=2 meaning=Position deviates from path: detected by the joint joint_name=elbow "
     "level=VIOLATION quoted_source='RTMACHINE'"},
    {"ERROR_CODE of a joint", "000000231400000002dfdc18b07006000000040000000e000000040000000100000000",
     "error C4A14 \"\" report 4 mode -1 line 0:0 data 1 0 clock 12345.678000 from 112, text < level 1 \"\" of "
     "\"JOINT_2_A\"\n",
     "ur.error: code=4 argument=14 meaning=Communication issue: communication with joint lost joint_name=elbow "
     "level=FAULT quoted_source='JOINT_2_A'"},
    {"ERROR_CODE with a float", "000000231400000002dfdc18b014060000011b000000330000000300000003439c4000",
     "error C283A51 \"\" report 3 mode -1 line 0:0 data 3 0x439c4000 clock 12345.678000 from 20, text < level 1 \"\" "
     "of \"SAFETY_PROCESSOR_UA\"\n",
     "ur.error: code=283 argument=51 meaning=Safety system: tool at 312.5 mm/s, beyond its safety limit "
     "level=VIOLATION quoted_source='SAFETY_PROCESSOR_UA'"},
    {"SAFETY_MODE", "000000201400000002dfdc18b0fd050000000000000000030000000100000000",
     "safety C0A0 \"\" report -1 mode 3 line 0:0 data 1 0 clock 12345.678000 from -3, text < level 3 \"\" of "
     "\"RTMACHINE\"\n",
     "ur.safety: value=3 name=PROTECTIVE_STOP"},
    {"POPUP",
     "000000581400000002dfdc18b0fd0200000007000000080100001c45787465726e616c20436f6e74726f6c207370656564206c696d697456"
     "656c6f636974792032352e3120726571756972656420696e206a6f696e742030",
     "popup C7A8 \"External Control speed limit\" report -1 mode -1 line 0:0 data 0 0 clock 12345.678000 from -3, text "
     "< level 2 \"Velocity 25.1 required in joint 0\" of \"RTMACHINE\"\n",
     "ur.popup: case=warning quoted_title='External Control speed limit' quoted='Velocity 25.1 required in joint 0'"},
    {"KEY", "000000301400000002dfdc18b0fd0700000000000000001350524f4752414d5f5858585f5354415254454473696c6c79",
     "program C0A0 \"PROGRAM_XXX_STARTED\" report -1 mode -1 line 0:0 data 0 0 clock 12345.678000 from -3, text < "
     "level 3 \"silly\" of \"RTMACHINE\"\n",
     "ur.program: case=started quoted_name='silly'"},
    {"HARDWARE_INFO", "0000001b14fffffffffffffffffe12000000010000000500000001",
     "hardware C1A5 \"\" report -1 mode -1 line 0:0 data 0 0x1 clock nan from -2, text < level 3 \"\" of "
     "\"ROBOTINTERFACE\"\n",
     NULL},
    {"PROGRAM_LABEL_THREADS", "000000241400000002dfdc18b0fd0e00000003000000054d6f76654a000000046d61696e",
     "label C0A-1 \"main\" report -1 mode -1 line 3:0 data 0 0 clock 12345.678000 from -3, text < level 3 \"MoveJ\" of "
     "\"RTMACHINE\"\n",
     NULL},
    {"RUNTIME_EXCEPTION",
     "00000032 14 00000002dfdc18b0 fd 0a 00000002 00000001 73796e7461785f6572726f725f6f6e5f6c696e653a323a656e643a",
     "exception C0A-1 \"\" report -1 mode -1 line 2:1 data 0 0 clock 12345.678000 from -3, text < level 0 "
     "\"syntax_error_on_line:2:end:\" of \"RTMACHINE\"\n",
     "ur.exception: line=2 column=1 quoted='syntax_error_on_line:2:end:'"},
};

/* A message of the robot's after VERSION, which says CB3 or later. */
static struct log log_of(const char *hex)
{
    struct script script = {.count = 0};
    script_hex(&script, ARMTAP_FROM_ROBOT, messages[0].hex);
    script_hex(&script, ARMTAP_FROM_ROBOT, hex);
    struct log log = script_log(&script, NULL);
    script_free(&script);
    return log;
}

static void test_robot_messages(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct log log = log_of(messages[i].hex);
        if (!log_has(&log, messages[i].expected))
            fail_msg("%s", messages[i].what);
        assert_int_equal(log.notes, messages[i].note ? 1 : 0);
        assert_true(!messages[i].note || log_has(&log, messages[i].note));
        assert_true(log_has(&log, "controller \"5.4.0\""));
        log_free(&log);
    }
}

/* Data that have no place in words stand beside them if their type says that they mean something: 0 and 1 are the
 * numbers of old releases. A code that the table lacks has no words. */
static void test_data_without_a_place(void **unused)
{
    static const char *const shown[] = {NULL, NULL, "data=1134313472", "data=312.5", "data=0x439c4000"};
    (void)unused;
    for (unsigned type = 0; type < 5; type++)
        for (unsigned is_zero = 0; is_zero < 2; is_zero++) {
            char hex[120];
            snprintf(hex, sizeof hex, "000000231400000002dfdc18b0fd06 000f4240 ffffffff 00000003 %08x %s", type,
                     is_zero ? "00000000" : "439c4000");
            struct log log = log_of(hex);
            assert_true(log_has(&log, "ur.error: code=1000000"));
            assert_true(log_has(&log, "data=") == (shown[type] && !is_zero));
            assert_true(!shown[type] || is_zero || log_has(&log, shown[type]));
            log_free(&log);
        }
}

/* What the facts have for a number; NULL: nothing. */
struct named {
    const char *of;
    long number;
    char name[40];
};

static void find_named(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct named *named = user;
    assert_int_equal(count, 3);
    if (strcmp(cells[0], named->of) == 0 && strtol(cells[1], NULL, 10) == named->number)
        snprintf(named->name, sizeof named->name, "%s", cells[2]);
}

static void check_name(const char *of, long number, const char *name)
{
    struct named named = {of, number, ""};
    table_each("primary_messages.csv", find_named, &named);
    assert_string_equal(name ? name : "", named.name);
}

static void test_sources_and_levels_are_those_of_the_facts(void **unused)
{
    (void)unused;
    for (int number = INT8_MIN; number <= INT8_MAX; number++)
        check_name("source", number, armtap_primary_source((int8_t)number));
    for (int number = -1; number <= UINT8_MAX + 1; number++)
        check_name("report_level", number, armtap_primary_report_level(number));
}

/* ---- variables ---- */

/* The facts' vectors: names, then an INT and a BOOL as 5.9 numbers them. */
#define NAMES "0000002019ffffffffffffffff000000636f756e7465720a677269707065640a"
#define VALUES "0000001919ffffffffffffffff0100000f0000002a0a0d010a"
#define VARIABLE(number, name, value)                                                                                  \
    "variable C" number "A-1 \"" name                                                                                  \
    "\" report -1 mode -1 line 0:0 data 0 0 clock nan from 0, text < level 3 \"" value "\" of \"\"\n"

static struct log log_of_program(const char *version, const char *names, const char *values)
{
    struct script script = {.count = 0};
    char hex[200];
    snprintf(hex, sizeof hex, "00000023 14 ffffffffffffffff fe 03 09 5552436f6e74726f6c %s 00000000 00000000", version);
    script_hex(&script, ARMTAP_FROM_ROBOT, hex);
    script_hex(&script, ARMTAP_FROM_ROBOT, names);
    script_hex(&script, ARMTAP_FROM_ROBOT, values);
    struct log log = script_log(&script, NULL);
    script_free(&script);
    return log;
}

static void test_variables(void **unused)
{
    (void)unused;
    struct log log = log_of_program("05 09", NAMES, VALUES);
    assert_true(log_has(&log, VARIABLE("0", "counter", "") VARIABLE("1", "gripped", "") VARIABLE("0", "counter", "42")
                                  VARIABLE("1", "gripped", "True")));
    assert_int_equal(log.notes, 0);
    log_free(&log);
    /* From the second variable on, and one that has no name. */
    log = log_of_program("05 09", NAMES, "0000001919ffffffffffffffff010001 0f0000002a0a 0d000a");
    assert_true(log_has(&log, VARIABLE("1", "gripped", "42") VARIABLE("2", "", "False")));
    log_free(&log);
}

/* The example of UR's document is in the numbers of 3.3 to 5.8, in which an INT of 5.9 is a FLOAT. */
static void test_variables_of_other_versions(void **unused)
{
    (void)unused;
    struct log log = log_of_program("05 04", NAMES, "0000001b19ffffffffffffffff010000 0c010a 030004616161610a");
    assert_true(log_has(&log, VARIABLE("0", "counter", "True") VARIABLE("1", "gripped", "\"aaaa\"")));
    log_free(&log);
    log = log_of_program("03 0e", NAMES, VALUES);
    assert_true(log_has(&log, VARIABLE("0", "counter", "42")));
    log_free(&log);
    log = log_of_program("03 02", NAMES, "0000001619ffffffffffffffff010001 0d0000002a0a");
    assert_true(log_has(&log, VARIABLE("1", "gripped", "42")));
    log_free(&log);
    log = log_of_program("00 00", NAMES, VALUES);
    assert_true(log_has(&log, "primary.unknown: case=variables bytes=9\n"));
    log_free(&log);
}

static void test_variables_that_cannot_be_read(void **unused)
{
    static const struct {
        const char *values, *note;
    } cases[] = {
        {"0000001919ffffffffffffffff010000 0d010a 0f00002a0a 00",
         "note < primary.message.bad: case=variable bytes=25 variable=1\n"},
        {"0000001519ffffffffffffffff010000 0d010a 0f00", "primary.message.bad: case=variable bytes=21 variable=1\n"},
        {"0000001619ffffffffffffffff010000 0d010a 010000",
         "primary.unknown: case=variable variable=1 type=1 offset=19 bytes=22\n"},
        {"0000001119ffffffffffffffff020000 00", "primary.unknown: case=program-state type=2 bytes=17"},
        {"0000000f19ffffffffffffffff0100", "primary.message.bad: case=program-state bytes=15\n"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log log = log_of_program("05 09", NAMES, cases[i].values);
        if (!log_has(&log, cases[i].note) || log.notes != 1)
            fail_msg("%s: %u notes\n%s", cases[i].values, log.notes, log.text);
        assert_true(i >= 3 || log_has(&log, VARIABLE("0", "counter", "True")));
        log_free(&log);
    }
}

/* In the numbers of 5.9. */
static void test_values(void **unused)
{
    static const struct {
        const char *hex, *text; /* NULL: cannot be read */
    } cases[] = {
        {"00", "None"},
        {"0d00", "False"},
        {"0fffffffff", "-1"},
        {"0f80000000", "-2147483648"},
        {"10 3dcccccd", "0.1"},
        {"10 bdcccccd", "-0.1"},
        {"10 00000000", "0"},
        {"0e 3f800000", "1"},
        {"10 42280000", "42"},
        {"10 42290000", "42.25"},
        {"10 4b800000", "16777216"},
        {"10 7f7fffff", "3.4028235e38"},
        {"10 00800000", "1.1754944e-38"},
        {"10 00000001", "1e-45"},
        {"10 3f7fffff", "0.99999994"},
        {"10 501502f9", "1e10"},
        {"10 33d6bf95", "1e-7"},
        {"10 7fc00000", "nan"},
        {"10 ff800000", "-inf"},
        {"04 0003 610a62", "\"a\nb\""},
        {"0c 3f800000 40000000 40400000 00000000 c0490fdb 00000000", "p[1, 2, 3, 0, -3.1415927, 0]"},
        {"11 0000", "[]"},
        {"11 0003 0f00000001 0d01 11 0001 00", "[1, True, [None]]"},
        {"12 0002 0002 0f00000001 0f00000002 0f00000003 0f00000004", "[[1, 2], [3, 4]]"},
        {"12 7fff 0000", "[]"},
        {"11 0001 11 0001 11 0001 11 0001 11 0001 11 0001 11 0001 00", "[[[[[[[None]]]]]]]"},
        {"11 0001 11 0001 11 0001 11 0001 11 0001 11 0001 11 0001 11 0001 00", NULL},
        {"0c 3f800000 40000000", NULL},
        {"12 0002", NULL},
        {"0d", NULL},
        {"63", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes bytes = {0};
        char text[200];
        bytes_hex(&bytes, cases[i].hex);
        struct armtap_value_reader reader = {
            ARMTAP_VALUES_FROM_5_9, bytes.at, bytes.at + bytes.length, text, 0, sizeof text, -1};
        bool is_read = armtap_value_read(&reader);
        text[reader.length] = '\0';
        if (is_read != (cases[i].text != NULL) || (is_read && strcmp(text, cases[i].text) != 0))
            fail_msg("%s: %s", cases[i].hex, text);
        assert_true(!is_read || reader.at == reader.end);
        bytes_free(&bytes);
    }
}

/* ---- states ---- */

/* One sub-package of a state, as some releases send it; the facts give its bytes. */
struct part {
    const char *name, *variant;
    size_t cut, more; /* bytes that it lacks, or that follow */
};

/* What the rows of a part become: values that differ by their offset. */
struct making {
    const struct part *part;
    uint8_t bytes[512];
    size_t size;
    unsigned type;
    struct expected {
        char field[80];
        double value;
    } expected[512];
    size_t count;
};

static double value_at(const char *variant, const char *name, const char *wire, size_t offset)
{
    if (strcmp(wire, "float64") == 0 || strcmp(wire, "float32") == 0)
        return (double)offset / 8 - 20;
    if (strcmp(name, "timestamp") == 0)
        return 25643784000.0;
    if (strcmp(wire, "uint16") == 0)
        return 0x2a0 + (double)offset;
    if (strncmp(name, "analogInputRange", 16) == 0 || strncmp(name, "analogOutputDomain", 18) == 0)
        return (double)(offset & 1);
    if (strcmp(name, "euromap67InterfaceInstalled") == 0)
        return strstr(variant, "euromap") != NULL;
    return (double)(strcmp(wire, "bool") == 0 ? offset & 1 : offset % 100);
}

static void put_wire(uint8_t *at, const char *wire, double value)
{
    struct bytes bytes = {0};
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (strcmp(wire, "float64") == 0)
        bytes_double(&bytes, value);
    else if (strcmp(wire, "float32") == 0)
        bytes_number(&bytes, bits, 4);
    else
        bytes_number(&bytes, (uint64_t)value,
                     strcmp(wire, "bool") == 0 || strstr(wire, "int8") ? 1
                     : strstr(wire, "16")                              ? 2
                     : strstr(wire, "32")                              ? 4
                                                                       : 8);
    memcpy(at, bytes.at, bytes.length);
    bytes_free(&bytes);
}

/* What the conversions make of it, from the facts: only these five fields are converted. */
static double converted(const char *variant, const char *field, double value)
{
    bool is_cb2 = strncmp(variant, "1.6-1.8", 7) == 0;
    if (strcmp(field, "timestamp") == 0)
        return value / 1e6;
    if (is_cb2 && strncmp(field, "actual_digital_", 15) == 0)
        return (double)(((unsigned)value & 0xff) | ((unsigned)value & 0x300) << 8);
    return strncmp(field, "primary_is", 10) == 0 || strstr(field, "_installed") || strstr(field, "enabl") ? value != 0
                                                                                                          : value;
}

static void make_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct making *making = user;
    (void)count;
    if (strcmp(cells[0], making->part->name) != 0 || strcmp(cells[2], making->part->variant) != 0)
        return;
    size_t offset = strtoul(cells[4], NULL, 10);
    double value = value_at(cells[2], cells[5], cells[6], offset);
    making->type = (unsigned)strtoul(cells[1], NULL, 10);
    making->size = strtoul(cells[3], NULL, 10);
    put_wire(making->bytes + offset, cells[6], value);
    if (strcmp(cells[7], "-") == 0)
        return;
    struct expected *expected = &making->expected[making->count++];
    snprintf(expected->field, sizeof expected->field, "%s", cells[7]);
    expected->value = converted(cells[2], cells[7], value);
}

static void add_part(struct bytes *state, const struct part *part, struct making *making)
{
    *making = (struct making){.part = part};
    table_each("primary_layout.csv", make_row, making);
    assert_true(making->size > 0);
    size_t length = making->size - part->cut + part->more;
    bytes_number(state, length, 4);
    bytes_number(state, making->type, 1);
    bytes_add(state, making->bytes + 5, length - 5);
}

/* Appends a ROBOT_STATE of these parts; `making` has one for each. */
static void add_state(struct bytes *bytes, const struct part *parts, size_t count, struct making *making)
{
    struct bytes state = {0};
    for (size_t i = 0; i < count; i++)
        add_part(&state, &parts[i], &making[i]);
    bytes_number(bytes, state.length + 5, 4);
    bytes_number(bytes, 16, 1);
    bytes_add(bytes, state.at, state.length);
    bytes_free(&state);
}

#define PARTS_MAX 16

/* The values of the last record, by name. */
struct values {
    struct armtap_value all[256];
    size_t count;
    unsigned records, notes;
    char note[256];
};

static int keep_values(void *user, const struct armtap_record *record)
{
    struct values *values = user;
    values->count = 0;
    values->records++;
    while (armtap_record_value(record, values->count, &values->all[values->count]))
        if (values->all[values->count].present)
            values->count++;
        else
            break;
    return 0;
}

static int keep_note(void *user, const struct armtap_note *note)
{
    struct values *values = user;
    values->notes++;
    snprintf(values->note, sizeof values->note, "%s: %s", note->kind->id, note->text);
    return 0;
}

static void decode(const struct bytes *bytes, struct values *values)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_values, .on_note = keep_note};
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_PRIMARY};
    struct armtap_conn *conn;
    *values = (struct values){.count = 0};
    assert_int_equal(armtap_conn_new(&options, &sink, values, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes->at, bytes->length, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    armtap_conn_free(conn);
}

static double number_of(const struct armtap_value *value, unsigned element)
{
    return value->type == ARMTAP_DOUBLE    ? value->f64[element]
           : armtap_value_is_signed(value) ? (double)value->i64[element]
                                           : (double)value->u64[element];
}

/* The value that a fact's field names: itself, an element of it, a bit of it. False if it is absent. */
static bool find_value(const struct values *values, const char *fact, double *number)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct armtap_value *value = &values->all[i];
        size_t length = strlen(value->name);
        if (strncmp(fact, value->name, length) != 0)
            continue;
        const char *rest = fact + length;
        if (rest[0] == '\0' && value->count == 1)
            *number = number_of(value, 0);
        else if (rest[0] == '_' && value->count > 1 && rest[2] == '\0')
            *number = number_of(value, (unsigned)(rest[1] - '0'));
        else if (strncmp(rest, ".bit", 4) == 0)
            *number = (double)((unsigned)number_of(value, 0) >> (rest[4] - '0') & 1);
        else
            continue;
        return true;
    }
    return false;
}

static void check_values(const struct values *values, const struct making *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct expected *expected = &making->expected[i];
        double number = 0, wanted = strstr(expected->field, ".bit") ? expected->value != 0 : expected->value;
        if (!find_value(values, expected->field, &number))
            fail_msg("%s %s: no %s", making->part->name, making->part->variant, expected->field);
        if (number != wanted)
            fail_msg("%s %s: %s is %g, not %g", making->part->name, making->part->variant, expected->field, number,
                     wanted);
    }
}

/* The first parts of each state: RobotModeData shows the generation. */
static const struct part cb2[] = {{"RobotModeData", "1.6-1.8", 0, 0},
                                  {"JointData", "all", 0, 0},
                                  {"ToolData", "all", 0, 0}},
                         cb3[] = {
                             {"RobotModeData", "3.5-", 0, 0}, {"JointData", "all", 0, 0}, {"ToolData", "all", 0, 0}};

struct variants {
    struct part parts[64];
    char names[64][2][32];
    size_t count;
};

static void add_variant(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct variants *variants = user;
    size_t last = variants->count;
    (void)count;
    if (strcmp(cells[6], "bytes") == 0 || (last > 0 && strcmp(variants->names[last - 1][0], cells[0]) == 0 &&
                                           strcmp(variants->names[last - 1][1], cells[2]) == 0))
        return;
    snprintf(variants->names[last][0], sizeof variants->names[last][0], "%s", cells[0]);
    snprintf(variants->names[last][1], sizeof variants->names[last][1], "%s", cells[2]);
    variants->parts[last] = (struct part){variants->names[last][0], variants->names[last][1], 0, 0};
    variants->count++;
}

static bool is_cb2_only(const char *variant)
{
    return strncmp(variant, "1.6-1.8", 7) == 0 || strcmp(variant, "1.8") == 0 || strcmp(variant, "1.6-1.7") == 0;
}

static bool is_in(const struct part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i].name, name) == 0)
            return true;
    return false;
}

/* A part in a state of its generation: its values are the facts', and no others come. */
static void check_variant(const struct part *part)
{
    static struct making making[PARTS_MAX];
    struct part parts[4];
    size_t count = 0, fields = 0;
    struct bytes bytes = {0};
    struct values values;
    const struct part *first = is_cb2_only(part->variant) ? cb2 : cb3;
    for (size_t i = 0; i < 3; i++)
        parts[count++] = first[i];
    for (size_t i = 0; i < 3; i++)
        if (strcmp(parts[i].name, part->name) == 0)
            parts[i] = *part;
    if (!is_in(parts, count, part->name))
        parts[count++] = *part;
    add_state(&bytes, parts, count, making);
    decode(&bytes, &values);
    assert_int_equal(values.records, 1);
    if (values.notes > 0)
        fail_msg("%s %s: %s", part->name, part->variant, values.note);
    for (size_t i = 0; i < count; i++) {
        check_values(&values, &making[i]);
        fields += making[i].count;
    }
    size_t elements = 0;
    for (size_t i = 0; i < values.count; i++)
        elements += strcmp(values.all[i].name, "analog_io_types") == 0 ? 4 : values.all[i].count;
    assert_int_equal(elements, fields);
    bytes_free(&bytes);
}

static void test_every_variant(void **unused)
{
    static struct variants variants;
    (void)unused;
    table_each("primary_layout.csv", add_variant, &variants);
    assert_int_equal(variants.count, 30);
    for (size_t i = 0; i < variants.count; i++)
        check_variant(&variants.parts[i]);
}

/* ---- there and back ---- */

static int encode_again(void *user, const struct armtap_record *record)
{
    unsigned *records = user;
    uint8_t *values = malloc(record->values_length);
    assert_non_null(values);
    int length = armtap_encode_values(record->recipe, record->state, values, record->values_length);
    assert_int_equal(length, record->values_length);
    assert_memory_equal(values, record->values, record->values_length);
    free(values);
    ++*records;
    return 0;
}

/* A state of one part with any content, behind a mode that shows the generation. */
static void add_random_state(struct bytes *bytes, const struct part *part, uint64_t *seed)
{
    static struct making making[1];
    struct bytes state = {0};
    bool is_mode = strcmp(part->name, "RobotModeData") == 0;
    if (!is_mode)
        add_part(&state, is_cb2_only(part->variant) ? &cb2[0] : &cb3[0], making);
    size_t from = state.length + 5;
    add_part(&state, part, making);
    for (size_t at = from; at < state.length; at++)
        state.at[at] = (uint8_t)random_bits(seed);
    bytes_number(bytes, state.length + 5, 4);
    bytes_number(bytes, 16, 1);
    bytes_add(bytes, state.at, state.length);
    bytes_free(&state);
}

/* Whatever a state holds, its values are those that its fields encode to. */
static void test_values_come_back(void **unused)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = encode_again};
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_PRIMARY};
    static struct variants variants;
    uint64_t seed = 4711;
    (void)unused;
    variants.count = 0;
    table_each("primary_layout.csv", add_variant, &variants);
    for (size_t i = 0; i < variants.count; i++) {
        struct armtap_conn *conn;
        unsigned records = 0;
        assert_int_equal(armtap_conn_new(&options, &sink, &records, &conn), ARMTAP_OK);
        for (unsigned round = 0; round < 200; round++) {
            struct bytes bytes = {0};
            add_random_state(&bytes, &variants.parts[i], &seed);
            assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes.at, bytes.length, NULL), ARMTAP_OK);
            bytes_free(&bytes);
        }
        assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
        assert_int_equal(records, 200);
        armtap_conn_free(conn);
    }
}

/* ---- streams ---- */

static void test_every_cut(void **unused)
{
    static struct making making[PARTS_MAX];
    struct bytes state = {0}, line = {0};
    struct script script = {.in_place = true};
    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        script_hex(&script, ARMTAP_FROM_ROBOT, messages[i].hex);
        script_hex(&script, ARMTAP_FROM_ROBOT, i == 0 ? NAMES : "0000001619ffffffffffffffff010000 0e0000002a0a");
        state.length = 0;
        add_state(&state, cb3, 3, making);
        script_add(&script, ARMTAP_FROM_ROBOT, &state);
        line.length = 0;
        bytes_text(&line, "movej([0, 0, 0, 0, 0, 0])\nset speed");
        script_add(&script, ARMTAP_TO_ROBOT, &line);
    }
    struct log whole = script_log(&script, NULL), cut = {.values = true};
    assert_int_equal(whole.records[0], 2);
    assert_int_equal(whole.records[1], 3);
    assert_int_equal(whole.notes, log_count(&whole, "note < ur.message:") + log_count(&whole, "ur.program:"));
    for (size_t at = 1; at < script.bytes.length; at++) {
        log_clear(&cut);
        script_play(&script, NULL, &at, 1, &cut);
        assert_string_equal(cut.text, whole.text);
    }
    log_free(&whole);
    log_free(&cut);
    script_free(&script);
    bytes_free(&state);
    bytes_free(&line);
}

/* ---- what is not as documented ---- */

/* A state of the parts, decoded alone; the caller frees nothing. */
static void decode_parts(const struct part *parts, size_t count, struct making *making, struct values *values)
{
    struct bytes bytes = {0};
    add_state(&bytes, parts, count, making);
    decode(&bytes, values);
    bytes_free(&bytes);
}

static void test_longer_ones_are_decoded_to_the_known_prefix(void **unused)
{
    static struct making making[PARTS_MAX];
    static const struct part parts[] = {
        {"RobotModeData", "3.5-", 0, 3}, {"JointData", "all", 0, 0}, {"MasterboardData", "3.5- euromap", 0, 7}};
    struct values values;
    (void)unused;
    decode_parts(parts, 3, making, &values);
    assert_int_equal(values.records, 1);
    for (size_t i = 0; i < 3; i++)
        check_values(&values, &making[i]);
    assert_int_equal(values.notes, 2);
    assert_string_equal(values.note,
                        "primary.longer: sub-package 3, MasterboardData, has 98 bytes, of which 91 are known");
}

/* The fields that fit are decoded, whatever is missing. */
static void test_shorter_ones_lack_their_last_fields(void **unused)
{
    static struct making making[PARTS_MAX];
    struct part parts[] = {
        {"RobotModeData", "3.5-", 0, 0}, {"JointData", "all", 0, 0}, {"MasterboardData", "3.5-", 0, 0}};
    (void)unused;
    for (size_t cut = 1; cut <= 70; cut++) {
        struct values values;
        parts[2].cut = cut;
        decode_parts(parts, 3, making, &values);
        assert_int_equal(values.records, 1);
        assert_int_equal(values.notes, 0);
        double number;
        assert_int_equal(find_value(&values, "actual_digital_input_bits", &number), 75 - cut >= 9);
        assert_int_equal(find_value(&values, "analog_io_types.bit0", &number), 75 - cut >= 33);
        assert_int_equal(find_value(&values, "safety_mode", &number), 75 - cut >= 66);
        assert_int_equal(find_value(&values, "primary_three_position_enabling_device_input", &number), 75 - cut >= 74);
    }
}

/* A flag that the size contradicts: there is no room for Euromap's values. */
static void test_euromap_needs_flag_and_size(void **unused)
{
    static struct making making[PARTS_MAX];
    static const struct part parts[] = {{"RobotModeData", "3.5-", 0, 0}, {"MasterboardData", "3.5- euromap", 16, 0}};
    struct values values;
    double number;
    (void)unused;
    decode_parts(parts, 2, making, &values);
    assert_true(find_value(&values, "primary_euromap67_installed", &number) && number == 1);
    assert_false(find_value(&values, "euromap67_input_bits", &number));
    assert_true(find_value(&values, "primary_operational_mode_selector_input", &number));
}

/* A state without RobotModeData: the sizes of its parts tell the generation, where only one has them. */
static void test_parts_of_cb2_alone(void **unused)
{
    static const struct part alone[] = {{"MasterboardData", "1.6-1.8", 0, 0}, {"AdditionalInfo", "1.6-1.7", 0, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        static struct making making[1];
        struct values values;
        decode_parts(&alone[i], 1, making, &values);
        check_values(&values, making);
    }
}

static void test_modes(void **unused)
{
    static const struct {
        const char *variant;
        unsigned mode;
        double expected;
    } cases[] = {{"3.5-", 255, -1}, {"3.5-", 7, 7}, {"3.0-3.1", 0, 0}, {"1.6-1.8", 0, 0}, {"1.6-1.8", 10, 10}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct making making[1];
        const struct part part = {"RobotModeData", cases[i].variant, 0, 0};
        struct bytes bytes = {0};
        struct values values;
        double number;
        add_state(&bytes, &part, 1, making);
        bytes.at[5 + 20] = (uint8_t)cases[i].mode;
        decode(&bytes, &values);
        assert_true(find_value(&values, "robot_mode", &number));
        assert_true(number == cases[i].expected);
        bytes_free(&bytes);
    }
}

/* Unknown sub-packages, messages and robot messages are skipped, and counted. */
static void test_unknown_ones_are_skipped_and_counted(void **unused)
{
    static struct making making[PARTS_MAX];
    struct bytes bytes = {0};
    struct values values;
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct bytes state = {0};
        add_part(&state, &cb3[0], &making[0]);
        bytes_hex(&state, "00000008 1c 010203  0000000a 0e 0102030405");
        bytes_number(&bytes, state.length + 5, 4);
        bytes_number(&bytes, 16, 1);
        bytes_add(&bytes, state.at, state.length);
        bytes_free(&state);
        bytes_hex(&bytes, "00000007 29 0102  00000011 14 00000002dfdc18b0 fd 1d 0102  0000000d 18 3fc3333333333333");
        bytes_hex(&bytes, "00000009 05 00000000");
    }
    decode(&bytes, &values);
    assert_int_equal(values.records, 2);
    assert_int_equal(values.notes, 2 * 3);
    check_values(&values, &making[0]);
    bytes_free(&bytes);
}

static void test_parts_that_do_not_add_up(void **unused)
{
    static const struct {
        const char *hex, *note;
    } cases[] = {
        {"0000000b 10 00000007 00 01", "the sub-packages of a ROBOT_STATE end after 5 of its 11 bytes"},
        {"0000000e 10 00000003 00 01020304", "the sub-packages of a ROBOT_STATE end after 5 of its 14 bytes"},
        {"00000019 14 00000002dfdc18b0 fd 07 00000000 00000000 05 41", "KEY of 25 bytes ends within its messageTitle"},
        {"00000015 14 00000002dfdc18b0 fd 06 00000099 0000", "ERROR_CODE of 21 bytes ends within its"},
        {"00000017 14 00000002dfdc18b0 fd 0e 00000003 ffffffff", "PROGRAM_LABEL_THREADS of 23 bytes ends within its"},
        {"0000000a 14 0000000200", "a robot message of only 10 bytes"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes bytes = {0};
        struct values values;
        bytes_hex(&bytes, messages[0].hex);
        bytes_hex(&bytes, cases[i].hex);
        decode(&bytes, &values);
        if (values.notes != 1 || !strstr(values.note, cases[i].note))
            fail_msg("%s: %u notes, %s", cases[i].hex, values.notes, values.note);
        bytes_free(&bytes);
    }
}

/* CB2's short form; which one it is follows from the version. */
static void test_popup_of_cb2(void **unused)
{
    struct script script = {.count = 0};
    (void)unused;
    script_hex(&script, ARMTAP_FROM_ROBOT,
               "00000028 14 ffffffffffffffff fe 03 09 5552436f6e74726f6c 01 08 00003039 00000000 61626364 65");
    script_hex(&script, ARMTAP_FROM_ROBOT, "00000019 14 0000000000000001 fd 02 00 01 03 414243 68656c6c");
    struct log log = script_log(&script, NULL);
    assert_true(log_has(&log, "popup C0A-1 \"ABC\" report -1 mode -1 line 0:0 data 0 0 clock nan from -3, text < level "
                              "1 \"hell\""));
    assert_true(log_has(&log, "cb2 controller \"1.8.12345\""));
    log_free(&log);
    script_free(&script);
}

/* A stream that is joined at any byte: the second state is found, and no false one before it. */
static void test_joined_anywhere(void **unused)
{
    static struct making making[PARTS_MAX];
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_PRIMARY, .midstream = true};
    struct bytes bytes = {0}, lines = {0};
    (void)unused;
    bytes_text(&lines, "ej([0, 0, 0, 0, 0, 0])\nstop program\n");
    add_state(&bytes, cb3, 3, making);
    size_t length = bytes.length;
    add_state(&bytes, cb3, 3, making);
    for (size_t from = 0; from < length; from++) {
        struct script script = {.in_place = true};
        const struct bytes rest = {.at = bytes.at + from, .length = bytes.length - from};
        script_add(&script, ARMTAP_FROM_ROBOT, &rest);
        script_add(&script, ARMTAP_TO_ROBOT, &lines);
        struct log log = script_log(&script, &options);
        assert_int_equal(log.records[0], from == 0 ? 2 : 1);
        if (from == 0)
            assert_int_equal(log.records[1], 1); /* the first line may lack its beginning */
        log_free(&log);
        script_free(&script);
    }
    bytes_free(&lines);
    bytes_free(&bytes);
}

/* A state without what is sent once is the beginning of one with it: they share a recipe. */
static void test_what_comes_once_does_not_change_the_recipe(void **unused)
{
    static struct making making[PARTS_MAX];
    static const struct part first[] = {{"RobotModeData", "3.5-", 0, 0},
                                        {"JointData", "all", 0, 0},
                                        {"KinematicsInfo", "1.8- full", 0, 0},
                                        {"ConfigurationData", "5.25.1-", 0, 0},
                                        {"ToolData", "all", 0, 0}};
    struct script script = {.count = 0};
    struct bytes state = {0};
    (void)unused;
    add_state(&state, first, 5, making);
    add_state(&state, cb3, 3, making);
    add_state(&state, first, 5, making);
    script_add(&script, ARMTAP_FROM_ROBOT, &state);
    struct log log = script_log(&script, NULL);
    assert_int_equal(log.records[0], 3);
    assert_int_equal(log.recipes, 1);
    assert_int_equal(log.notes, 0);
    log_free(&log);
    script_free(&script);
    bytes_free(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fact_is_in_the_layouts_and_back),
        cmocka_unit_test(test_rows_are_in_order),
        cmocka_unit_test(test_robot_messages),
        cmocka_unit_test(test_data_without_a_place),
        cmocka_unit_test(test_sources_and_levels_are_those_of_the_facts),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_variables_of_other_versions),
        cmocka_unit_test(test_variables_that_cannot_be_read),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_values_come_back),
        cmocka_unit_test(test_longer_ones_are_decoded_to_the_known_prefix),
        cmocka_unit_test(test_shorter_ones_lack_their_last_fields),
        cmocka_unit_test(test_euromap_needs_flag_and_size),
        cmocka_unit_test(test_parts_of_cb2_alone),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_unknown_ones_are_skipped_and_counted),
        cmocka_unit_test(test_parts_that_do_not_add_up),
        cmocka_unit_test(test_popup_of_cb2),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_joined_anywhere),
        cmocka_unit_test(test_what_comes_once_does_not_change_the_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
