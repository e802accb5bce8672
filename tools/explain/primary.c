/* UR's primary and secondary interfaces (30001, 30002, 30011, 30012), as far as explain names them: {int32 length,
 * uint8 type, body}; a state's body is sub-packages {uint32 length, uint8 type, content}. Big-endian; lengths count
 * themselves. armtap decodes none of it, so no decoder describes it: a message is named here, so that it is not taken
 * for another protocol's.
 *
 * Source: UR's guide to the primary and secondary interfaces; ur_client_library. */
#include "primary.h"

#include <stdio.h>
#include <string.h>

#define HEAD 5u /* length and type, of a message and of a sub-package */
#define MESSAGE_MOST 65535u
#define MODBUS_INFO 5
#define MODBUS_MOST 64u /* bytes; 9 were seen */
#define STATE 16
#define ROBOT_MESSAGE 20
#define HMC 22
#define SAFETY_SETUP 23
#define TOLERANCES 24
#define PROGRAM_STATE 25
#define DISCONNECT 255
#define ROBOT_MESSAGE_HEAD 15u
#define MESSAGE_KINDS 32u /* more than there are kinds of robot messages */
#define SUB_KINDS 64u     /* likewise of sub-packages */
#define MODE_DATA_BYTES 47u

struct name {
    unsigned number;
    const char *name;
};

static const struct name messages[] = {
    {MODBUS_INFO, "MODBUS_INFO"},
    {STATE, "ROBOT_STATE"},
    {ROBOT_MESSAGE, "ROBOT_MESSAGE"},
    {HMC, "HMC_MESSAGE"},
    {SAFETY_SETUP, "SAFETY_SETUP_BROADCAST"},
    {TOLERANCES, "SAFETY_COMPLIANCE_TOLERANCES"},
    {PROGRAM_STATE, "PROGRAM_STATE"},
    {DISCONNECT, "DISCONNECT"},
    {0, NULL},
};

static const struct name sub_packages[] = {
    {0, "RobotModeData"},      {1, "JointData"},        {2, "ToolData"},
    {3, "MasterboardData"},    {4, "CartesianInfo"},    {5, "KinematicsInfo"},
    {6, "ConfigurationData"},  {7, "ForceModeData"},    {8, "AdditionalInfo"},
    {9, "NeededForCalibData"}, {10, "SafetyData"},      {11, "ToolCommInfo"},
    {12, "ToolModeInfo"},      {13, "SingularityInfo"}, {0, NULL},
};

static const struct name kinds[] = {
    {0, "TEXT"},
    {1, "PROGRAM_LABEL"},
    {2, "POPUP"},
    {3, "VERSION"},
    {5, "SAFETY_MODE"},
    {6, "ERROR_CODE"},
    {7, "KEY"},
    {8, "VAR"},
    {9, "REQUEST_VALUE"},
    {10, "RUNTIME_EXCEPTION"},
    {14, "PROGRAM_LABEL_THREADS"},
    {18, "HARDWARE_INFO"},
    {0, NULL},
};

