/* Reads JSON from anywhere, token by token. Nothing is allocated, brackets nest up to 32 deep, and nothing is read
 * beyond the text, which need not be JSON. NaN, Infinity and -Infinity count as numbers: AUBO's controllers send them.
 */
#ifndef ARMTAP_JSON_H
#define ARMTAP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap.h"

#define ARMTAP_JSON_DEPTH_MAX 32

enum armtap_json_kind {
    ARMTAP_JSON_NULL,
    ARMTAP_JSON_FALSE,
    ARMTAP_JSON_TRUE,
    ARMTAP_JSON_NUMBER,
    ARMTAP_JSON_STRING,
    ARMTAP_JSON_ARRAY,
    ARMTAP_JSON_OBJECT,
    ARMTAP_JSON_KEY, /* a name in an object; its value is next */
    ARMTAP_JSON_CLOSE
};

/* A number but NaN and Infinity: digits times a power of ten. */
struct armtap_json_decimal {
    bool negative, whole; /* whole: neither a point nor an exponent */
    size_t count;         /* of digits after leading zeros */
    uint64_t digits;      /* modulo 2^64 */
    int64_t power;
};

struct armtap_json_token {
    enum armtap_json_kind kind;
    const char *text; /* a string and a key with their quotes; of an array and an object the bracket that opens it */
    size_t length;
    struct armtap_json_decimal decimal; /* of a number */
};

/* What is wrong with a text. */
enum armtap_json_fault {
    ARMTAP_JSON_FINE,
    ARMTAP_JSON_BAD_WORD,   /* neither a number nor a word of JSON */
    ARMTAP_JSON_BAD_ESCAPE, /* in a string */
    ARMTAP_JSON_BAD_BYTE,   /* a control character in a string */
    ARMTAP_JSON_MISPLACED,  /* JSON does not allow it there */
    ARMTAP_JSON_TOO_DEEP,
    ARMTAP_JSON_CUT /* the text ends before the value */
};

/* A scan: what follows `at`. */
struct armtap_json {
    const char *at, *end;
    const char *wrong; /* the byte at fault */
    enum armtap_json_fault fault;
    unsigned expected;
    unsigned depth;
    uint32_t objects; /* bit d: the bracket open at depth d + 1 is an object's */
};

/* White space of JSON. */
static inline bool armtap_json_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline bool armtap_json_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct armtap_json armtap_json_begin(const char *text, size_t length);
/* Gets the next token. False after one whole value and white space, or at the fault, where the scan stays. */
bool armtap_json_next(struct armtap_json *json, struct armtap_json_token *token);
/* Gets the next value as one token: an array or object with all that is in it; in an object also the next key. False
 * at the bracket that closes what is scanned, too. */
bool armtap_json_value(struct armtap_json *json, struct armtap_json_token *value);
/* Begins a scan of what is in an array or object that armtap_json_value gave; of anything else, of nothing. */
struct armtap_json armtap_json_inside(const struct armtap_json_token *value);
/* The value of that name in such an object; of several the last. */
bool armtap_json_member(const struct armtap_json_token *object, const char *name, struct armtap_json_token *value);

/* Writes a string or key without quotes and escapes, in no more bytes than the token has; half a surrogate pair becomes
 * U+FFFD. Returns the length. */
size_t armtap_json_text(const struct armtap_json_token *string, char *to);
/* Whether a string or key reads so. */
bool armtap_json_is(const struct armtap_json_token *string, const char *text);
/* The value of a number: INT64, UINT64 if larger, DOUBLE if it is no such integer. Doubles are correctly rounded. */
void armtap_json_number(const struct armtap_json_token *number, struct armtap_value *value);
/* The double nearest to a number. */
double armtap_json_double(const struct armtap_json_token *number);
/* Reads the digits at `text`, which a minus sign may precede. Returns where the number ends; NULL if a digit is
 * missing.
 */
const char *armtap_json_decimal(const char *text, const char *end, struct armtap_json_decimal *decimal);

#endif
