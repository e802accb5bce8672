#include "analysis/facts/commands.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"

#define MOTIONS 4096u /* a power of two */

void armtap_usual_motions_free(struct usual_motions *usual)
{
    free(usual->all);
    usual->all = NULL;
}

bool armtap_is_motion(const struct armtap_command *command)
{
    for (size_t i = 0; i < command->reading_count; i++)
        if (!(command->readings[i].usual > 0))
            return true;
    return command->reading_count == 0;
}

static const struct armtap_value *argument_of(const struct armtap_command_reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->argument_count; i++)
        if (strcmp(reading->arguments[i].value.name, name) == 0)
            return &reading->arguments[i].value;
    return NULL;
}

static uint64_t hash_of(const struct usual_motions *usual, const struct armtap_command_reading *reading)
{
    uint64_t hash = armtap_hash_text(&usual->key, reading->name);
    for (size_t i = 0; i < reading->argument_count; i++)
        for (size_t k = 0; k < reading->arguments[i].value.count; k++)
            hash = armtap_hash_numbers(&usual->key, hash, reading->arguments[i].value.u64[k]);
    return hash == 0 ? 1 : hash;
}

void armtap_motion_settings_take(struct motion_settings *settings, const struct usual_motions *usual,
                                 const struct armtap_command *command)
{
    if (command->reading_count == 0 || strncmp(command->readings[0].name, "set", 3) != 0)
        return;
    uint64_t name = armtap_hash_text(&usual->key, command->readings[0].name) | 1;
    uint64_t value = hash_of(usual, command->readings);
    size_t i = 0;
    while (i + 1 < ARMTAP_MOTION_SETTINGS && settings->all[i].name != 0 && settings->all[i].name != name)
        i++;
    settings->sum += value - settings->all[i].value;
    settings->all[i].name = name;
    settings->all[i].value = value;
}

uint64_t armtap_motion_of(const struct usual_motions *usual, const struct armtap_command *command)
{
    const struct armtap_command_reading *reading = &command->readings[0];
    if (command->reading_count != 1 || command->is_unknown || !argument_of(reading, "target"))
        return 0;
    const struct armtap_value *asynchronous = argument_of(reading, "asynchronous");
    if (asynchronous && asynchronous->u64[0] != 0)
        return 0;
    return hash_of(usual, reading);
}

int armtap_usual_motions_add(struct usual_motions *usual, uint64_t last, uint64_t motion, double duration,
                             struct usual_motion *before)
{
    *before = (struct usual_motion){.times = 0};
    if (!usual->all && !(usual->all = calloc(MOTIONS, sizeof *usual->all)))
        return -1;
    uint64_t hash = armtap_hash_numbers(&usual->key, last, motion);
    struct usual_motion *one = &usual->all[hash & (MOTIONS - 1)];
    if (one->times == 0 || one->hash != hash)
        *one = (struct usual_motion){.hash = hash};
    *before = *one;
    one->most = duration > one->most ? duration : one->most;
    one->times++;
    return 0;
}
