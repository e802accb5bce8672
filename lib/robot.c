#include "robot.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "recipe.h"

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

/* What is learned changes from one recipe to another; either may be NULL. */
static void count_learned(struct armtap_robot *robot, const struct armtap_recipe *from, const struct armtap_recipe *to)
{
    if (robot->learned_bytes)
        *robot->learned_bytes = *robot->learned_bytes - (from ? from->bytes : 0) + (to ? to->bytes : 0);
}

void armtap_robot_release(struct armtap_robot *robot)
{
    if (!robot || --robot->holders > 0)
        return;
    for (size_t i = 0; i < ARMTAP_LEARNED_MAX; i++) {
        count_learned(robot, robot->learned[i].recipe, NULL);
        armtap_recipe_release(robot->learned[i].recipe);
    }
    free(robot);
}

bool armtap_robot_learn(struct armtap_robot *robot, const struct armtap_recipe *recipe, int protocol, int recipe_id)
{
    size_t i = 0;
    while (i < ARMTAP_LEARNED_MAX - 1 && robot->learned[i].recipe &&
           !(robot->learned[i].protocol == protocol && robot->learned[i].recipe_id == recipe_id &&
             armtap_recipe_same(robot->learned[i].recipe, recipe)))
        i++;
    struct armtap_recipe *gone = robot->learned[i].recipe;
    if (robot->learned_bytes && *robot->learned_bytes - (gone ? gone->bytes : 0) + recipe->bytes > ARMTAP_LIMIT_learned)
        return false;
    count_learned(robot, gone, recipe);
    memmove(robot->learned + 1, robot->learned, i * sizeof robot->learned[0]);
    robot->learned[0] = (struct armtap_learned){armtap_recipe_hold(recipe), protocol, recipe_id};
    armtap_recipe_release(gone);
    return true;
}

void armtap_guess_drop_sample(struct armtap_guess *guess)
{
    free(guess->sample);
    guess->sample = NULL;
}
