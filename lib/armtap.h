/* armtap: robot-arm telemetry, decoded.
 *
 * Bytes go in, records come out through the callbacks of a sink. There are three entry points, each on top of the
 * previous one:
 *
 *   armtap_decode_realtime()   one legacy packet into a state: replaces the fixed-offset code behind a read() loop
 *   armtap_conn_*              one TCP connection, both directions, bytes in chunks of any size
 *   armtap_net_*               captured packets of any number of connections
 *
 * The library opens nothing, prints nothing, and has no globals. Functions that return int return 0 or one of the
 * negative errors below; errors mean a mistake of the caller, lack of memory, or a callback that asked to stop. Notes
 * report what is wrong with the input. Unless a comment says otherwise, pointers passed to a callback are valid during
 * the callback, and only one thread at a time may use an object.
 *
 * Misuse is detected where possible: NULL instead of a required pointer gives ERR_ARGUMENT, or is ignored; an index
 * beyond the end gives NULL, false or an absent value; a structure whose size was not set gives ERR_SIZE; calling an
 * object from within one of its own callbacks gives ERR_BUSY; after an error a connection or a net repeats that error
 * where it is given more to decode. The caller must ensure what cannot be detected: that an object was not freed, that
 * a buffer is as long as stated, that one thread at a time uses an object, that no callback is left by longjmp or an
 * exception.
 *
 * Units are the vendor's (see the field dictionary: armtap_field_at). "Guide" below is UR's RTDE guide, "table" UR's
 * spreadsheet of the client interfaces.
 */
#ifndef ARMTAP_H
#define ARMTAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap-fields.h"
#include "armtap-version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ARMTAP_API __attribute__((visibility("default")))
/* Before an anonymous union, which C99 and C++ have only as an extension: avoids a -Wpedantic warning. */
#define ARMTAP_EXTENSION __extension__
#else
#define ARMTAP_API
#define ARMTAP_EXTENSION
#endif

/* ---- errors ---------------------------------------------------------------------------------------------------- */

#define ARMTAP_ERRORS(X)                                                                                               \
    X(ARMTAP_ERR_ARGUMENT, -1, "an argument is out of range")                                                          \
    X(ARMTAP_ERR_MEMORY, -2, "out of memory")                                                                          \
    X(ARMTAP_ERR_STOPPED, -3, "a callback asked to stop")                                                              \
    X(ARMTAP_ERR_SHORT, -4, "fewer bytes than the message needs")                                                      \
    X(ARMTAP_ERR_NOT_OURS, -5, "not a message of this protocol")                                                       \
    X(ARMTAP_ERR_SPACE, -6, "the buffer is too small")                                                                 \
    X(ARMTAP_ERR_TYPE, -7, "unknown type")                                                                             \
    X(ARMTAP_ERR_UNSUPPORTED, -8, "not built into this library")                                                       \
    X(ARMTAP_ERR_BUSY, -9, "called from within a callback of the same object")                                         \
    X(ARMTAP_ERR_NOT_READY, -10, "not possible in this state")                                                         \
    X(ARMTAP_ERR_FILE, -11, "a file cannot be opened or read, or is damaged")                                          \
    X(ARMTAP_ERR_SIZE, -12, "a structure does not begin with its size, as sizeof gives it")

#define ARMTAP_ERROR_ENUM(name, value, text) name = value,
enum armtap_error { ARMTAP_OK = 0, ARMTAP_ERRORS(ARMTAP_ERROR_ENUM) };
#undef ARMTAP_ERROR_ENUM

/* One line of English for an error; never NULL. */
ARMTAP_API const char *armtap_strerror(int error);
/* "1.0.0": of the library that runs. ARMTAP_VERSION is that of the headers (armtap-version.h). */
ARMTAP_API const char *armtap_version(void);

/* ---- the dictionary of fields ---------------------------------------------------------------------------------- */

enum armtap_type {
    ARMTAP_BOOL,
    ARMTAP_UINT8,
    ARMTAP_UINT32,
    ARMTAP_UINT64,
    ARMTAP_INT32,
    ARMTAP_DOUBLE,
    ARMTAP_STRING, /* UTF-8 or bytes, by pointer and length; never in the state */
    ARMTAP_BYTES,  /* a value of unknown type */
    ARMTAP_INT64,  /* an integer of a text protocol; never in the state */
    ARMTAP_JSON    /* an array or object, as compact JSON text by pointer and length; in a recipe: any JSON value */
};

enum armtap_field_direction {
    ARMTAP_FIELD_OUTPUT = 1, /* the controller sends it over RTDE */
    ARMTAP_FIELD_INPUT = 2,  /* a client may write it over RTDE */
    ARMTAP_FIELD_BOTH = 3,
    ARMTAP_FIELD_LEGACY = 4, /* only in the legacy realtime packet */
    ARMTAP_FIELD_PRIMARY = 8 /* only in the primary interface */
};

/* Families of controllers that number their modes differently; the first two have legacy layouts of their own. */
enum armtap_generation {
    ARMTAP_GENERATION_UNKNOWN,
    ARMTAP_GENERATION_CB2,
    ARMTAP_GENERATION_CB3E,
    ARMTAP_GENERATION_AUBO
};

/* Decoders without an enumerator here use a number from 1000 on: see armtap_protocol_find. */
enum armtap_protocol {
    ARMTAP_PROTOCOL_NONE,
    ARMTAP_REALTIME,
    ARMTAP_RTDE,
    ARMTAP_AUBO,
    ARMTAP_PRIMARY,
    ARMTAP_EXTERNAL_CONTROL,
    ARMTAP_DASHBOARD,
    ARMTAP_PROTOCOL_MAX = INT32_MAX
};

#define ARMTAP_ID_SCALAR(name, ...) ARMTAP_ID_##name,
#define ARMTAP_ID_VECTOR(name, ...) ARMTAP_ID_##name,
#define ARMTAP_ID_FAMILY(array, ctype, type, length, ...)                                                              \
    ARMTAP_ID_##array, ARMTAP_ID_##array##_last = ARMTAP_ID_##array + (length)-1,
/* ARMTAP_ID_actual_q; ARMTAP_ID_output_int_register + n */
enum armtap_field_id { ARMTAP_FIELDS(ARMTAP_ID_SCALAR, ARMTAP_ID_VECTOR, ARMTAP_ID_FAMILY) ARMTAP_FIELD_COUNT };
#undef ARMTAP_ID_SCALAR
#undef ARMTAP_ID_VECTOR
#undef ARMTAP_ID_FAMILY

struct armtap_field {
    const char *name; /* its RTDE name; rt_N by its column if UR reserves it; primary_... without an RTDE name */
    const char *unit;
    const char *legacy_name; /* UR's name of the row in the realtime table, "" without one */
    const char *since;       /* software version that introduced the RTDE variable, "" if unknown */
    const char *meaning;
    enum armtap_field_id id;
    enum armtap_type type; /* of one element */
    enum armtap_field_direction direction;
    uint16_t count;       /* elements: 1, 3 or 6 */
    uint16_t column_cb2;  /* UR's gnuplot column in the CB2 layout, 0: not in it */
    uint16_t column_cb3e; /* the same in the CB3/e-Series layout */
    uint32_t offset;      /* of its first element in struct armtap_state */
};

ARMTAP_API size_t armtap_field_count(void);
/* The field with that id; NULL beyond the end. */
ARMTAP_API const struct armtap_field *armtap_field_at(size_t id);
/* The field with exactly that name; NULL if there is none, or for a NULL name. Reads `length` bytes of `name`, which
 * needs no terminator. */
ARMTAP_API const struct armtap_field *armtap_field_find(const char *name, size_t length);
/* The field that an unknown name probably means: it may differ in case and separators, be an element of a vector
 * ("actual_q_0"), another program's name for it, or a typing error. NULL unless one field is clearly nearest. Only
 * fields of that direction count: inputs, outputs, or ARMTAP_FIELD_BOTH. */
ARMTAP_API const struct armtap_field *armtap_field_nearest(const char *name, size_t length,
                                                           enum armtap_field_direction direction);
/* Bytes of one element of a type, in struct armtap_state as in RTDE; 0 for types that the state does not hold. */
ARMTAP_API size_t armtap_type_width(enum armtap_type type);
/* The RTDE name of a type: ("DOUBLE", 1), ("VECTOR6D", 6); "" where RTDE has none. */
ARMTAP_API const char *armtap_type_name(enum armtap_type type, unsigned count);

