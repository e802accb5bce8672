#include "diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"

/* Findings of one id and stream that are shown one by one. */
#define FLOOD 10
#define SUM_MAX (ARMTAP_FINDING_TEXT_MAX + 120)

/* ---- floods ------------------------------------------------------------------------------------------------------ */

/* The findings of one id and stream: of a flood, the largest are shown and the rest are summed up. */
struct flood {
    uint64_t total;
    const struct armtap_finding *largest[FLOOD + 1]; /* the largest first; equal ones in time order */
    size_t count;
    const struct armtap_finding *sum; /* the sum of those not kept one by one, or NULL */
    struct armtap_where last;
    bool summed_up;
};

static void keep_largest(struct flood *flood, const struct armtap_finding *finding)
{
    size_t place = flood->count;
    while (place > 0 && flood->largest[place - 1]->size < finding->size)
        place--;
    if (place > FLOOD)
        return;
    flood->count += flood->count <= FLOOD;
    memmove(flood->largest + place + 1, flood->largest + place, (flood->count - place - 1) * sizeof(*flood->largest));
    flood->largest[place] = finding;
}

static void measure(struct flood *flood, const struct armtap_finding *finding)
{
    flood->total += finding->count;
    flood->last = finding->last;
    if (finding->is_sum)
        flood->sum = finding;
    else
        keep_largest(flood, finding);
}

/* How many of a flood are shown: one more if it would only replace the line of the sum. */
static size_t shown_of(const struct flood *flood)
{
    return flood->total == flood->count ? flood->count : flood->count < FLOOD ? flood->count : FLOOD;
}

static bool is_shown(const struct flood *flood, const struct armtap_finding *finding)
{
    for (size_t i = 0; i < shown_of(flood); i++)
        if (flood->largest[i] == finding)
            return true;
    return false;
}

/* What the sum at the first finding that is not shown says. */
static void sum_up(char text[SUM_MAX], const struct flood *flood, const struct armtap_zone *zone)
{
    size_t shown = shown_of(flood);
    const struct armtap_finding *smallest = shown > 0 ? flood->largest[shown - 1] : NULL;
    uint64_t more = flood->total;
    for (size_t i = 0; i < shown; i++)
        more -= flood->largest[i]->count;
    bool is_larger = flood->sum && flood->sum->size > (smallest ? smallest->size : 0);
    int length = snprintf(text, SUM_MAX, "and %" PRIu64 " more%s, up to packet %" PRIu64, more,
                          !smallest || smallest->size <= 0 || is_larger ? "" : ", none larger", flood->last.packet);
    if (!is_larger)
        return;
    struct armtap_finding largest = *flood->sum;
    char sentence[ARMTAP_FINDING_TEXT_MAX];
    largest.is_sum = false;
    armtap_finding_say(sentence, &largest, zone);
    snprintf(text + length, SUM_MAX - (size_t)length, "; the largest: %s, in packet %" PRIu64, sentence,
             largest.largest.packet);
}

int findings_tell(const struct diagnosis *diagnosis,
                  void (*tell)(void *user, const struct armtap_finding *finding, const char *text), void *user)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found);
    const struct armtap_zone *zone = timestamp_zone(diagnosis->zone);
    struct flood *floods = calloc(armtap_diagnosis_pairs(diagnosis->found) + 1, sizeof *floods);
    if (!floods)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        if (diagnosis_shows(diagnosis, &finding->where))
            measure(&floods[finding->pair], finding);
    }
    for (size_t i = 0; i < count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        struct flood *flood = &floods[finding->pair];
        char text[SUM_MAX];
        if (!diagnosis_shows(diagnosis, &finding->where))
            continue;
        if (is_shown(flood, finding) || flood->total == finding->count) {
            armtap_finding_say(text, finding, zone);
            tell(user, finding, text);
        } else if (!flood->summed_up) {
            sum_up(text, flood, zone);
            tell(user, finding, text);
            flood->summed_up = true;
        }
    }
    free(floods);
    return 0;
}

/* ---- remedies ---------------------------------------------------------------------------------------------------- */

static size_t note_index(const struct armtap_note_kind *kind)
{
    size_t i = 0;
    while (armtap_note_at(i) != kind)
        i++;
    return i;
}

/* --around is itself the remedy of these findings. */
static bool is_remedy_taken(const struct diagnosis *diagnosis, const struct armtap_note_kind *kind)
{
    return kind == diagnosis->around && strstr(kind->command, "--around");
}

