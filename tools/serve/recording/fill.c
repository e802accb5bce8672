#include "variables.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/comma_list.h"
#include "base/process/message.h"

#define NUMBER_MAX 64u /* bytes of an element */

static int complain_of_name(const char *text, size_t length)
{
    const struct armtap_field *nearest = armtap_field_nearest(text, length, ARMTAP_FIELD_OUTPUT);
    int shown = length < 100 ? (int)length : 100;
    if (nearest)
        message_error("--fill %.*s: RTDE has no such output; did you mean '%s'?", shown, text, nearest->name);
    else
        message_error("--fill %.*s: RTDE has no such output; armtap fields lists all", shown, text);
    return -1;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static bool read_bool(const char *text, uint64_t *number)
{
    *number = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *number || strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static bool read_unsigned(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && *number <= most;
}

static bool read_signed(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *number >= INT32_MIN && *number <= INT32_MAX;
}

static bool read_double(const char *text, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    bool is_too_large = errno == ERANGE && isinf(*number);
    return end != text && *end == '\0' && !is_too_large;
}

static bool read_element(struct armtap_value *value, unsigned i, const char *text)
{
    switch (value->type) {
    case ARMTAP_BOOL:
        return read_bool(text, &value->u64[i]);
    case ARMTAP_UINT8:
        return read_unsigned(text, UINT8_MAX, &value->u64[i]);
    case ARMTAP_UINT32:
        return read_unsigned(text, UINT32_MAX, &value->u64[i]);
    case ARMTAP_UINT64:
        return read_unsigned(text, UINT64_MAX, &value->u64[i]);
    case ARMTAP_INT32:
        return read_signed(text, &value->i64[i]);
    case ARMTAP_DOUBLE:
        return read_double(text, &value->f64[i]);
    default:
        return false;
    }
}

/* How many there are; -1: one of them is of another type. */
static int read_elements(struct armtap_value *value, const char *text)
{
    const char *element;
    size_t length;
    int count = 0;
    for (; (element = comma_list_next(&text, &length)); count++) {
        char number[NUMBER_MAX];
        if (length >= sizeof number)
            return -1;
        memcpy(number, element, length);
        number[length] = '\0';
        if (!read_element(value, (unsigned)count < value->count ? (unsigned)count : 0, number))
            return -1;
    }
    return count;
}

int fill_parse(struct fill *fill, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const struct armtap_field *field = armtap_field_find(text, length);
    if (!equals) {
        message_error("--fill '%.100s': expected NAME=VALUE, as in payload=1.5 or actual_q=0,-1.57,0,0,0,0", text);
        return -1;
    }
    if (!field || !(field->direction & ARMTAP_FIELD_OUTPUT))
        return complain_of_name(text, length);
    *fill = (struct fill){text, {.name = field->name, .field = field, .type = field->type, .count = field->count}};
    int count = read_elements(&fill->value, equals + 1);
    for (unsigned i = 1; count == 1 && i < field->count; i++)
        fill->value.u64[i] = fill->value.u64[0];
    if (count == 1 || count == field->count)
        return 0;
    if (count < 0)
        message_error("--fill %.100s: %s is of type %s", text, field->name,
                      armtap_type_name(field->type, field->count));
    else
        message_error("--fill %.100s: %d values; %s is of type %s: use %u%s", text, count, field->name,
                      armtap_type_name(field->type, field->count), field->count,
                      field->count > 1 ? ", or one for all of them" : "");
    return -1;
}