struct armtap_enum_value {
    int64_t value; /* the number; of a bit field, the bit */
    const char *name;
    bool is_bit;
    enum armtap_generation generation; /* UNKNOWN: the same in CB2 and CB3/e */
};
/* The i-th named value or bit of a field, those of a generation in numerical order; NULL beyond the end. */
ARMTAP_API const struct armtap_enum_value *armtap_enum_at(const struct armtap_field *field, size_t i);
/* The name of a value of an enumerated field (robot_mode, safety_status, ...); NULL if it has none. CB2, CB3/e and
 * AUBO number their modes differently (robot mode 0 is RUNNING on CB2, DISCONNECTED on CB3/e), so the generation
 * decides. */
ARMTAP_API const char *armtap_enum_name(const struct armtap_field *field, int64_t value,
                                        enum armtap_generation generation);
/* Whether controllers of that generation have the value; UNKNOWN is treated as CB3/e. All have the bits. */
ARMTAP_API bool armtap_enum_has(const struct armtap_enum_value *value, enum armtap_generation generation);

/* ---- errors of the controller ---------------------------------------------------------------------------------- */

/* An error as UR's controllers report it on the primary interface; with its argument it is PolyScope's C204A3. The
 * table is that of UR's ErrorCodes.json 40.121.0. {float}, {signed}, {unsigned} and {hex} in title and meaning are
 * placeholders for the message's data, {string} for its text, {deviceName} for its source. */
#define ARMTAP_ERROR_CHANGED_MODE 100 /* the only code whose argument is a robot mode: armtap_enum_name */
struct armtap_robot_error {
    int32_t code;
    bool all_arguments; /* the table contains every argument of this code */
    const char *title;  /* UR's */
    const char *advice; /* what to check first; "" if unknown */
};
/* The meaning of an error's argument. */
struct armtap_robot_error_argument {
    int32_t code, argument;
    int joint; /* 0 to 5, counted from the base; -1: none */
    const char *meaning;
};
/* The i-th error, or argument of an error, in the order of codes; NULL beyond the end. */
ARMTAP_API const struct armtap_robot_error *armtap_robot_error_at(size_t i);
ARMTAP_API const struct armtap_robot_error_argument *armtap_robot_error_argument_at(size_t i);
/* NULL if it is not in the table. */
ARMTAP_API const struct armtap_robot_error *armtap_robot_error_find(int64_t code);
ARMTAP_API const struct armtap_robot_error_argument *armtap_robot_error_argument_find(int64_t code, int64_t argument);
/* "base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3" for 0 to 5; else NULL. */
ARMTAP_API const char *armtap_joint_name(int joint);

/* ---- the common state ------------------------------------------------------------------------------------------ */

/* A set of field ids. Its size is fixed, so that new fields do not break the ABI. */
struct armtap_set {
    uint64_t word[16];
};
static inline bool armtap_set_has(const struct armtap_set *set, unsigned id)
{
    return set->word[id / 64] >> (id % 64) & 1;
}
static inline void armtap_set_add(struct armtap_set *set, unsigned id)
{
    set->word[id / 64] |= UINT64_C(1) << (id % 64);
}
static inline void armtap_set_remove(struct armtap_set *set, unsigned id)
{
    set->word[id / 64] &= ~(UINT64_C(1) << (id % 64));
}

#define ARMTAP_MEMBER_SCALAR(name, ctype, ...) ctype name;
#define ARMTAP_MEMBER_VECTOR(name, ctype, type, count, ...) ctype name[count];
#define ARMTAP_MEMBER_FAMILY(array, ctype, type, length, ...) ctype array[length];
/* Everything that is known about a robot. Members have the RTDE names: double actual_q[6], int32_t
 * output_int_register[48]. Create it only with armtap_state_new or armtap_state_in: it grows at its end with new
 * releases, and the library keeps more data after it. Functions that write to a state refuse one made otherwise, on the
 * stack or by assignment, with ERR_ARGUMENT or by doing nothing; all functions may read it, if the program was built
 * with the header of the running library: a copy made with an older one lacks later members. A program that runs with
 * an older library than it was built for finds armtap_field_count below ARMTAP_FIELD_COUNT; the members of fields
 * beyond that have no memory. */
struct armtap_state {
    /* The members that have a value; the others are meaningless. A field is known if it was received and is in the
     * recipe in force in that direction. It is no longer known after another setup of RTDE's outputs, of an input
     * recipe or of a channel, after a channel's end, or in a shorter legacy packet. The primary interface sends parts
     * of its state only when they change, so everything received stays known until the connection ends. */
    struct armtap_set known;
    int64_t time;                      /* of the newest record in it, as in its `where`; ARMTAP_NO_TIME: none */
    enum armtap_protocol protocol;     /* of the newest record in it; NONE: without one */
    enum armtap_generation generation; /* whose numbers its modes are: for armtap_enum_name */
    int version;                       /* of the newest record: RTDE protocol number, or the legacy length word */
    unsigned arm;                      /* its number, from 1 on; 0: without a record */
    uint64_t own[5];                   /* private; marks a state made by the library */
    ARMTAP_FIELDS(ARMTAP_MEMBER_SCALAR, ARMTAP_MEMBER_VECTOR, ARMTAP_MEMBER_FAMILY)
};
#undef ARMTAP_MEMBER_SCALAR
#undef ARMTAP_MEMBER_VECTOR
#undef ARMTAP_MEMBER_FAMILY

/* NULL if out of memory. The caller frees it. */
ARMTAP_API struct armtap_state *armtap_state_new(void);
/* The same in the caller's memory, for programs without malloc. NULL if it is shorter than ARMTAP_STATE_BYTES was
 * when the library was built, or not aligned as uint64_t. It stays the caller's; armtap_state_free only ends the state.
 */
#define ARMTAP_STATE_BYTES ((sizeof(struct armtap_state) + 1536 + 7) / 8 * 8)
ARMTAP_API struct armtap_state *armtap_state_in(void *memory, size_t length);
/* These also accept NULL. */
ARMTAP_API void armtap_state_free(struct armtap_state *state);
ARMTAP_API void armtap_state_clear(struct armtap_state *state);
ARMTAP_API void armtap_state_copy(struct armtap_state *to, const struct armtap_state *from);
/* Adds what `from` knows to `to`, to combine connections of one robot, if the caller knows that. Time, protocol,
 * version and arm become those of the newer one. */
ARMTAP_API void armtap_state_merge(struct armtap_state *to, const struct armtap_state *from);

/* One value of a frame or a state. The member of the union follows the type: DOUBLE f64; INT32, INT64 i64; BOOL, UINT8,
 * UINT32, UINT64 u64; STRING, BYTES and JSON text, length. */
struct armtap_value {
    const char *name;                 /* as transmitted */
    const struct armtap_field *field; /* NULL: not in the dictionary, or with another type there */
    enum armtap_type type;
    unsigned count;
    bool present; /* false: the frame was cut before it, or the legacy column does not hold the required integer */
    ARMTAP_EXTENSION union {
        double f64[6];
        int64_t i64[6];
        uint64_t u64[6];
        ARMTAP_EXTENSION struct {
            const char *text;
            size_t length;
        };
    };
};
/* Whether a value is stored as text and length. */
static inline bool armtap_value_is_text(const struct armtap_value *value)
{
    return value->type == ARMTAP_STRING || value->type == ARMTAP_BYTES || value->type == ARMTAP_JSON;
}
/* Whether a value's numbers are in i64. */
static inline bool armtap_value_is_signed(const struct armtap_value *value)
{
    return value->type == ARMTAP_INT32 || value->type == ARMTAP_INT64;
}
/* A field of a state as a value; `present` says whether it is known. Without a state or a field it is absent. */
ARMTAP_API void armtap_state_get(const struct armtap_state *state, const struct armtap_field *field,
                                 struct armtap_value *value);
/* Sets a field of a state from a value, which must have the field's type and count, and numbers that fit the type
 * (BOOL: 0 and 1): ERR_ARGUMENT otherwise. The field is identified by its id; `present` is ignored. */
ARMTAP_API int armtap_state_set(struct armtap_state *state, const struct armtap_field *field,
                                const struct armtap_value *value);

/* ---- recipes --------------------------------------------------------------------------------------------------- */

