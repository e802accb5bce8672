#include "aubo_topics.h"

#include <string.h>

#include "table/field.h"

struct topic {
    const char *name;
    enum armtap_field_id field;
    bool of_arm;
};
static const struct topic topics[] = {
#define ROBOT(topic, field, factor) {#topic, ARMTAP_ID_##field, false},
#define ARM(topic, field, factor) {#topic, ARMTAP_ID_##field, true},
#include "aubo_topics.def"
#undef ROBOT
#undef ARM
};

/* The arm in a name, or 0; advances *name past it. */
static unsigned arm_of(const char **name, size_t *length)
{
    const char *text = *name;
    if (*length < 3 || text[0] != 'R' || text[1] < '1' || text[1] > '0' + ARMTAP_ARMS_MAX || text[2] != '_')
        return 0;
    *name += 3;
    *length -= 3;
    return (unsigned)(text[1] - '0');
}

const struct armtap_field *armtap_aubo_topic_field(const char *name, size_t length, unsigned *arm)
{
    *arm = arm_of(&name, &length);
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (topics[i].of_arm == (*arm != 0) && strlen(topics[i].name) == length &&
            memcmp(topics[i].name, name, length) == 0)
            return armtap_field_at(topics[i].field);
    return NULL;
}

double armtap_aubo_topic_factor(const struct armtap_field *field)
{
    switch ((int)field->id) {
#define ROBOT(topic, field, factor)                                                                                    \
    case ARMTAP_ID_##field:                                                                                            \
        return factor;
#define ARM(topic, field, factor) ROBOT(topic, field, factor)
#include "aubo_topics.def"
#undef ROBOT
#undef ARM
    default:
        return 1;
    }
}
