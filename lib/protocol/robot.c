#include "robot.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "table/recipe.h"

struct armtap_robot *armtap_robot_new(void)
{
    struct armtap_robot *robot = calloc(1, sizeof *robot);
    if (robot)
        robot->holders = 1;
    return robot;
}

struct armtap_robot *armtap_robot_hold(struct armtap_robot *robot)
{
    robot->holders++;
    return robot;
}

static size_t bytes_at(const struct armtap_robot *robot, size_t i)
{
    return robot->learned[i].recipe ? robot->learned[i].recipe->bytes : 0;
}

/* Counted bytes of learned recipes and the program. */
static size_t counted(const struct armtap_robot *robot)
{
    size_t bytes = 0;
    for (size_t i = robot->alone ? 1 : 0; i < ARMTAP_LEARNED_MAX; i++)
        bytes += bytes_at(robot, i);
    return robot->learned_bytes ? bytes + robot->program_bytes : 0;
}

void armtap_robot_release(struct armtap_robot *robot)
{
    if (!robot || --robot->holders > 0)
        return;
    armtap_robot_count_in(robot, NULL, robot->alone);
    for (size_t i = 0; i < ARMTAP_LEARNED_MAX; i++)
        armtap_recipe_release(robot->learned[i].recipe);
    armtap_mailbox_script_free(&robot->script);
    free(robot->program);
    free(robot);
}

void armtap_robot_count_in(struct armtap_robot *robot, size_t *learned_bytes, bool alone)
{
    if (robot->learned_bytes)
        *robot->learned_bytes -= counted(robot);
    robot->learned_bytes = learned_bytes;
    robot->alone = alone;
    if (robot->learned_bytes)
        *robot->learned_bytes += counted(robot);
}

bool armtap_robot_learn(struct armtap_robot *robot, const struct armtap_recipe *recipe, int protocol, int recipe_id)
{
    size_t i = 0;
    while (i < ARMTAP_LEARNED_MAX - 1 && robot->learned[i].recipe &&
           !(robot->learned[i].protocol == protocol && robot->learned[i].recipe_id == recipe_id &&
             armtap_recipe_same(robot->learned[i].recipe, recipe)))
        i++;
    struct armtap_recipe *gone = robot->learned[i].recipe;
    size_t more = !robot->alone ? recipe->bytes : i > 0 ? bytes_at(robot, 0) : 0;
    size_t less = robot->alone && i == 0 ? 0 : bytes_at(robot, i);
    if (robot->learned_bytes && *robot->learned_bytes - less + more > ARMTAP_LIMIT_learned)
        return false;
    if (robot->learned_bytes)
        *robot->learned_bytes += more - less;
    memmove(robot->learned + 1, robot->learned, i * sizeof robot->learned[0]);
    robot->learned[0] = (struct armtap_learned){armtap_recipe_hold(recipe), protocol, recipe_id};
    armtap_recipe_release(gone);
    return true;
}

int armtap_robot_grow_program(struct armtap_robot *robot, size_t bytes)
{
    size_t had = robot->program_bytes, more = bytes > had ? bytes - had : 0;
    if (more == 0 || (robot->learned_bytes && *robot->learned_bytes + more > ARMTAP_LIMIT_learned))
        return ARMTAP_OK;
    char *grown = realloc(robot->program, bytes);
    if (!grown)
        return ARMTAP_ERR_MEMORY;
    memset(grown + had, 0, more);
    robot->program = grown;
    robot->program_bytes = bytes;
    if (robot->learned_bytes)
        *robot->learned_bytes += more;
    return ARMTAP_OK;
}

void armtap_guess_drop_sample(struct armtap_guess *guess)
{
    free(guess->sample);
    guess->sample = NULL;
}
