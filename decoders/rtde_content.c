#include "rtde_package.h"

#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "rtde_reply.h"

#define LEVEL_MAX 8u       /* of a text message */
#define SEARCHED_TEXT 256u /* characters of a text that a search examines */
#define SEARCHED_LIST 32u  /* the same for a list, where one byte in four or five would pass by chance */

/* Characters of lists. */
enum { IN_NAMES = 1, IN_TYPES = 2 };
#define NAME(c) [c] = IN_NAMES
#define BOTH(c) [c] = IN_NAMES | IN_TYPES
/* clang-format off */
static const uint8_t common[256] = {
    NAME('a'), NAME('b'), NAME('c'), NAME('d'), NAME('e'), NAME('f'), NAME('g'), NAME('h'), NAME('i'), NAME('j'),
    NAME('k'), NAME('l'), NAME('m'), NAME('n'), NAME('o'), NAME('p'), NAME('q'), NAME('r'), NAME('s'), NAME('t'),
    NAME('u'), NAME('v'), NAME('w'), NAME('x'), NAME('y'), NAME('z'), BOTH('_'), BOTH(','), BOTH('0'), BOTH('1'),
    BOTH('2'), BOTH('3'), BOTH('4'), BOTH('5'), BOTH('6'), BOTH('7'), BOTH('8'), BOTH('9'), BOTH('A'), BOTH('B'),
    BOTH('C'), BOTH('D'), BOTH('E'), BOTH('F'), BOTH('G'), BOTH('H'), BOTH('I'), BOTH('J'), BOTH('K'), BOTH('L'),
    BOTH('M'), BOTH('N'), BOTH('O'), BOTH('P'), BOTH('Q'), BOTH('R'), BOTH('S'), BOTH('T'), BOTH('U'), BOTH('V'),
    BOTH('W'), BOTH('X'), BOTH('Y'), BOTH('Z'),
};
/* clang-format on */

/* Sixteen at once: a list of names has a thousand characters, and is read twice. */
typedef uint8_t characters __attribute__((vector_size(16)));

/* For texts of at least so many. The last sixteen overlap those before. */
static bool are_common(const char *text, size_t length, unsigned list)
{
    uint8_t fold = list == IN_NAMES ? ' ' : 0, first = (uint8_t)('A' | fold), last = (uint8_t)('Z' | fold);
    characters all, letters, digits, are = ~(characters){0};
    uint64_t halves[2];
    for (size_t at = 0; at < length; at += sizeof all) {
        memcpy(&all, text + (at + sizeof all <= length ? at : length - sizeof all), sizeof all);
        letters = (characters)((characters)((all | fold) - first) <= (uint8_t)(last - first));
        digits = (characters)((characters)(all - '0') <= (uint8_t)('9' - '0'));
        are &= letters | digits | (characters)(all == '_') | (characters)(all == ',');
    }
    memcpy(halves, &are, sizeof halves);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

static bool all_in(const char *text, size_t length, const char *also, bool lower)
{
    unsigned list = lower ? IN_NAMES : IN_TYPES;
    if (length >= sizeof(characters) && are_common(text, length, list))
        return true;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (!(common[(uint8_t)c] & list) && (c == '\0' ? !lower : !strchr(also, c)))
            return false;
    }
    return true;
}

/* A search decides by the first characters: every few bytes may look like the header of a long package. */
static size_t examined_length(size_t length, bool in_step, size_t max)
{
    return in_step || length < max ? length : max;
}

/* Where a package must begin, consistent lengths are enough: controllers forward whatever programs print. Protocol 1
 * has no lengths from the robot. */
static bool text_fits(const struct armtap_rtde_package *p, bool in_step)
{
    bool has_lengths = p->protocol >= 2 || p->direction == ARMTAP_TO_ROBOT;
    size_t control_max = !in_step ? 0 : has_lengths ? p->text_length : p->text_length / 4;
    return p->level <= LEVEL_MAX &&
           armtap_rtde_is_text(p->text, examined_length(p->text_length, in_step, SEARCHED_TEXT), control_max) &&
           armtap_rtde_is_text(p->source, examined_length(p->source_length, in_step, SEARCHED_TEXT), control_max);
}

