/* Messages of the primary interface, as of 3.5 and 5.x. Big-endian: {int32 length, uint8 type, body}; a state's body is
 * sub-packages {uint32 length, uint8 type, content}. Source: UR's guide to the primary and secondary interfaces. */
#include <math.h>
#include <string.h>

#include "servers.h"

#define STATE 16
#define ROBOT_MESSAGE 20
#define VERSION_MESSAGE 3
#define SOURCE_ROBOT_INTERFACE 254u /* -2 */
#define NO_TIME UINT64_MAX

/* A value of a sub-package, from a variable or made up. */
struct cell {
    char wire;    /* B uint8, I uint32, Q uint64, f float, d double */
    char meaning; /* v: the value; e: whether it equals `operand`; m: times `operand`; b: its bit `operand`; t: to the
                     next row's, for each joint; 0: only `otherwise` */
    enum armtap_field_id id;
    unsigned element;
    double otherwise; /* where the capture lacks it */
    double operand;
};

#define VALUE(wire, name, i, otherwise)                                                                                \
    {                                                                                                                  \
        wire, 'v', ARMTAP_ID_##name, i, otherwise, 0                                                                   \
    }
#define EQUALS(name, number, otherwise)                                                                                \
    {                                                                                                                  \
        'B', 'e', ARMTAP_ID_##name, 0, otherwise, number                                                               \
    }
#define BIT(wire, name, bit)                                                                                           \
    {                                                                                                                  \
        wire, 'b', ARMTAP_ID_##name, 0, 0, bit                                                                         \
    }
#define TIMES(wire, name, factor)                                                                                      \
    {                                                                                                                  \
        wire, 'm', ARMTAP_ID_##name, 0, 0, factor                                                                      \
    }
#define FIXED(wire, number)                                                                                            \
    {                                                                                                                  \
        wire, 0, 0, 0, number, 0                                                                                       \
    }

static const struct cell mode_cells[] = {TIMES('Q', timestamp, 1e6),
                                         FIXED('B', 1),
                                         FIXED('B', 1),
                                         FIXED('B', 1),
                                         EQUALS(safety_mode, 7, 0),
                                         EQUALS(safety_mode, 3, 0),
                                         EQUALS(runtime_state, 2, 0),
                                         EQUALS(runtime_state, 4, 0),
                                         VALUE('B', robot_mode, 0, 7),
                                         FIXED('B', 0),
                                         VALUE('d', target_speed_fraction, 0, 1),
                                         VALUE('d', speed_scaling, 0, 1),
                                         FIXED('d', 1),
                                         FIXED('B', 0)};
#define JOINT(i)                                                                                                       \
    VALUE('d', actual_q, i, 0), VALUE('d', target_q, i, 0), VALUE('d', actual_qd, i, 0),                               \
        VALUE('f', actual_current, i, 0), VALUE('f', actual_joint_voltage, i, 48),                                     \
        VALUE('f', joint_temperatures, i, 25), FIXED('f', 25), VALUE('B', joint_mode, i, 253)
static const struct cell joint_cells[] = {JOINT(0), JOINT(1), JOINT(2), JOINT(3), JOINT(4), JOINT(5)};
static const struct cell tool_cells[] = {BIT('B', tool_analog_input_types, 0),
                                         BIT('B', tool_analog_input_types, 1),
                                         VALUE('d', tool_analog_input0, 0, 0),
                                         VALUE('d', tool_analog_input1, 0, 0),
                                         FIXED('f', 48),
                                         VALUE('B', tool_output_voltage, 0, 0),
                                         TIMES('f', tool_output_current, 1e-3),
                                         VALUE('f', tool_temperature, 0, 25),
                                         VALUE('B', tool_mode, 0, 253)};
static const struct cell board_cells[] = {VALUE('I', actual_digital_input_bits, 0, 0),
                                          VALUE('I', actual_digital_output_bits, 0, 0),
                                          BIT('B', analog_io_types, 0),
                                          BIT('B', analog_io_types, 1),
                                          VALUE('d', standard_analog_input0, 0, 0),
                                          VALUE('d', standard_analog_input1, 0, 0),
                                          BIT('B', analog_io_types, 2),
                                          BIT('B', analog_io_types, 3),
                                          VALUE('d', standard_analog_output0, 0, 0),
                                          VALUE('d', standard_analog_output1, 0, 0),
                                          FIXED('f', 30),
                                          VALUE('f', actual_robot_voltage, 0, 48),
                                          VALUE('f', actual_robot_current, 0, 0),
                                          TIMES('f', io_current, 1e-3),
                                          VALUE('B', safety_mode, 0, 1),
                                          EQUALS(safety_mode, 2, 0),
                                          FIXED('B', 0),
                                          FIXED('I', 0),
                                          FIXED('B', 0),
                                          FIXED('B', 0),
                                          FIXED('B', 0)};
#define SIX(wire, name)                                                                                                \
    VALUE(wire, name, 0, 0), VALUE(wire, name, 1, 0), VALUE(wire, name, 2, 0), VALUE(wire, name, 3, 0),                \
        VALUE(wire, name, 4, 0), VALUE(wire, name, 5, 0)
static const struct cell cartesian_cells[] = {SIX('d', actual_TCP_pose), SIX('d', tcp_offset)};

/* A UR5e by its data sheet: links, calibrated as made; limits; the types of box and robot. */
#define SIX_FIXED(a, b, c, d, e, f)                                                                                    \
    FIXED('d', a), FIXED('d', b), FIXED('d', c), FIXED('d', d), FIXED('d', e), FIXED('d', f)