/* Properties of a protocol's data: bits of `traits`. */
enum armtap_trait {
    ARMTAP_TRAIT_TEXT = 1,     /* values are text: records differ in size, and values may not have their field's type */
    ARMTAP_TRAIT_CHANNELS = 2, /* data has several channels, each with its own setup; the recipe id is the channel */
    ARMTAP_TRAIT_UNASKED = 4,  /* data is sent as soon as a client connects, and every cycle */
    ARMTAP_TRAIT_ANSWERED = 8, /* the robot answers requests; after a setup, data is sent from START to PAUSE */
    ARMTAP_TRAIT_ON_CHANGE = 16,  /* a client can request data that is sent only when a value changes */
    ARMTAP_TRAIT_UR_CYCLE = 32,   /* data is sent in whole cycles of UR's controllers, of 8 or 2 ms */
    ARMTAP_TRAIT_UR_COLUMNS = 64, /* values are UR's gnuplot columns in their order, 8 bytes each; a stream's version is
                                     the size of its records; a longer record begins like a shorter one */
    ARMTAP_TRAIT_OWN_NAMES = 128, /* fields that are not in the dictionary have names that are not UR's */
    ARMTAP_TRAIT_GATHERED = 512, /* values are collected from all over the frame: a record's values are not its bytes */
    ARMTAP_TRAIT_BESIDE = 1024,  /* it is sent in addition to telemetry, not instead of it */
    ARMTAP_TRAIT_ROBOT_CONNECTS = 2048 /* the robot is the TCP client, and the ports are those of its peer */
};

/* Properties of a protocol. Only the library creates it. */
struct armtap_protocol_info {
    size_t size; /* bytes of this structure in the running library; new members are added at its end */
    enum armtap_protocol protocol;
    const char *name;        /* in options and files: "rtde" */
    const char *title;       /* in sentences: "RTDE" */
    const char *description; /* one line: the vendor, and what it carries */
    const uint16_t *ports;   /* TCP ports on which it is expected, followed by 0 */
    unsigned traits;         /* enum armtap_trait */
    unsigned header;         /* bytes of a binary record before its values, without the byte of a recipe id above 0 */
    double cycle;            /* s; a robot may send in whole multiples of it; 0: unknown, or UR's */
    const char *left_out;    /* the configure option that left its decoder out; NULL: built in */
};
/* The i-th protocol, including AUBO's if --without-aubo left it out, but not what --enable-decoders did; NULL beyond
 * the last. */
ARMTAP_API const struct armtap_protocol_info *armtap_protocol_at(size_t i);
/* NULL for others, and for NONE. */
ARMTAP_API const struct armtap_protocol_info *armtap_protocol_info(enum armtap_protocol protocol);
/* Whether a protocol has a trait. */
ARMTAP_API bool armtap_protocol_has(enum armtap_protocol protocol, enum armtap_trait trait);
/* "realtime", "rtde", "aubo"; NULL for others, and for those that were left out. */
ARMTAP_API const char *armtap_protocol_name(enum armtap_protocol protocol);
/* The protocol with that name; ARMTAP_PROTOCOL_NONE if there is none, or it was left out. */
ARMTAP_API enum armtap_protocol armtap_protocol_find(const char *name);

enum armtap_direction { ARMTAP_FROM_ROBOT, ARMTAP_TO_ROBOT };
/* "from the robot", "to the robot"; "" for others */
ARMTAP_API const char *armtap_direction_name(enum armtap_direction direction);

/* An ordered list of typed fields: the content of one kind of frame. A legacy packet size is a built-in recipe. */
struct armtap_recipe;

struct armtap_recipe_entry {
    const char *name;                 /* as transmitted */
    const struct armtap_field *field; /* NULL: not in the dictionary; delivered under its own name */
    enum armtap_type type; /* as delivered: a legacy robot mode is an INT32, although it is transmitted as a double */
    unsigned count;
    size_t offset; /* of its first byte from the first value of the frame; SIZE_MAX after a value of unknown size; 0 in
                      text protocols */
    size_t wire_size; /* bytes; 0 in text protocols */
    unsigned arm;     /* the arm in the name: 1 to 4 for AUBO's R1_ to R4_; 0 if it names none */
};
/* Any number of threads may read a recipe at once. For NULL these return 0, NULL and NONE. */
ARMTAP_API size_t armtap_recipe_count(const struct armtap_recipe *recipe);
/* NULL beyond the end. */
ARMTAP_API const struct armtap_recipe_entry *armtap_recipe_at(const struct armtap_recipe *recipe, size_t i);
/* Bytes of all its values. */
ARMTAP_API size_t armtap_recipe_size(const struct armtap_recipe *recipe);
ARMTAP_API enum armtap_protocol armtap_recipe_protocol(const struct armtap_recipe *recipe);
/* Whether both have the same fields, of the same types, in the same places. */
ARMTAP_API bool armtap_recipe_same(const struct armtap_recipe *a, const struct armtap_recipe *b);
/* Reads value i from the values of a frame, `length` bytes at `values` (record.values, record.values_length). Any
 * thread may call it while a reference to the recipe is held. STRING, BYTES and JSON point into `values`. In a text
 * protocol the value has the type that the message gave it; if that is not the field's, `field` is NULL. Beyond the
 * recipe's end, or without a recipe, the value is absent and has no name. */
ARMTAP_API void armtap_recipe_read(const struct armtap_recipe *recipe, size_t i, const uint8_t *values, size_t length,
                                   struct armtap_value *value);
struct armtap_missing;
/* The same where bytes of the values are missing (record.missing): values that lack some are absent. */
ARMTAP_API void armtap_recipe_read_cut(const struct armtap_recipe *recipe, size_t i, const uint8_t *values,
                                       size_t length, const struct armtap_missing *missing, size_t missing_count,
                                       struct armtap_value *value);
/* Whether one of the bytes [from, to) is missing. */
ARMTAP_API bool armtap_is_missing(const struct armtap_missing *missing, size_t count, size_t from, size_t to);
/* The layout of a legacy packet of `size` bytes (its length word): CB2's up to 812, CB3/e-Series' above; for an
 * undocumented size, the known prefix. The caller releases it. */
ARMTAP_API int armtap_recipe_realtime(size_t size, struct armtap_recipe **recipe);
/* A recipe from names and RTDE types, both comma separated as in a setup and its reply. ERR_TYPE for a type that RTDE
 * lacks (including NOT_FOUND and IN_USE), ERR_ARGUMENT if there are not as many types as names. Without types the
 * dictionary's are used, and ERR_TYPE means that the dictionary lacks a name. The caller releases it. */
ARMTAP_API int armtap_recipe_rtde(const char *names, const char *types, struct armtap_recipe **recipe);

/* What is wrong with the lists of an RTDE recipe: the first name that does not work. */
struct armtap_recipe_problem {
    size_t size;      /* sizeof(struct armtap_recipe_problem) */
    int error;        /* that of armtap_recipe_rtde; ARMTAP_OK: nothing is wrong, and the others are 0 and NULL */
    size_t index;     /* of the name in its list, from 0 */
    const char *name; /* in `names`, without a terminator; NULL: there are more types than names */
    size_t name_length;
    const char *type; /* in `types`, the same; NULL: the name has none, or none was needed */
    size_t type_length;
    const struct armtap_field *meant; /* the field that an unknown name probably means; NULL: none, or it is known */
};
/* Finds it: call it after armtap_recipe_rtde returned an error, with the same lists. Returns the error, too;
 * ERR_ARGUMENT without names or a problem. */
ARMTAP_API int armtap_recipe_rtde_problem(const char *names, const char *types, struct armtap_recipe_problem *problem);

/* The recipe of an AUBO subscription or publication, as a client sends it: [100,{"chanel":0,"frequency":50.0,
 * "segments":["R1_actual_q"],"to_server":false,"trigger":0}]. The caller releases it. ERR_NOT_OURS if `message` is not
 * such a text, ERR_UNSUPPORTED if the library was built without AUBO. */
ARMTAP_API int armtap_recipe_aubo(const char *message, size_t length, struct armtap_recipe **recipe);
/* The reason why it would be refused, in words: "a setup whose channel is not from 0 to 99"; NULL if it would not.
 * `at` (may be NULL) becomes the offset of what is wrong in the message. A name that is not in the dictionary is not
 * refused: its entry has no field, and armtap_field_nearest may know which one was meant. */
ARMTAP_API const char *armtap_recipe_aubo_problem(const char *message, size_t length, size_t *at);

/* The default output recipe of a well-known client: a candidate if the handshake was not captured. */
struct armtap_known_recipe {
    const char *name;   /* "record.py-2.7.12" */
    const char *client; /* whose, and of which releases */
    size_t size;        /* bytes of its values */
    const char *fields; /* comma separated; their types are the dictionary's */
};
ARMTAP_API const struct armtap_known_recipe *armtap_known_recipe_at(size_t i);
/* Recipes passed to callbacks are reference counted. Any thread may hold and release a recipe that is held; several
 * connections, in several threads, may be given the same one. NULL is accepted, too. */