/* Whether `next` is a better example for the remedy than `first`: it has a size, or a command that prints something. */
static bool explains_better(const struct diagnosis *diagnosis, const struct armtap_finding *first,
                            const struct armtap_finding *next)
{
    if (!(first->total > 0) && next->total > 0)
        return true;
    return !remedy_is_offered(&diagnosis->offers, first->kind, &first->where) &&
           remedy_is_offered(&diagnosis->offers, next->kind, &next->where);
}

/* The finding that explains each kind best, by the kind's index; kinds that are not shown have none. */
static void find_examples(const struct diagnosis *diagnosis, const struct armtap_finding **examples)
{
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        const struct armtap_finding **of_kind = &examples[note_index(finding->kind)];
        if (is_remedy_taken(diagnosis, finding->kind) || !diagnosis_shows(diagnosis, &finding->where))
            continue;
        if (!*of_kind || explains_better(diagnosis, *of_kind, finding))
            *of_kind = finding;
    }
}

/* What holds the inputs of all refusals that are shown: enum armtap_input_holder. */
static unsigned holders_of(const struct diagnosis *diagnosis, const struct armtap_note_kind *kind)
{
    unsigned holders = 0;
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        if (finding->kind == kind && diagnosis_shows(diagnosis, &finding->where))
            holders |= armtap_input_holders_of(&finding->arguments);
    }
    return holders;
}

/* What to do about refused inputs depends on what may hold them. The words before the command are kept. */
static void advise_of_inputs(struct remedy *remedy, unsigned holders)
{
    static const struct {
        unsigned holders, without;
        const char *advice;
    } rows[] = {
        {ARMTAP_HOLDER_SAME_CLIENT, 0,
         "close the connection that holds it, or ask again later: the robot frees an input when the connection that "
         "set it up ends, which it notices late if that just broke off"},
        {ARMTAP_HOLDER_OTHER_CLIENT, 0, "close the other client, or let it use other registers"},
        {ARMTAP_HOLDER_UNKNOWN, ARMTAP_HOLDER_FIELDBUS,
         "close the other client, or the earlier connection of this one, or ask again later: the robot frees an input "
         "when the connection that set it up ends"},
        {ARMTAP_HOLDER_FIELDBUS, 0, "close the other client, or disable EtherNet/IP or PROFINET"},
        {ARMTAP_HOLDER_OF_REGISTER, 0, "or use registers 24 to 47"},
        {ARMTAP_HOLDER_OF_BIT, 0, "or use bits 64 to 127"},
    };
    char command[REMEDY_MAX];
    size_t used = 0;
    const char *rest = strstr(remedy->advice, "; for a recipe");
    snprintf(command, sizeof command, "%s", rest ? rest : "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool applies = holders & rows[i].holders && !(holders & rows[i].without);
        const char *sign = used == 0 ? "" : strncmp(rows[i].advice, "or ", 3) == 0 ? ", " : "; ";
        if (applies && used < sizeof remedy->advice)
            used += (size_t)snprintf(remedy->advice + used, sizeof remedy->advice - used, "%s%s", sign, rows[i].advice);
    }
    if (used < sizeof remedy->advice)
        snprintf(remedy->advice + used, sizeof remedy->advice - used, "%s", command);
}

int remedies_tell(const struct diagnosis *diagnosis,
                  void (*tell)(void *user, const struct armtap_note_kind *kind, const struct remedy *remedy),
                  void *user)
{
    const struct armtap_finding **examples = calloc(armtap_note_count(), sizeof(*examples));
    struct remedy remedy;
    if (!examples)
        return -1;
    find_examples(diagnosis, examples);
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_WARNING; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            const struct armtap_note_kind *kind = armtap_note_at(i);
            if (!examples[i] || (int)kind->severity != severity)
                continue;
            remedy_find(&remedy, kind, diagnosis->source, &diagnosis->offers, &examples[i]->where);
            remedy_find_cut(&remedy, kind, armtap_diagnosis_streams(diagnosis->found));
            if (strcmp(kind->id, "clock.skipped") == 0 && !(examples[i]->total > 0))
                remedy = (struct remedy){
                    .advice = "controller times on the two sides of a clock that was set cannot be compared"};
            if (strcmp(kind->id, "rtde.field.in-use") == 0)
                advise_of_inputs(&remedy, holders_of(diagnosis, kind));
            tell(user, kind, &remedy);
        }
    free(examples);
    return 0;
}
