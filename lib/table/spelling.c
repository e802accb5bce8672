/* Finds the field that an unknown name probably means. */
#include "field.h"

#include <string.h>

#define NAME_MAX_LENGTH 64 /* no field has a longer name */
#define EXACT_BELOW 4      /* letters: shorter names must match exactly */
#define LETTERS_A_SLIP 6   /* one slip is allowed in every so many letters ... */
#define SLIPS_MAX 3        /* ... but no more than these */

struct misnomer {
    const char *name, *meant;
};
static const struct misnomer misnomers[] = {
#define MISNOMER(name, meant) {name, meant},
#include "misnomers.def"
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ---- names that differ in case and separators alone ---- */

struct folded {
    char text[NAME_MAX_LENGTH];
    size_t length;
};

static bool is_separator(char c)
{
    return c == '_' || c == ' ' || c == '.' || c == '-';
}

/* Letters and digits, in lower case; a getter's "get" goes. */
static void fold(const char *name, size_t length, struct folded *folded)
{
    bool getter = length > 3 && memcmp(name, "get", 3) == 0 && name[3] >= 'A' && name[3] <= 'Z';
    folded->length = 0;
    for (size_t i = getter ? 3 : 0; i < length && folded->length < sizeof folded->text; i++)
        if (name[i] != '\0' && !is_separator(name[i]))
            folded->text[folded->length++] = lower(name[i]);
}

/* Whether one of our names, not a getter, folds to this; stops at the first letter that differs. */
static inline bool is_same(const struct folded *folded, const char *name)
{
    size_t count = 0;
    if (folded->length == 0 || (lower(*name) != folded->text[0] && !is_separator(*name)))
        return false; /* as nearly all do */
    for (; *name; name++) {
        if (is_separator(*name))
            continue;
        if (count == folded->length || folded->text[count] != lower(*name))
            return false;
        count++;
    }
    return count > 0 && count == folded->length;
}

static bool is_candidate(const struct armtap_field *field, unsigned directions)
{
    return ((unsigned)field->direction & directions) != 0;
}

/* The only field whose name, or legacy name, differs just in case and separators. */
static const struct armtap_field *find_folded(const struct folded *folded, unsigned directions)
{
    const struct armtap_field *found = NULL, *fields = armtap_field_at(0);
    for (size_t id = 0; id < ARMTAP_FIELD_COUNT; id++) {
        const struct armtap_field *field = &fields[id];
        if (!is_candidate(field, directions) || (!is_same(folded, field->name) && !is_same(folded, field->legacy_name)))
            continue;
        if (found)
            return NULL;
        found = field;
    }
    return found;
}

/* ---- slips of the keyboard ---- */

/* Letters to insert, drop, replace, or swap with their neighbour to make one text of the other; where it takes more
 * than `most`, some number above that. Only cells are filled that `most` slips may lead to, and those beside them. */
static size_t slips_between(const char *a, size_t a_length, const char *b, size_t b_length, size_t most)
{
    size_t rows[3][NAME_MAX_LENGTH + 2];
    if (a_length > b_length + most || b_length > a_length + most)
        return most + 1;
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        size_t from = i > most + 1 ? i - most : 1, to = i + most < b_length ? i + most : b_length;
        size_t least = row[from - 1] = from == 1 ? i : most + 1;
        for (size_t k = from; k <= to; k++) {
            size_t best = above[k - 1] + (lower(a[i - 1]) != lower(b[k - 1]));
            best = above[k] + 1 < best ? above[k] + 1 : best;
            best = row[k - 1] + 1 < best ? row[k - 1] + 1 : best;
            bool swapped = i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]);
            row[k] = swapped && higher[k - 2] + 1 < best ? higher[k - 2] + 1 : best;
            least = row[k] < least ? row[k] : least;
        }
        row[to + 1] = most + 1;
        if (least > most + 1) /* a swap may save one yet */
            return least;
    }
    return rows[a_length % 3][b_length];
}

static bool same_digits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a_length && !is_digit(a[i]))
            i++;
        while (k < b_length && !is_digit(b[k]))
            k++;
        if (i == a_length || k == b_length)
            return i == a_length && k == b_length;
        if (a[i] != b[k])
            return false;
    }
}

/* Which letters a text has, a bit each; others share bits. A slip changes two of them at most. */
static uint64_t letters_of(const char *text, size_t length)
{
    uint64_t letters = 0;
    for (size_t i = 0; i < length; i++)
        letters |= UINT64_C(1) << (lower(text[i]) & 63);
    return letters;
}