ARMTAP_API struct armtap_recipe *armtap_recipe_hold(const struct armtap_recipe *recipe);
ARMTAP_API void armtap_recipe_release(struct armtap_recipe *recipe);

/* ---- what comes out -------------------------------------------------------------------------------------------- */

#define ARMTAP_NO_TIME INT64_MIN

/* Where in the capture something arrived. It is part of many structures with fixed layouts, so its own is fixed, too.
 */
struct armtap_where {
    uint32_t size;   /* sizeof(struct armtap_where); in an armtap_packet, whose size counts, it may be 0 */
    uint32_t file;   /* index of the file */
    int64_t time;    /* ns since the epoch, or ARMTAP_NO_TIME */
    uint64_t packet; /* number in its file, from 1; 0 without packets */
};

/* Where packets come from. */
enum armtap_origin {
    ARMTAP_ORIGIN_NETWORK, /* captured on the network */
    ARMTAP_ORIGIN_SOCKET   /* made from the bytes that a program read from and wrote to a socket */
};

/* How a connection begins in one file of a capture, independent of earlier files. Packets that repeat those of an
 * earlier file do not count. */
struct armtap_beginning {
    bool known;                /* that file has a packet, or bytes, of the connection */
    struct armtap_where where; /* its first packet there */
    uint64_t bytes;            /* of its first packets, sequence numbers included, up to ARMTAP_BEGINNING_BYTES */
    uint64_t sum;              /* FNV-1a of those bytes */
    /* FNV-1a of the first ARMTAP_BEGINNING_LENGTH(0), (1) ... of them; 0 while there are fewer */
    uint64_t sums[4];
};
#define ARMTAP_BEGINNING_LENGTH(i) (UINT64_C(16) << 3 * (i))
#define ARMTAP_BEGINNING_BYTES ARMTAP_BEGINNING_LENGTH(3)

/* What is known about one connection. It lives as long as the connection, and its counters keep counting. */
struct armtap_stream {
    uint64_t connection; /* number of the TCP connection, in the order of their first packets, from 0 */
    char robot[64];      /* "10.0.0.2:30004", "[fd00::2]:30004"; "" if the caller gave none */
    char client[64];
    enum armtap_protocol protocol; /* NONE while not recognised */
    int version;                   /* RTDE protocol number or legacy packet size, the latest seen; 0: unknown */
    enum armtap_generation generation;
    char controller_version[32]; /* "5.11.1.108"; "" while unknown */
    bool midstream;              /* its beginning was not captured */
    struct armtap_where first;   /* its first packet */
    struct armtap_where last;
    uint64_t records[2];          /* data records by enum armtap_direction */
    uint64_t gaps;                /* gaps in either direction */
    uint64_t bytes_decoded[2];    /* bytes of complete messages, by direction */
    uint64_t bytes_lost[2];       /* missing from the capture */
    uint64_t bytes_skipped[2];    /* captured, but not decodable */
    uint64_t bytes_unfinished[2]; /* of those: the last, the beginning of a message that the connection's end cut off */
    uint64_t packets[2];          /* captured, by direction, until the connection is closed */
    /* On a telemetry port: where the robot accepted the connection; packet 0: not captured. */
    struct armtap_where accepted;
    uint64_t payload[2]; /* bytes in those packets, retransmissions included */
    bool forgotten;      /* midstream, but its beginning may have been captured: armtap had dropped connections */
    const struct armtap_protocol_info *info; /* of its protocol; NULL while that is not recognised */
    enum armtap_origin origin;               /* of its packets; SOCKET if any of them has that */
    uint64_t gaps_cut;     /* gaps whose bytes were all cut off by the snapshot length of the capture */
    uint64_t bytes_cut[2]; /* of bytes_lost: bytes cut off within records that were delivered without them */
    struct armtap_beginning beginning; /* in the file of its last packet */
};
static inline bool armtap_stream_has(const struct armtap_stream *stream, enum armtap_trait trait)
{
    return stream->info && (stream->info->traits & (unsigned)trait) != 0;
}

enum armtap_record_flag {
    ARMTAP_AFTER_GAP = 1, /* the first record after missing or undecodable bytes */
    ARMTAP_GUESSED = 2,   /* its recipe was guessed, not read from a handshake */
    ARMTAP_SHORT = 4,     /* the frame is shorter than its recipe */
    ARMTAP_LONG = 8,      /* the frame is longer than its recipe */
    ARMTAP_CUT = 16       /* the snapshot length of the capture cut bytes off it: see `missing` */
};

/* Bytes [from, to) of a record's values were not captured; they are zeros. */
struct armtap_missing {
    size_t from, to;
};

/* A record's data of one arm. */
struct armtap_arm {
    unsigned number;                  /* 1; with AUBO 1 to 4 */
    const struct armtap_set *updated; /* the fields that this frame set */
    const struct armtap_state *state; /* everything received so far in this direction, this frame included */
};
#define ARMTAP_ARMS_MAX 4

/* One frame of data. */
struct armtap_record {
    const struct armtap_stream *stream;
    struct armtap_where where; /* the packet with its last byte to arrive */
    uint64_t offset;           /* of its first byte in its direction's stream */
    enum armtap_direction direction;
    enum armtap_protocol protocol;
    int version;                        /* RTDE protocol number, or the legacy length word */
    unsigned flags;                     /* enum armtap_record_flag */
    int recipe_id;                      /* RTDE's recipe id, AUBO's channel; 0 if the protocol has none */
    const struct armtap_recipe *recipe; /* NULL: not decoded, only the bytes are known */
    const struct armtap_set *updated;   /* of the first of its arms */
    const struct armtap_state *state;   /* of the first of its arms */
    const uint8_t *frame;               /* the bytes as received */
    size_t frame_length;
    const uint8_t *values; /* the first value in the frame; with the trait TEXT or GATHERED, a form for
                              armtap_recipe_read */
    size_t values_length;
    const struct armtap_arm
        *arms; /* those that its recipe names, by number; one, unless an AUBO recipe names several */
    size_t arm_count;
    double
        clock; /* the controller's, s: its timestamp, or in an undecoded record a value that grows like one; else NAN */
    const struct armtap_missing *missing; /* in order; values of which bytes are missing are absent */
    size_t missing_count;
    /* The packet after which its receiver could read it, in order: the one that completed all bytes up to the record's
     * end. Its time never decreases in a direction, unless the capture's clock was set back. */
    struct armtap_where read;
};
/* Value i of the record, in wire order, including values that are not in the dictionary; false beyond the last. */
ARMTAP_API bool armtap_record_value(const struct armtap_record *record, size_t i, struct armtap_value *value);

/* Why a recipe was guessed. */
struct armtap_guess_evidence {
    const char *source;  /* whose recipe it is */
    unsigned score;      /* points for it: each is about one bit of evidence against other fields at the same bytes */
    unsigned needed;     /* points that this source needs to be accepted */
    const char *reasons; /* the evidence for it, separated by "; "; "" if none was needed */
    /* Fields whose values themselves support their name; the others are named by their position in a recipe of that
     * length. NULL: the names were captured. */
    const struct armtap_set *supported;
    bool types_captured; /* of the setup only the reply was captured, with the types, not the request */
};

/* A recipe that data frames of this direction follow from now on. If one type of an RTDE recipe is unknown, the fields
 * after it have no offset (SIZE_MAX) until the first data package reveals its size, in a second event. */
struct armtap_recipe_event {
    const struct armtap_stream *stream;
    struct armtap_where where;
    enum armtap_direction direction;
    int recipe_id;
    double frequency;                          /* Hz requested; 0 if not given */
    unsigned flags;                            /* ARMTAP_GUESSED */
    const struct armtap_recipe *recipe;        /* never NULL */
    const struct armtap_guess_evidence *guess; /* NULL: not guessed */
};

/* For data from the robot that has no names because its handshake was not captured: the well-known recipes of its
 * length that the data neither contradicts nor proves. Sent again when more data changes the list; a recipe event ends
 * it. */
struct armtap_candidates {
    const struct armtap_stream *stream;
    struct armtap_where where;
    const struct armtap_known_recipe *const *recipes; /* valid forever */
    size_t count;                                     /* 0: none left */
};

