#include "analysis/facts/mode_timeline.h"

#include <string.h>

static const struct {
    const char *word;
    enum safety_class class, at_first;
} words[] = {
#define WORD(text, later, first) {text, SAFETY_##later, SAFETY_##first},
#include "analysis/facts/safety_words.def"
};

/* A safety mode without a name is of a newer controller, and may be anything; 0 is what senders leave empty. */
enum safety_class armtap_safety_class(enum armtap_field_id field, int64_t value, const char *name, bool is_first)
{
    bool is_safety = field == ARMTAP_ID_safety_mode || field == ARMTAP_ID_safety_status;
    bool has_states = is_safety || field == ARMTAP_ID_robot_mode || field == ARMTAP_ID_safety_status_bits;
    for (size_t i = 0; i < sizeof words / sizeof *words && has_states && name; i++)
        if (strstr(name, words[i].word))
            return is_first ? words[i].at_first : words[i].class;
    return is_safety && !name && value != 0 ? SAFETY_UNKNOWN : SAFETY_ORDINARY;
}

static const struct {
    unsigned bit;
    uint32_t others;
} sums[] = {
#define SUMS_UP(bit, others) {bit, UINT32_C(others)},
#include "analysis/facts/safety_words.def"
};

uint32_t armtap_safety_reasons(uint32_t safety_status_bits)
{
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_safety_status_bits);
    const struct armtap_enum_value *bit;
    uint32_t reasons = 0;
    for (size_t i = 0; (bit = armtap_enum_at(field, i)); i++)
        if (armtap_safety_class(field->id, bit->value, bit->name, true) != SAFETY_ORDINARY)
            reasons |= safety_status_bits & UINT32_C(1) << bit->value;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if ((reasons & sums[i].others) != 0)
            reasons &= ~(UINT32_C(1) << sums[i].bit);
    return reasons;
}

/* What stops are called, who asks for some of them, how a running program ends, that no program runs, and that an arm
 * has no power or no controller, by what the names of our tables contain: the first that fits. Other stops are
 * protective, which the controller decides on. A robot's own emergency stop is not the system's. */
enum name_list { CALLED, ASKED, ENDED, OVER, POWER };
static const struct {
    enum name_list list;
    const char *part;
    enum armtap_word word;
} name_words[] = {{CALLED, "ROBOT_EMERGENCY", ARMTAP_WORD_robot_emergency},
                  {CALLED, "RobotEmergency", ARMTAP_WORD_robot_emergency},
                  {CALLED, "EMERGENCY", ARMTAP_WORD_emergency},
                  {CALLED, "Emergency", ARMTAP_WORD_emergency},
                  {CALLED, "SAFEGUARD", ARMTAP_WORD_safeguard},
                  {CALLED, "Safeguard", ARMTAP_WORD_safeguard},
                  {CALLED, "THREE_POSITION", ARMTAP_WORD_enabling_device},
                  {CALLED, "", ARMTAP_WORD_protective},
                  {ASKED, "PROFISAFE", ARMTAP_WORD_plc},
                  {ASKED, "SAFETY_API", ARMTAP_WORD_program},
                  {ENDED, "STOPP", ARMTAP_WORD_program_stopped},
                  {ENDED, "PAUS", ARMTAP_WORD_program_paused},
                  {OVER, "STOPP", ARMTAP_WORD_program_stopped},
                  {OVER, "Stopp", ARMTAP_WORD_program_stopped},
                  {OVER, "Aborting", ARMTAP_WORD_program_stopped},
                  {POWER, "POWER_OFF", ARMTAP_WORD_power_lost},
                  {POWER, "PowerOff", ARMTAP_WORD_power_lost},
                  {POWER, "NO_POWER", ARMTAP_WORD_power_lost},
                  {POWER, "SHUTDOWN", ARMTAP_WORD_power_lost},
                  {POWER, "IDLE", ARMTAP_WORD_power_lost},
                  {POWER, "Idle", ARMTAP_WORD_power_lost},
                  {POWER, "CONNECTED", ARMTAP_WORD_power_lost},
                  {POWER, "Disconnected", ARMTAP_WORD_power_lost},
                  {POWER, "NO_CONTROLLER", ARMTAP_WORD_power_lost},
                  {POWER, "NoController", ARMTAP_WORD_power_lost},
                  {POWER, "BOOTING", ARMTAP_WORD_power_lost},
                  {POWER, "Booting", ARMTAP_WORD_power_lost}};

static enum armtap_word word_of(enum name_list list, const char *name)
{
    for (size_t i = 0; i < sizeof name_words / sizeof *name_words; i++)
        if (name_words[i].list == list && strstr(name ? name : "", name_words[i].part))
            return name_words[i].word;
    return ARMTAP_WORD_none;
}

enum armtap_word armtap_stop_called(const char *name)
{
    return word_of(CALLED, name);
}

enum armtap_word armtap_stop_asked(const char *name)
{
    return word_of(ASKED, name);
}

enum armtap_word armtap_mode_ending(enum armtap_field_id field, const char *before, const char *name)
{
    if (field == ARMTAP_ID_robot_mode)
        return before && (strcmp(before, "RUNNING") == 0 || strcmp(before, "Running") == 0) ? word_of(POWER, name)
                                                                                            : ARMTAP_WORD_none;
    return before && strcmp(before, "PLAYING") == 0 ? word_of(ENDED, name) : ARMTAP_WORD_none;
}

bool armtap_is_program_over(const char *name)
{
    return word_of(OVER, name) != ARMTAP_WORD_none;
}

bool armtap_has_power(const char *name)
{
    return word_of(POWER, name) == ARMTAP_WORD_none;
}

/* ---- what was said ----------------------------------------------------------------------------------------------- */

struct safety_arm *armtap_safety_arm(struct safety_states *states, const struct armtap_stream *stream, unsigned number)
{
    const char *colon = strrchr(stream->robot, ':');
    size_t length = colon ? (size_t)(colon - stream->robot) : 0;
    for (size_t i = 0; i < states->count; i++) {
        struct safety_arm *arm = &states->arms[i];
        if (arm->number == number && strlen(arm->host) == length && memcmp(arm->host, stream->robot, length) == 0)
            return arm;
    }
    if (states->count == SAFETY_ARMS_MAX || length == 0 || length >= sizeof states->arms->host)
        return NULL;
    struct safety_arm *added = &states->arms[states->count++];
    added->number = number;
    memcpy(added->host, stream->robot, length);
    return added;
}

/* Fields differ in the names of a state: if the arm is in one that was said, another field's first value is no news. */
bool armtap_safety_is_told(const struct safety_arm *arm, enum safety_class class, size_t field, int64_t value)
{
    bool is_stop = class == SAFETY_STOP || class == SAFETY_FAULT;
    if (!arm)
        return false;
    if (arm->known[field])
        return (arm->is_told[field] || !is_stop) && arm->value[field] == value;
    for (size_t i = 0; i < SAFETY_FIELDS && is_stop; i++)
        if (arm->is_told[i])
            return true;
    return false;
}

/* What ends in one of the safety fields has ended in all. A robot mode says nothing of them. */
void armtap_safety_tell(struct safety_arm *arm, size_t field, int64_t value, bool is_told)
{
    if (!arm)
        return;
    arm->known[field] = true;
    arm->value[field] = value;
    for (size_t i = 1; i < SAFETY_FIELDS && field > 0 && !is_told; i++)
        arm->is_told[i] = false;
    arm->is_told[field] = is_told;
}