/* Big-endian, up to 8 bytes. */
static uint64_t integer_at(const uint8_t *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

static const char *name_of(const struct name *names, unsigned number)
{
    for (; names->name; names++)
        if (names->number == number)
            return names->name;
    return NULL;
}

/* ---- recognising ----------------------------------------------------------------------------------------------- */

/* Whether sub-packages follow one another to just the end of the message, as far as it is here. */
static bool chains(const uint8_t *bytes, size_t whole, size_t here)
{
    size_t at = HEAD;
    while (at < whole && at + HEAD <= here) {
        uint64_t length = integer_at(bytes + at, 4);
        if (length < HEAD || length > whole - at || bytes[at + 4] >= SUB_KINDS)
            return false;
        at += (size_t)length;
    }
    return at == whole || (at < whole && here < whole);
}

/* Whether the body is what the type says, as far as it is here. Of types whose layout is not public nothing can be
 * said: MODBUS_INFO is short. */
static bool body_fits(const uint8_t *bytes, size_t whole, size_t here)
{
    switch (bytes[4]) {
    case MODBUS_INFO:
        return whole > HEAD && whole <= MODBUS_MOST;
    case STATE:
        return whole > HEAD && chains(bytes, whole, here);
    case ROBOT_MESSAGE:
        return whole >= ROBOT_MESSAGE_HEAD && (here < ROBOT_MESSAGE_HEAD || bytes[14] < MESSAGE_KINDS);
    case TOLERANCES: /* of which the first is a small number */
        return (whole - HEAD) % 8 == 0 && (here == HEAD || bytes[HEAD] == 0 || bytes[HEAD] == 0x3f);
    case PROGRAM_STATE:
        return whole > 13 && (here <= 13 || bytes[13] <= 1);
    case DISCONNECT:
        return whole == HEAD;
    default:
        return true;
    }
}

/* What there is of a message whose head and body fit; 0: none begins here. */
static size_t fitting_length(const uint8_t *bytes, size_t length)
{
    uint64_t whole = length < HEAD ? 0 : integer_at(bytes, 4);
    if (whole < HEAD || whole > MESSAGE_MOST || !name_of(messages, bytes[4]))
        return 0;
    size_t here = whole < length ? (size_t)whole : length;
    return body_fits(bytes, (size_t)whole, here) ? here : 0;
}

static bool is_public(uint8_t type)
{
    return type != HMC && type != SAFETY_SETUP;
}

size_t primary_length(const uint8_t *bytes, size_t length)
{
    size_t here = fitting_length(bytes, length);
    if (here == 0 || is_public(bytes[4]))
        return here;
    bool goes_on = fitting_length(bytes + here, length - here) > 0 && is_public(bytes[here + 4]);
    return goes_on ? here : 0; /* a message behind it shows that this is one */
}

/* ---- pieces ---------------------------------------------------------------------------------------------------- */

/* A part: its bytes, the name of the field, and whether it is a number 'n', a signed one 'i', a double 'd', text that
 * is counted by the byte before 'c', or text to the end 't'. */
struct part {
    unsigned bytes;
    char kind;
    const char *field;
};

static const struct part mode_data[] = {{8, 'n', "timestamp"},
                                        {1, 'n', "real robot connected"},
                                        {1, 'n', "real robot enabled"},
                                        {1, 'n', "robot power on"},
                                        {1, 'n', "emergency stopped"},
                                        {1, 'n', "protective stopped"},
                                        {1, 'n', "program running"},
                                        {1, 'n', "program paused"},
                                        {1, 'n', "robot mode"},
                                        {1, 'n', "control mode"},
                                        {8, 'd', "target speed fraction"},
                                        {8, 'd', "speed scaling"},
                                        {8, 'd', "target speed limit"},
                                        {0, 0, NULL}};
static const struct part text_parts[] = {{0, 't', "text"}, {0, 0, NULL}};
static const struct part version_parts[] = {{0, 'c', "name"},  {1, 'n', "major"}, {1, 'n', "minor"}, {4, 'i', "bugfix"},
                                            {4, 'i', "build"}, {0, 't', "date"},  {0, 0, NULL}};
static const struct part safety_parts[] = {{4, 'i', "code"},      {4, 'i', "argument"}, {1, 'n', "safety mode"},
                                           {4, 'n', "data type"}, {4, 'n', "data"},     {0, 0, NULL}};
static const struct part error_parts[] = {{4, 'i', "code"},      {4, 'i', "argument"}, {4, 'n', "level"},
                                          {4, 'n', "data type"}, {4, 'n', "data"},     {0, 't', "text"},
                                          {0, 0, NULL}};
static const struct part key_parts[] = {
    {4, 'i', "code"}, {4, 'i', "argument"}, {0, 'c', "title"}, {0, 't', "text"}, {0, 0, NULL}};
static const struct part exception_parts[] = {{4, 'i', "line"}, {4, 'i', "column"}, {0, 't', "text"}, {0, 0, NULL}};

static const struct part *parts_of(unsigned kind)
{
    switch (kind) {
    case 0:
        return text_parts;
    case 3:
        return version_parts;
    case 5:
        return safety_parts;
    case 6:
        return error_parts;
    case 7:
        return key_parts;
    case 10:
        return exception_parts;
    default:
        return NULL;
    }
}

static size_t add_text(struct pieces *pieces, const uint8_t *bytes, size_t at, size_t length, const char *field)
{
    if (length > 0)
        pieces_add_text(pieces, at, field, bytes + at, length);
    return at + length;
}

static void add_number(struct pieces *pieces, const uint8_t *bytes, size_t at, const struct part *part)
{
    uint64_t number = integer_at(bytes + at, part->bytes);
    unsigned unused = 64 - 8 * part->bytes;
    double value;
    struct piece *piece = pieces_add(pieces, at, part->bytes, part->field);
    memcpy(&value, &number, sizeof value);
    if (part->kind == 'd')
        piece_set_double(piece, value);
    else if (part->kind == 'i')
        piece_set_signed(piece, (int64_t)(number << unused) / (INT64_C(1) << unused));
    else
        piece_set_unsigned(piece, number);
}

/* Parts from `at` to `end`, as many as there are. */
static void add_parts(struct pieces *pieces, const uint8_t *bytes, size_t at, size_t end, const struct part *part)
{
    for (; part && part->field && at < end; part++) {
        if (part->kind == 't') {
            at = add_text(pieces, bytes, at, end - at, part->field);
        } else if (part->kind == 'c') {
            size_t length = bytes[at] < end - at ? bytes[at] : end - at - 1;
            pieces_add_number(pieces, at, 1, "length of it", bytes[at]);
            at = add_text(pieces, bytes, at + 1, length, part->field);
        } else if (end - at < part->bytes) {
            return;
        } else {
            add_number(pieces, bytes, at, part);
            at += part->bytes;
        }
    }
}

/* The type, with its name. */
static void add_type(struct pieces *pieces, const uint8_t *bytes, size_t at, const char *field,
                     const struct name *names)
{
    const char *name = name_of(names, bytes[at]);
    pieces_add_number(pieces, at, 1, field, bytes[at]);
    pieces_remark(pieces, "%s", name ? name : "not documented");
}

static void add_state(struct pieces *pieces, const uint8_t *bytes, size_t here)
{
    size_t length;
    for (size_t at = HEAD; at + HEAD <= here; at += length) {
        length = (size_t)integer_at(bytes + at, 4);
        size_t end = at + length < here ? at + length : here;
        pieces_add_number(pieces, at, 4, "sub-package length", length);
        add_type(pieces, bytes, at + 4, "sub-package type", sub_packages);
        if (bytes[at + 4] == 0 && length == MODE_DATA_BYTES)
            add_parts(pieces, bytes, at + HEAD, end, mode_data);
    }
}

static void add_robot_message(struct pieces *pieces, const uint8_t *bytes, size_t here)
{
    static const struct part head[] = {{8, 'n', "timestamp"}, {1, 'i', "source"}, {0, 0, NULL}};
    size_t end = here < ROBOT_MESSAGE_HEAD ? here : ROBOT_MESSAGE_HEAD - 1;
    add_parts(pieces, bytes, HEAD, end, head);
    if (here < ROBOT_MESSAGE_HEAD)
        return;
    add_type(pieces, bytes, ROBOT_MESSAGE_HEAD - 1, "message type", kinds);
    add_parts(pieces, bytes, ROBOT_MESSAGE_HEAD, here, parts_of(bytes[ROBOT_MESSAGE_HEAD - 1]));
}

const char *primary_annotate(const uint8_t *bytes, size_t length, struct pieces *pieces)
{
    size_t whole = (size_t)integer_at(bytes, 4);
    pieces->rest = "of UR's primary interface, which armtap does not decode";
    struct piece *piece = pieces_add(pieces, 0, 4, "length");
    piece_set_unsigned(piece, whole);
    snprintf(piece->unit, sizeof piece->unit, "bytes");
    if (whole > length)
        pieces_remark(pieces, "(%zu are here)", length);
    add_type(pieces, bytes, 4, "type", messages);
    if (bytes[4] == STATE)
        add_state(pieces, bytes, length);
    else if (bytes[4] == ROBOT_MESSAGE)
        add_robot_message(pieces, bytes, length);
    return "UR primary interface message";
}