enum armtap_refusal {
    ARMTAP_REFUSAL_NOT_FOUND,
    ARMTAP_REFUSAL_IN_USE,
    ARMTAP_REFUSAL_NOT_SET,
    ARMTAP_REFUSAL_MISREAD /* the controller misread the name, so it was never requested; in `accepted`, with the
                              dictionary's type, if the dictionary has it */
};
struct armtap_refused {
    const char *name; /* not NUL-terminated */
    size_t length;
    enum armtap_refusal why;
};
/* An RTDE setup that the controller refused because of some of its names: no data follows. */
struct armtap_refused_setup {
    const struct armtap_stream *stream;
    struct armtap_where where;            /* of the reply */
    enum armtap_direction direction;      /* of the data that was set up */
    double frequency;                     /* Hz requested; 0 if not given */
    const struct armtap_recipe *accepted; /* the names to which the reply gives a type, maybe none */
    const struct armtap_refused *refused; /* the others, in their order */
    size_t refused_count;
    int version; /* the protocol in force when the controller replied; 0 if unknown */
};

/* The kind of a text, and which members it sets in addition to text and source. */
enum armtap_text_kind {
    ARMTAP_TEXT_MESSAGE,   /* for people: RTDE's, or one that a script sends */
    ARMTAP_TEXT_ERROR,     /* an entry of the controller's log: code, argument, report_level, data */
    ARMTAP_TEXT_EXCEPTION, /* of a script: line, column */
    ARMTAP_TEXT_POPUP,     /* title; code and argument are the request's id and type */
    ARMTAP_TEXT_PROGRAM,   /* title: what happened ("PROGRAM_XXX_STARTED"); text: the program; code, argument */
    ARMTAP_TEXT_SAFETY,    /* safety_mode, code, argument, data */
    ARMTAP_TEXT_REQUEST,   /* for a value that a person enters: code and argument are the request's id and type */
    ARMTAP_TEXT_LABEL,     /* what a program is doing: line; title: its thread */
    ARMTAP_TEXT_VERSION,   /* title: the software; text: its date */
    ARMTAP_TEXT_HARDWARE,  /* code: the robot's type; argument: the control box's; data: the tool flange's */
    ARMTAP_TEXT_VARIABLE,  /* of a program: title: its name; text: its value as URScript writes it, or none yet; code:
                              its  number */
    ARMTAP_TEXT_OTHER,
    ARMTAP_TEXT_REPLY /* of the dashboard server; title: the request, none if it is not known */
};
/* "message", "error"; "" for others */
ARMTAP_API const char *armtap_text_kind_name(enum armtap_text_kind kind);

/* A text message from the controller (level, source) or to it. Not NUL-terminated. Unless its kind sets them, the
 * members after `kind` are 0 or NULL, `report_level`, `safety_mode` and `argument` -1 and `clock` NAN. */
struct armtap_text {
    const struct armtap_stream *stream;
    struct armtap_where where;
    enum armtap_direction direction;
    int level; /* 0 exception, 1 error, 2 warning, 3 info; others as sent */
    const char *text;
    size_t text_length;
    const char *source;
    size_t source_length;
    enum armtap_text_kind kind;
    const char *title;
    size_t title_length;
    int32_t code, argument; /* C153A2: 153 and 2 */
    int report_level;       /* UR's: 0 debug, 1 info, 2 warning, 3 violation, 4 fault, 5 critical fault; for developers
                               128 more */
    int safety_mode;
    int32_t line, column; /* of the script, from 1 */
    uint32_t data_type;   /* of `data`: 0, 1 unsigned, 2 signed, 3 float, 4 hexadecimal */
    uint32_t data;        /* its bits */
    int source_number;    /* UR's number of the source */
    double clock;         /* the controller's, s */
};

enum armtap_severity { ARMTAP_INFO, ARMTAP_NOTICE, ARMTAP_WARNING, ARMTAP_ERROR };
ARMTAP_API const char *armtap_severity_name(enum armtap_severity severity);

/* A registered kind of note. */
struct armtap_note_kind {
    const char *id; /* "rtde.field.not-found" */
    enum armtap_severity severity;
    const char *meaning;
    const char *remedy; /* with placeholders for arguments, {address}; "" if there is none */
    /* Commands, a line each, and what each is for; "" without one. Words in capitals are placeholders for the finding's
     * data: FILE, PACKET, STREAM (its number), CODE (C153A2). */
    const char *offer, *command;
};
ARMTAP_API size_t armtap_note_count(void);
/* Kinds are elements of one array: a kind's pointer minus the first one's is its number. */
ARMTAP_API const struct armtap_note_kind *armtap_note_at(size_t i);
/* The kind with that id; NULL if there is none. */
ARMTAP_API const struct armtap_note_kind *armtap_note_find(const char *id);

/* What an input may cost. Beyond that something is skipped and the rest continues, with a note `input.hostile`, once
 * per connection and budget. */
struct armtap_budget {
    const char *name; /* "inflated" */
    uint64_t each;    /* what a connection may spend for every byte of its packets; 0 for a limit */
    uint64_t once;    /* what all connections of a capture share in addition; the maximum of a limit */
    const char *unit;
    const char *of; /* what a limit is for */
    const char *cut;
    const char *text; /* for the note: what exceeded the allowance, and what is skipped */
};
/* NULL if none has that name. */
ARMTAP_API const struct armtap_budget *armtap_budget_find(const char *name);

/* The data of a note or a finding, in addition to its kind and place. */
enum armtap_argument_type {
    ARMTAP_NUMBER,  /* double */
    ARMTAP_COUNT,   /* uint64_t: a number of things, a packet, a number on the wire */
    ARMTAP_INTEGER, /* int64_t */
    ARMTAP_TIME,    /* ns since the epoch */
    ARMTAP_FLAG,    /* there, or absent */
    ARMTAP_WORD,    /* one of a few words: `text` */
    ARMTAP_TEXT,    /* of ours, or of a table: an end point, a field, a mode */
    ARMTAP_NAMES,   /* several: `length` bytes at `text`, a NUL after each name, also after one that was cut */
    ARMTAP_QUOTED   /* bytes from the wire, `length` of them at `text`: may hold anything, without a NUL at the end */
};
struct armtap_argument {
    uint16_t id; /* of its kind; 0: absent */
    uint16_t word;
    uint32_t length; /* of `text` */
    union {
        double number;
        uint64_t count;
        int64_t integer;
        const char *text;
    } value;
};
struct armtap_arguments {
    const struct armtap_argument *all;
    size_t count;
};
struct armtap_argument_kind {
    const char *name; /* its key, which ends in its unit: "duration_s" */
    enum armtap_argument_type type;
    unsigned digits; /* decimals of a NUMBER in a sentence */
};
ARMTAP_API const struct armtap_argument_kind *armtap_argument_kind(const struct armtap_argument *argument);
/* The text of a WORD or a TEXT, ends in a NUL; NULL for the others. */
ARMTAP_API const char *armtap_argument_text(const struct armtap_argument *argument);
/* The argument with that name; NULL if there is none. */
ARMTAP_API const struct armtap_argument *armtap_argument_find(const struct armtap_arguments *arguments,
                                                              const char *name);

/* A problem of the input, or a fact worth knowing. */
struct armtap_note {
    const struct armtap_note_kind *kind;
    const struct armtap_stream *stream; /* NULL: the whole capture */
    struct armtap_where where;
    enum armtap_direction direction;
    const char *text; /* one line: the arguments as a sentence */
    struct armtap_arguments arguments;
};