#define DH_A SIX_FIXED(0, -0.425, -0.3922, 0, 0, 0)
#define DH_D SIX_FIXED(0.1625, 0, 0, 0.1333, 0.0997, 0.0996)
#define DH_ALPHA SIX_FIXED(1.5707963267948966, 0, 0, 1.5707963267948966, -1.5707963267948966, 0)
#define DH_THETA SIX_FIXED(0, 0, 0, 0, 0, 0)
#define TURN 6.283185307179586
#define LIMITS FIXED('d', -TURN), FIXED('d', TURN)
#define SPEED FIXED('d', 3.141592653589793), FIXED('d', 40)
static const struct cell kinematics_cells[] = {FIXED('I', 1), FIXED('I', 1), FIXED('I', 1), FIXED('I', 1),
                                               FIXED('I', 1), FIXED('I', 1), DH_THETA,      DH_A,
                                               DH_D,          DH_ALPHA,      FIXED('I', 0)};
static const struct cell configuration_cells[] = {LIMITS,
                                                  LIMITS,
                                                  LIMITS,
                                                  LIMITS,
                                                  LIMITS,
                                                  LIMITS,
                                                  SPEED,
                                                  SPEED,
                                                  SPEED,
                                                  SPEED,
                                                  SPEED,
                                                  SPEED,
                                                  FIXED('d', 1.05),
                                                  FIXED('d', 1.4),
                                                  FIXED('d', 0.25),
                                                  FIXED('d', 1.2),
                                                  FIXED('d', 0.25),
                                                  DH_A,
                                                  DH_D,
                                                  DH_ALPHA,
                                                  DH_THETA,
                                                  FIXED('I', 0),
                                                  FIXED('I', 5),
                                                  FIXED('I', 1),
                                                  FIXED('I', 0)};

static const struct sub_package {
    uint8_t type;
    bool only_first;
    const struct cell *cells;
    size_t count;
} sub_packages[] = {
#define CELLS(array) array, sizeof array / sizeof *array
    {0, false, CELLS(mode_cells)},         {1, false, CELLS(joint_cells)}, {4, false, CELLS(cartesian_cells)},
    {5, true, CELLS(kinematics_cells)},    {3, false, CELLS(board_cells)}, {2, false, CELLS(tool_cells)},
    {6, true, CELLS(configuration_cells)},
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_integer(struct buffer *out, uint64_t number, unsigned bytes)
{
    while (bytes-- > 0)
        buffer_char(out, (char)(uint8_t)(number >> (8 * bytes)));
}

/* Modes below 0 and fractions count as their bytes. */
static uint64_t whole(double number)
{
    if (!(number > -9e18 && number < 9e18))
        return 0;
    return (uint64_t)(int64_t)number;
}

static void put_number(struct buffer *out, char wire, double number)
{
    uint64_t bits;
    uint32_t short_bits;
    float single = (float)number;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&short_bits, &single, sizeof short_bits);
    if (wire == 'd')
        put_integer(out, bits, 8);
    else if (wire == 'f')
        put_integer(out, short_bits, 4);
    else
        put_integer(out, whole(number), wire == 'B' ? 1 : wire == 'I' ? 4 : 8);
}

static double cell_number(const struct latest *latest, const struct cell *cell)
{
    if (cell->meaning == 0)
        return cell->otherwise;
    double number = latest_number(latest, cell->id, cell->element, NAN);
    if (isnan(number))
        return cell->otherwise;
    switch (cell->meaning) {
    case 'e':
        return number == cell->operand;
    case 'm':
        return number * cell->operand;
    case 'b':
        return (double)(whole(number) >> (unsigned)cell->operand & 1);
    default:
        return number;
    }
}

/* Puts the length of what was appended from `at` on. */
static void close_length(struct buffer *out, size_t at)
{
    size_t length = out->length - at;
    if (out->failed)
        return;
    for (unsigned i = 4; i > 0; i--, length >>= 8)
        out->data[at + i - 1] = (char)(uint8_t)length;
}

static void put_sub_package(const struct latest *latest, const struct sub_package *sub, struct buffer *out)
{
    size_t at = out->length;
    put_integer(out, 0, 4);
    put_integer(out, sub->type, 1);
    for (size_t i = 0; i < sub->count; i++)
        put_number(out, sub->cells[i].wire, cell_number(latest, &sub->cells[i]));
    close_length(out, at);
}

void primary_stub_state(const struct primary_stub *stub, bool is_first, struct buffer *out)
{
    size_t at = out->length;
    put_integer(out, 0, 4);
    put_integer(out, STATE, 1);
    for (size_t i = 0; i < sizeof sub_packages / sizeof *sub_packages; i++)
        if (is_first || !sub_packages[i].only_first)
            put_sub_package(&stub->latest, &sub_packages[i], out);
    close_length(out, at);
}

void primary_stub_version(const struct primary_stub *stub, struct buffer *out)
{
    static const char name[] = "URControl", date[] = "01-01-2021, 00:00:00";
    size_t at = out->length;
    put_integer(out, 0, 4);
    put_integer(out, ROBOT_MESSAGE, 1);
    put_integer(out, NO_TIME, 8);
    put_integer(out, SOURCE_ROBOT_INTERFACE, 1);
    put_integer(out, VERSION_MESSAGE, 1);
    put_integer(out, sizeof name - 1, 1);
    buffer_string(out, name);
    put_integer(out, stub->release[0], 1);
    put_integer(out, stub->release[1], 1);
    put_integer(out, stub->release[2], 4);
    put_integer(out, stub->release[3], 4);
    buffer_string(out, date);
    close_length(out, at);
}