static unsigned bits_in(uint64_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* Properties of the wanted name, computed once. */
struct wanted {
    const char *name;
    size_t length;
    uint64_t letters;
    char last_digit; /* 0: it has none */
};

static struct wanted want(const char *name, size_t length)
{
    struct wanted wanted = {name, length, letters_of(name, length), '\0'};
    for (size_t i = 0; i < length; i++)
        wanted.last_digit = is_digit(name[i]) ? name[i] : wanted.last_digit;
    return wanted;
}

/* Cheaply rules out names that differ by more than `most` slips, or in a number: nearly all. */
static bool may_be_near(const struct wanted *wanted, const char *name, size_t length, size_t most)
{
    if (length > wanted->length + most || wanted->length > length + most)
        return false;
    char last = name[length - 1];
    return (!is_digit(last) || last == wanted->last_digit) &&
           bits_in(wanted->letters ^ letters_of(name, length)) <= 2 * most;
}

static size_t word_length(const char *text, size_t length)
{
    const char *end = memchr(text, '_', length);
    return end ? (size_t)(end - text) : length;
}

/* No word of one letter differs, nor a word as a whole: "actual_a" is another thing than "actual_q". */
static bool words_resemble(const char *a, size_t a_length, const char *b, size_t b_length)
{
    while (a_length > 0 && b_length > 0) {
        size_t one = word_length(a, a_length), other = word_length(b, b_length);
        size_t shorter = one < other ? one : other;
        size_t slips = slips_between(a, one, b, other, shorter);
        if (slips > 0 && (shorter < 2 || slips >= shorter))
            return false;
        a += one < a_length ? one + 1 : one;
        a_length -= one < a_length ? one + 1 : one;
        b += other < b_length ? other + 1 : other;
        b_length -= other < b_length ? other + 1 : other;
    }
    return true;
}

static size_t words_in(const char *text, size_t length)
{
    size_t words = 1;
    for (size_t i = 0; i < length; i++)
        words += text[i] == '_';
    return words;
}

/* The one field that the fewest slips lead to, no more than the name's length allows. A number is never a slip. */
static const struct armtap_field *find_nearest(const char *name, size_t length, unsigned directions)
{
    size_t allowed = length / LETTERS_A_SLIP > SLIPS_MAX ? SLIPS_MAX : length / LETTERS_A_SLIP;
    size_t fewest = (allowed == 0 ? 1 : allowed) + 1;
    const struct armtap_field *found = NULL;
    if (length < EXACT_BELOW)
        return NULL;
    struct wanted wanted = want(name, length);
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        if (!is_candidate(field, directions))
            continue;
        size_t other = strlen(field->name);
        if (!may_be_near(&wanted, field->name, other, fewest) || !same_digits(name, length, field->name, other))
            continue;
        size_t slips = slips_between(name, length, field->name, other, fewest);
        if (slips > fewest)
            continue;
        bool resembles =
            words_in(name, length) != words_in(field->name, other) || words_resemble(name, length, field->name, other);
        found = slips < fewest && resembles ? field : NULL; /* if two are equally near, neither */
        fewest = slips;
    }
    return found;
}

/* ---- elements of vectors ---- */

/* The length of a name without its "_0", "[0]" or "0"; 0 where it has none. */
static size_t stem_length(const char *name, size_t length)
{
    bool bracket = length > 3 && name[length - 1] == ']';
    size_t end = bracket ? length - 1 : length;
    if (end < 2 || name[end - 1] < '0' || name[end - 1] > '5')
        return 0;
    if (bracket != (name[end - 2] == '['))
        return 0;
    return bracket || name[end - 2] == '_' ? end - 2 : end - 1;
}

static const struct armtap_field *find_vector(const char *name, size_t length, unsigned directions)
{
    struct folded folded;
    size_t stem = stem_length(name, length);
    if (stem == 0)
        return NULL;
    fold(name, stem, &folded);
    const struct armtap_field *field = find_folded(&folded, directions);
    size_t element = (size_t)(name[length - (name[length - 1] == ']' ? 2 : 1)] - '0');
    return field && field->count > element && field->count > 1 ? field : NULL;
}

const struct armtap_field *armtap_field_nearest(const char *name, size_t length, enum armtap_field_direction direction)
{
    struct folded folded;
    unsigned directions = (unsigned)direction & ARMTAP_FIELD_BOTH;
    if (!name || length == 0 || length > NAME_MAX_LENGTH)
        return NULL;
    fold(name, length, &folded);
    for (size_t i = 0; i < sizeof misnomers / sizeof misnomers[0]; i++)
        if (is_same(&folded, misnomers[i].name)) {
            const struct armtap_field *meant = armtap_field_find(misnomers[i].meant, strlen(misnomers[i].meant));
            return meant && is_candidate(meant, directions) ? meant : NULL;
        }
    const struct armtap_field *field = find_folded(&folded, directions);
    if (!field)
        field = find_vector(name, length, directions);
    return field ? field : find_nearest(name, length, directions);
}