enum armtap_event_type {
    ARMTAP_EVENT_OPEN,       /* a connection's first packet; a: 1 with SYN, 0 in mid-stream */
    ARMTAP_EVENT_CLOSE,      /* a: enum armtap_close; by the sender of `direction` */
    ARMTAP_EVENT_RECOGNISED, /* the stream's protocol has become known */
    ARMTAP_EVENT_GAP,        /* a: bytes missing */
    /* What the network did to a packet; a: its bytes, without those beyond everything captured before. A packet is at
       most one of these; keep-alives and window probes are not among them. */
    ARMTAP_EVENT_RETRANSMISSION, /* its bytes were sent before, whether captured or lost */
    ARMTAP_EVENT_DUPLICATE,      /* the same packet was captured before: a mirror port, or a network that copies */
    ARMTAP_EVENT_OUT_OF_ORDER,   /* sent before packets that were captured earlier */
    ARMTAP_EVENT_WINDOW, /* a: receive window that the sender of `direction` offers, in bytes; when it changes much, is
                            0, or changes and is or was smaller than a packet may be (1460) */
    ARMTAP_EVENT_START,  /* data was requested and granted */
    ARMTAP_EVENT_PAUSE,  /* data was stopped; for AUBO, on channel a, which carries data of `direction` */
    /* The outcome of a connection attempt to a telemetry port, or to another port that only robots have; a: SYNs sent
       until then, including retransmitted ones. No events for an attempt whose beginning was not captured. */
    ARMTAP_EVENT_CONNECTED,   /* it was answered, now or, if the answer was not captured, earlier */
    ARMTAP_EVENT_REFUSED,     /* by a RST, which is at `where` */
    ARMTAP_EVENT_NO_ANSWER,   /* within 3 s of the last SYN, or retransmitted and never answered; `where`: the first SYN
                               */
    ARMTAP_EVENT_SYN_AGAIN,   /* after NO_ANSWER, of the same attempt */
    ARMTAP_EVENT_TOO_SOON,    /* the capture ends less than 3 s after the SYN, which is at `where` */
    ARMTAP_EVENT_UNREACHABLE, /* an ICMP error at `where` reports that the robot cannot be reached */
    ARMTAP_EVENT_KEEP_ALIVE   /* asks whether the peer is there; a: how many since the peer last sent a packet */
};
/* The ICMP error that reports a robot unreachable. */
struct armtap_unreachable {
    char reporter[64];   /* its address: "10.0.0.1", "[fd00::1]" */
    unsigned type, code; /* from the ICMP or ICMPv6 message */
    const char *reason;  /* in words */
};

/* The RST that ended a connection. */
struct armtap_reset {
    bool is_answer; /* to a packet of a connection that its sender no longer has; else its sender ended it */
    bool went_on;   /* the side whose address it has continued: another machine sent it */
    bool is_both;   /* another RST with the other side's address arrived at the same time: another machine reset both */
    uint8_t ttl;    /* of the RST, or its hop limit; ... */
    uint8_t ttl_of_rest; /* ... of all other packets of that side: if it differs, another machine probably sent it */
    uint64_t mac, mac_of_rest; /* the same: the sender's MAC address, as a number; 0: the capture has none */
    uint64_t unread;           /* bytes of the other side not acknowledged before */
};

/* What was retransmitted. */
struct armtap_resent {
    bool is_acknowledged; /* its receiver had acknowledged it, as captured: the acknowledgement was lost, or late */
    bool is_missed;       /* it was not captured before: it was lost before it reached the capture */
    uint32_t times;       /* how often these bytes were retransmitted, with no progress in between */
    int64_t late;         /* ns by which it delayed its sender's data; -1: unknown */
};

enum armtap_close { ARMTAP_CLOSE_FIN, ARMTAP_CLOSE_RESET, ARMTAP_CLOSE_REPLACED, ARMTAP_CLOSE_END_OF_CAPTURE };

struct armtap_event {
    const struct armtap_stream *stream;
    struct armtap_where where;
    enum armtap_direction direction;
    enum armtap_event_type type;
    uint64_t a;
    /* For RETRANSMISSION, DUPLICATE and OUT_OF_ORDER: the headers do not prove which, and the type is the most likely
     * one by the packet's delay. For CLOSE by FIN or RESET: the other side may have closed before, which is captured
     * later or not. For WINDOW: the sender's SYN, which has the scale, was not captured: the window may be larger,
     * unless it is 0. */
    bool doubtful;
    struct armtap_reset reset;   /* for CLOSE by RESET, else empty */
    struct armtap_resent resent; /* for RETRANSMISSION, else empty */
    uint64_t unacknowledged[2];  /* for CLOSE, by direction: bytes retransmitted, and never acknowledged, as captured */
    const struct armtap_unreachable *unreachable; /* for UNREACHABLE, else NULL */
    int64_t round_trip;                           /* for CLOSE: round-trip time between the two ends, ns; 0: unknown */
    bool answers; /* for CLOSE by FIN, which is doubtful then: it acknowledges the other side's, which closed first */
    uint64_t unseen[2]; /* for CLOSE, by direction: bytes sent, by the sender's numbers, and neither captured nor
                         * acknowledged */
};

/* Bytes as received: a complete message of any kind, or bytes that were skipped because they are not a message. */
struct armtap_message {
    const struct armtap_stream *stream;
    struct armtap_where where; /* the packet that carried its last byte to arrive */
    struct armtap_where first; /* the packet of its first byte */
    enum armtap_direction direction;
    bool skipped;    /* not a message: a foreign protocol, or bytes skipped after damage */
    uint64_t offset; /* of its first byte in its direction's stream */
    const uint8_t *bytes;
    size_t length;
    const uint8_t *content; /* the message that a WebSocket frame completes: unmasked, inflated, reassembled; or NULL */
    size_t content_length;
    size_t whole; /* of skipped bytes that begin a message whose end is missing: its length; 0: they begin none, as far
                     as known */
};

/* Captured traffic on a robot port that is known but not decoded: interpreter mode, Modbus. For at most 256 ports. */
struct armtap_traffic {
    char robot[64]; /* its address: "10.0.0.2", "[fd00::2]" */
    uint16_t port;  /* for External Control, the client's: the robot connects to it */
    const char *name;
    uint64_t packets;
    uint64_t bytes; /* TCP payload, retransmissions included */
};

/* Bytes of a connection to one of those ports that only robots listen on, in the order of the stream: reordered,
 * without retransmissions, but not searched for messages. */
struct armtap_bytes {
    const struct armtap_stream *stream;
    struct armtap_where where;
    enum armtap_direction direction;
    uint16_t port;        /* the robot's */
    uint64_t offset;      /* of the first in its direction's stream */
    const uint8_t *bytes; /* NULL: `length` bytes are missing here */
    uint64_t length;
};

/* ---- commands of ur_rtde ---- */

/* SDU's ur_rtde commands a robot through RTDE registers: its client writes a number and arguments into input registers,
 * a script on the robot executes the command and answers in output registers. armtap recognises the client by the input
 * recipes that it sets up, and reads the numbers by the tables of ur_rtde 0.0.1 to 1.6.0. */

/* How a command ended. */
enum armtap_command_ending {
    ARMTAP_COMMAND_DONE,      /* the script reported it as done; of stopScript: the client assumed so */
    ARMTAP_COMMAND_SENT,      /* the client did not wait, and nothing shows the outcome */
    ARMTAP_COMMAND_ABANDONED, /* the client withdrew it before the script was done */
    ARMTAP_COMMAND_FAILED,    /* the same, after the robot or its program stopped: see `cause` */
    ARMTAP_COMMAND_REPLACED,  /* another command arrived before the script was done */
    ARMTAP_COMMAND_UNFINISHED /* the connection or the capture ended, or bytes are missing: nothing shows its end */
};
/* "done", "sent", "abandoned"; "" for others */
ARMTAP_API const char *armtap_command_ending_name(enum armtap_command_ending ending);

/* The evidence for the meaning of a command's number. */
enum armtap_command_evidence {
    ARMTAP_COMMAND_BY_SCRIPT,  /* by the script that a client sent to this robot, and the recipes */
    ARMTAP_COMMAND_BY_RECIPES, /* by the input recipes that the client set up, and the commands that it sent */
    ARMTAP_COMMAND_BY_PACKAGES /* no setup was captured: by the ids and the lengths of the packages, and their codes */
};
/* "script", "recipes", "packages"; "" for others */
ARMTAP_API const char *armtap_command_evidence_name(enum armtap_command_evidence evidence);

/* An argument of a command, or a result. The value's `field` is NULL. */
struct armtap_command_value {
    struct armtap_value value; /* BOOL, INT32, UINT8, UINT32 or DOUBLE; its name is valid forever */
    const char *unit;          /* "rad"; of a pose "m, rad"; "" without one */
};

/* What a command's number means in some releases of ur_rtde. */
struct armtap_command_reading {
    const char *name;                         /* as the function of ur_rtde: "moveL"; valid forever */
    const char *first_release, *last_release; /* of those that fit: "1.3.5" and "1.6.0"; valid forever */
    double usual;                             /* s that the script usually takes at most; 0: as long as the arm moves */
    size_t argument_count;                    /* those that the package has */
    const struct armtap_command_value *arguments;
    size_t result_count; /* 0: it has none, or none was seen */
    const struct armtap_command_value *results;
};