/* Whether the content of a package matches its type. Data can hold anything. */
static bool content_fits(const struct armtap_rtde_package *p, bool in_step)
{
    switch (p->type) {
    case ARMTAP_RTDE_VERSION:
        return p->direction == ARMTAP_FROM_ROBOT ? p->accepted <= 1 : p->version >= 1 && p->version <= 16;
    case ARMTAP_RTDE_TEXT:
        return text_fits(p, in_step);
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        if (p->direction == ARMTAP_FROM_ROBOT && p->types_length == 0)
            return false;
        /* fall through */
    case ARMTAP_RTDE_PROPERTIES:
        return all_in(p->names, examined_length(p->names_length, in_step, SEARCHED_LIST), " \r\n\t.", true) &&
               all_in(p->types, examined_length(p->types_length, in_step, SEARCHED_LIST), " ", false);
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        return p->accepted <= 1;
    default:
        return true;
    }
}

/* Whether an output set-up begins as in that protocol: with a name, or with a frequency, whose first byte is not a
 * letter up to 131 kHz. */
static bool begins_as_in(int protocol, const uint8_t *payload, size_t length)
{
    bool name = length > 0 && payload[0] != '\0' && all_in((const char *)payload, 1, " ", true);
    return length == 0 || name == (protocol < 2);
}

static bool text_adds_up(const uint8_t *payload, size_t length, bool has_lengths)
{
    if (!has_lengths)
        return length > 0 && payload[0] <= LEVEL_MAX;
    size_t text = length > 0 ? payload[0] : 0, source = text + 1 < length ? payload[text + 1] : 0;
    return text + source + 3 == length && payload[length - 1] <= LEVEL_MAX;
}

/* Whether the lengths inside a package fit its length. A search meets many headers where they do not; parsing each
 * would cost more than everything else. */
static bool adds_up(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol)
{
    const uint8_t *payload = bytes + ARMTAP_RTDE_HEADER;
    size_t left = length - ARMTAP_RTDE_HEADER;
    if (bytes[2] == ARMTAP_RTDE_TEXT)
        return text_adds_up(payload, left, protocol >= 2 || direction == ARMTAP_TO_ROBOT);
    if (bytes[2] == ARMTAP_RTDE_PROPERTIES && direction == ARMTAP_FROM_ROBOT)
        return left >= 2 && armtap_be16(payload) <= left - 2;
    return true;
}

static bool parses(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol, bool in_step,
                   struct armtap_rtde_package *package)
{
    bool asks = direction == ARMTAP_TO_ROBOT && bytes[2] == ARMTAP_RTDE_SETUP_OUTPUTS;
    if (!adds_up(bytes, length, direction, protocol))
        return false;
    if (asks && !begins_as_in(protocol, bytes + ARMTAP_RTDE_HEADER, length - ARMTAP_RTDE_HEADER))
        return false;
    return armtap_rtde_parse(bytes, length, direction, protocol, package) == ARMTAP_OK &&
           content_fits(package, in_step);
}

/* Whether an output reply fits the other protocol better. Only its types show that, if the recipe id could be a letter.
 */
static bool reads_better(const uint8_t *bytes, size_t length, int protocol, const struct armtap_rtde_package *package)
{
    struct armtap_rtde_package other = {.size = sizeof other};
    return package->direction == ARMTAP_FROM_ROBOT && package->type == ARMTAP_RTDE_SETUP_OUTPUTS &&
           parses(bytes, length, ARMTAP_FROM_ROBOT, protocol, false, &other) &&
           !armtap_rtde_are_types(package->types, package->types_length) &&
           armtap_rtde_are_types(other.types, other.types_length);
}

/* Whether protocol 1 has another layout for this type of package. */
static bool has_two_layouts(uint8_t type)
{
    return type == ARMTAP_RTDE_TEXT || type == ARMTAP_RTDE_SETUP_OUTPUTS || type == ARMTAP_RTDE_DATA;
}

bool armtap_rtde_read(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol, bool in_step,
                      struct armtap_rtde_package *package)
{
    if (protocol != 0 && parses(bytes, length, direction, protocol, in_step, package) &&
        !reads_better(bytes, length, protocol >= 2 ? 1 : 2, package))
        return true;
    if (protocol != 0 && !has_two_layouts(bytes[2]))
        return false;
    for (int other = 1; other <= 2; other++)
        if (other != protocol && parses(bytes, length, direction, other, in_step, package) &&
            !(protocol == 0 && other == 1 && reads_better(bytes, length, 2, package)))
            return true;
    return false;
}