struct armtap_command {
    const struct armtap_stream *stream;
    int32_t code;
    /* One: its meaning. More: the matching releases disagree, and it means one of these. */
    size_t reading_count;
    const struct armtap_command_reading *readings;
    bool is_unknown; /* no table has the number: the reading's name is "", its arguments are registers */
    enum armtap_command_evidence evidence;
    const char *first_release, *last_release; /* that match the client; valid forever */
    unsigned register_offset;                 /* 0, or 24 for the upper registers */
    unsigned recipe_id;
    enum armtap_command_ending ending;
    const char *cause;          /* "protective", "emergency", "fault", "program-stopped"; NULL: not known */
    bool bytes_missing;         /* from the capture, between issue and end */
    bool is_result_early;       /* the client did not wait: the result may be an earlier command's */
    struct armtap_where issued; /* the package with the command */
    bool is_done, is_acknowledged;
    struct armtap_where done;         /* where the script reported it */
    struct armtap_where acknowledged; /* where the client cleared it */
    double duration;                  /* s from `issued` to `done`; NAN if either has no time */
    bool was_paused;                  /* the robot's program, between issue and end */
    bool is_offset_unknown;           /* nothing shows which registers are used; `register_offset` is 0 */
    /* s from `issued` to the robot's last package before `done`: the script took longer than that, and at most
     * `duration`. 0 without such a package; NAN as `duration`. */
    double duration_least;
};

/* Bits of a sink's answer: all of a record's state, or only its numbers of up to 32 bits (the rest of the state then
 * holds values of other records, and without either bit all of it); the message. */
enum armtap_wanted { ARMTAP_WANTS_STATE = 1, ARMTAP_WANTS_MODES = 2, ARMTAP_WANTS_MESSAGE = 4 };

/* The callbacks that receive everything. Any may be NULL; one that returns non-zero stops the push for good, which then
 * returns ERR_STOPPED. Without on_record, frames are delimited and counted, but no state is decoded. Set `size` to
 * sizeof(struct armtap_sink): callbacks of a newer program that the library does not know are never called, those that
 * an older program lacks are NULL. A size without any callback, or with part of one, is ERR_SIZE.
 *
 * A callback may read what it is given, and use other connections, nets and states. Calls on the connection or net that
 * invoked it return ERR_BUSY. It may free that connection or net: no callback follows, and the outer call returns
 * ERR_STOPPED. */
struct armtap_sink {
    size_t size;
    int (*on_record)(void *user, const struct armtap_record *record);
    int (*on_recipe)(void *user, const struct armtap_recipe_event *event);
    int (*on_text)(void *user, const struct armtap_text *text);
    int (*on_note)(void *user, const struct armtap_note *note);
    int (*on_event)(void *user, const struct armtap_event *event);
    /* Values of RTDE's READ_PROPERTIES: a record, but not data. Its state is that of the robot's previous data. */
    int (*on_properties)(void *user, const struct armtap_record *record);
    /* After all other callbacks for the same bytes. */
    int (*on_message)(void *user, const struct armtap_message *message);
    int (*on_refused)(void *user, const struct armtap_refused_setup *setup);
    /* Called by armtap_net_finish, after everything else. */
    int (*on_traffic)(void *user, const struct armtap_traffic *traffic);
    int (*on_candidates)(void *user, const struct armtap_candidates *candidates);
    /* Only from a net. With it, connections to robot ports without a decoder are reassembled to their end; without it,
     * armtap soon ignores them. */
    int (*on_bytes)(void *user, const struct armtap_bytes *bytes);
    /* When a ur_rtde command has ended, after on_record for the package that shows it. */
    int (*on_command)(void *user, const struct armtap_command *command);
    /* For armtap's own program, whose connections share one state; other programs leave it NULL, and it is never
     * called. Called before a record, which `stream` already counts, and before a message: returns which parts (enum
     * armtap_wanted) the callbacks will read. It must do nothing else. */
    int (*wants)(void *user, const struct armtap_stream *stream, enum armtap_direction direction);
};

/* ---- one packet ------------------------------------------------------------------------------------------------ */

/* Decodes one legacy realtime packet of any size into a state; call it on what read() returned.
 *
 * packet  the bytes, beginning with the length word (big-endian, counts itself)
 * length  how many there are; fewer than the length word says is not an error: the complete fields are decoded
 * state   from armtap_state_new; gets the fields, and their bits in state->known. Fields that the packet lacks are
 * removed from known, so that no old value is taken for a new one.
 *
 * The layout follows from the length word: CB2's up to 812, CB3/e-Series' above. Returns the number of bytes used (the
 * smaller of length word and `length`), ERR_SHORT below 12 bytes, or ERR_NOT_OURS if the length word is not 12 to 4096.
 * Source: UR's realtime tables ("Client_Interfaces", tabs RealTime). */
ARMTAP_API int armtap_decode_realtime(const void *packet, size_t length, struct armtap_state *state);

/* Writes the packet of `size` bytes that a controller in this state sends; absent fields become 0. Sizes other than 540
 * ... 1220 get the prefix of their layout; up to 4096, with zeros beyond the layout. The buffer must hold at least
 * `size` bytes. Decoding a packet of a known size and encoding it again gives the same bytes if its mode and digital
 * columns hold integers. */
ARMTAP_API int armtap_encode_realtime(const struct armtap_state *state, size_t size, void *buffer);

/* The i-th size that UR documents for legacy packets, ascending; 0 beyond the last. Source: UR's realtime tables. */
ARMTAP_API size_t armtap_realtime_size_at(size_t i);

/* ---- RTDE packages --------------------------------------------------------------------------------------------- */

enum armtap_rtde_type {
    ARMTAP_RTDE_VERSION = 'V',
    ARMTAP_RTDE_CONTROLLER_VERSION = 'v',
    ARMTAP_RTDE_TEXT = 'M',
    ARMTAP_RTDE_DATA = 'U',
    ARMTAP_RTDE_SETUP_OUTPUTS = 'O',
    ARMTAP_RTDE_SETUP_INPUTS = 'I',
    ARMTAP_RTDE_START = 'S',
    ARMTAP_RTDE_PAUSE = 'P',
    ARMTAP_RTDE_PROPERTIES = 'R'
};

/* One parsed RTDE package. Type and direction decide which members are used, as in the guide's tables. Pointers point
 * into the parsed package, or to the caller's text when encoding. */
struct armtap_rtde_package {
    size_t size; /* sizeof(struct armtap_rtde_package) */
    enum armtap_rtde_type type;
    enum armtap_direction direction;
    int protocol;           /* 1, 2 or 3: decides the layout of M, O and U */
    unsigned version;       /* V to the robot: requested protocol */
    unsigned accepted;      /* V, S, P from the robot: non-zero if so */
    uint32_t release[4];    /* v from the robot: major, minor, bugfix, build */
    unsigned release_count; /* 4, or 3 from old controllers */
    double frequency;       /* O to the robot, protocol 2 and 3: Hz */
    bool has_id;            /* whether a recipe id is in the package */
    unsigned id;            /* recipe id */
    const char *names;      /* O, I, R to the robot: comma separated */
    size_t names_length;
    const char *types; /* O, I, R from the robot: comma separated */
    size_t types_length;
    const char *text; /* M */
    size_t text_length;
    const char *source;
    size_t source_length;
    unsigned level;
    const uint8_t *values; /* U, and R from the robot: the packed values */
    size_t values_length;
};
/* Parses a package; `length` is that of its header. Fills `package` with type, direction and all other members; the
 * caller passes the protocol. ERR_SHORT or ERR_NOT_OURS if the bytes do not follow the layout. */
ARMTAP_API int armtap_rtde_parse(const void *bytes, size_t length, enum armtap_direction direction, int protocol,
                                 struct armtap_rtde_package *package);
/* Writes a package with its header. Returns its length; ERR_SPACE if `capacity` is too small, ERR_ARGUMENT if the
 * package would exceed 65535 bytes, text or source 255, or a number its bytes on the wire (id, level and accepted
 * 255, version 65535), or if `protocol`, where it decides the layout, is none of those. */
ARMTAP_API int armtap_rtde_write(const struct armtap_rtde_package *package, void *buffer, size_t capacity);

/* ---- a message, piece by piece --------------------------------------------------------------------------------- */

/* A message, and what is known about it in addition to its bytes. Unknown members are 0 or NULL. */
struct armtap_subject {
    size_t size; /* sizeof(struct armtap_subject) */
    enum armtap_protocol protocol;
    enum armtap_direction direction;
    const uint8_t *bytes;
    size_t length; /* may be less than the length that the message states */
    int version;   /* as in a record */
    enum armtap_generation generation;
    const struct armtap_recipe *recipe; /* of its values */
    size_t values_at;                   /* with a recipe: where its first value begins */
    const struct armtap_recipe *set_up; /* of a reply: the recipe that it completes */
    const uint8_t *content;             /* as in struct armtap_message */
    size_t content_length;
    const char *release; /* the controller's, as in the stream's controller_version; NULL or "": unknown */
};

/* Bytes of a message and their meaning. Names and texts may contain any transmitted bytes. */
struct armtap_piece {
    size_t offset;    /* in the message */
    size_t length;    /* 0: part of the content that the bytes before it pack */
    const char *name; /* of a field or a part of a header; "" if their meaning is unknown */
    unsigned column;  /* UR's gnuplot column of a legacy value; 0 elsewhere */
    /* One element; `present` is false if there is none. STRING: the bytes as they are in the message or its content,
     * or a variable's value as URScript writes it. JSON: a number, with its digits. */
    struct armtap_value value;
    const char *unit;   /* "m"; "" without one */
    const char *remark; /* the name of a mode, or a problem; "" without one */
};

/* Describes a message: calls `on_piece` for each piece in turn; together they cover each byte once. Everything that a
 * piece points to is valid during the call. If it returns non-zero, no more follow, and the result is ERR_STOPPED.
 * `on_piece` may be NULL. *kind becomes the message's type ("DATA_PACKAGE"), valid forever. ERR_UNSUPPORTED for a
 * protocol that is not built in. */
ARMTAP_API int armtap_describe(const struct armtap_subject *subject,
                               int (*on_piece)(void *user, const struct armtap_piece *piece), void *user,
                               const char **kind);

/* Identifies the message at the start of bytes that came without a connection. The caller sets `bytes`, `length`,
 * `protocol` (NONE: any), `recipe` (that data may follow) and, if `directed`, `direction`. The call sets the other
 * members as far as it can, sets `recipe` to NULL if the bytes do not follow it, and reduces `length` to the message.
 * ERR_NOT_OURS if no message begins here. If the bytes begin like a message but the rest contradicts it, `doubt`, a
 * buffer of `room` bytes, gets the reason in a few words, and `protocol` is the one they resemble; otherwise `doubt`
 * becomes "". If the caller names the protocol, such a message is accepted. */
ARMTAP_API int armtap_identify(struct armtap_subject *subject, bool directed, char *doubt, size_t room);

/* ---- one connection -------------------------------------------------------------------------------------------- */

struct armtap_conn;

struct armtap_conn_options {
    size_t size; /* sizeof(struct armtap_conn_options) */
    /* NONE: recognised by content and by the port of an address. By content alone neither the dashboard server,
     * External Control nor AUBO over WebSocket is. */
    enum armtap_protocol protocol;
    /* Addresses for the stream, "10.0.0.2:30004", or NULL. What External Control sends depends on the client's port. */
    const char *robot, *client;
    bool midstream;      /* the first bytes pushed are not the connection's first */
    uint64_t connection; /* number for the stream */
    bool no_guess;       /* data whose handshake was not captured is not decoded, unless a recipe is given */
};
/* `options` and the sink may be NULL; both are copied. */
ARMTAP_API int armtap_conn_new(const struct armtap_conn_options *options, const struct armtap_sink *sink, void *user,
                               struct armtap_conn **conn);
ARMTAP_API void armtap_conn_free(struct armtap_conn *conn);
/* The next bytes of a direction, any number of them; `where` may be NULL. After an error nothing more is accepted, and
 * the error is repeated; bytes not yet consumed are not counted. ERR_ARGUMENT, ERR_SIZE and ERR_BUSY change nothing.
 * The same holds for armtap_net_packet. */
ARMTAP_API int armtap_conn_push(struct armtap_conn *conn, enum armtap_direction direction, const void *bytes,
                                size_t length, const struct armtap_where *where);
/* `length` bytes of a direction are missing here. */
ARMTAP_API int armtap_conn_gap(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                               const struct armtap_where *where);
/* No more bytes follow in this direction: decodes or skips what was waiting for them. */
ARMTAP_API int armtap_conn_close(struct armtap_conn *conn, enum armtap_direction direction,
                                 const struct armtap_where *where);
/* The recipe to use if no handshake was captured: an RTDE output recipe, or an AUBO channel's; NULL: none. */
ARMTAP_API int armtap_conn_set_recipe(struct armtap_conn *conn, const struct armtap_recipe *recipe);
ARMTAP_API const struct armtap_stream *armtap_conn_stream(const struct armtap_conn *conn);

/* ---- captured packets ------------------------------------------------------------------------------------------ */

struct armtap_net;

/* What was learned about the robots in a capture: recipes from handshakes, and which well-known recipe matches data
 * without one. Passed to a first pass over a capture, sealed, and passed to a second, it lets later packets explain
 * earlier ones. */
struct armtap_knowledge;
ARMTAP_API int armtap_knowledge_new(struct armtap_knowledge **knowledge);
/* May be called before the nets that use it are freed. */
ARMTAP_API void armtap_knowledge_free(struct armtap_knowledge *knowledge);
/* The first pass is over. */
ARMTAP_API void armtap_knowledge_seal(struct armtap_knowledge *knowledge);
/* Whether a second pass may find more: a recipe was guessed, or a controller's version arrived too late to be used. */
ARMTAP_API bool armtap_knowledge_has_guesses(const struct armtap_knowledge *knowledge);

/* The numbers of link types are those of capture files (https://www.tcpdump.org/linktypes.html). */
struct armtap_packet {
    size_t size; /* sizeof(struct armtap_packet) */
    int link_type;
    struct armtap_where where;
    const uint8_t *data;
    size_t captured; /* bytes at data */
    size_t length;   /* bytes transmitted; more than captured if a snapshot length cut the packet */
};

struct armtap_port {
    size_t size; /* sizeof(struct armtap_port) */
    uint16_t port;
    enum armtap_protocol protocol;
};

struct armtap_net_options {
    size_t size;                     /* sizeof(struct armtap_net_options) */
    const struct armtap_port *ports; /* protocols of ports, in addition to those that the decoders know; one size */
    size_t port_count;
    const struct armtap_recipe *recipe; /* as in armtap_conn_set_recipe; or NULL */
    size_t pool_bytes;                  /* bound for all data that waits for missing bytes; 0: the budget "waiting" */
    struct armtap_knowledge *knowledge; /* NULL: its own */
    bool no_guess;                      /* as in armtap_conn_options */
};
ARMTAP_API int armtap_net_new(const struct armtap_net_options *options, const struct armtap_sink *sink, void *user,
                              struct armtap_net **net);
ARMTAP_API void armtap_net_free(struct armtap_net *net);
/* True for link types that armtap_net_packet reads. */
ARMTAP_API bool armtap_link_type_known(int link_type);
/* Sets the origin of the next packets; initially NETWORK. For packets from a socket no event or note reports
 * retransmission, duplicates, order or receive windows, because armtap made these packets. */
ARMTAP_API int armtap_net_origin(struct armtap_net *net, enum armtap_origin origin);
/* The next captured packet; its data must stay valid only during the call. Foreign and damaged packets are skipped
 * cheaply; ERR_UNSUPPORTED for an unknown link type. */
ARMTAP_API int armtap_net_packet(struct armtap_net *net, const struct armtap_packet *packet);
/* Whether later packets can no longer change the results up to `until`: the protocol of each connection that began by
 * then is known, none of its bytes wait for missing ones or for the rest of a message, and no recipe was guessed or
 * doubted. Then the sink has received everything up to there except events that report an end. Takes time proportional
 * to the number of connections; false during a callback. */
ARMTAP_API bool armtap_net_is_settled(const struct armtap_net *net, const struct armtap_where *until);
/* The capture ends: delivers all waiting data, and closes the connections. */
ARMTAP_API int armtap_net_finish(struct armtap_net *net);

/* A TCP port that robots listen on, and almost no other machines. */
struct armtap_robot_port {
    size_t size; /* sizeof(struct armtap_robot_port) */
    uint16_t port;
    const char *name; /* of its protocol */
};
/* The i-th of them, those of built-in decoders first; false beyond the last. */
ARMTAP_API bool armtap_robot_port_at(size_t i, struct armtap_robot_port *port);
/* The i-th port on which a built-in decoder expects its protocol; false beyond the last. */
ARMTAP_API bool armtap_port_at(size_t i, struct armtap_port *port);

#ifdef __cplusplus
}
#endif

#endif
