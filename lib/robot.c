#include "robot.h"

#include <stdlib.h>
#include <string.h>

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

void armtap_robot_release(struct armtap_robot *robot)
{
    if (!robot || --robot->holders > 0)
        return;
    for (size_t i = 0; i < ARMTAP_LEARNED_MAX; i++)
        armtap_recipe_release(robot->learned[i].recipe);
    free(robot);
}

void armtap_robot_learn(struct armtap_robot *robot, const struct armtap_recipe *recipe, int protocol, int recipe_id)
{
    size_t i = 0;
    while (i < ARMTAP_LEARNED_MAX - 1 && robot->learned[i].recipe &&
           !(robot->learned[i].protocol == protocol && robot->learned[i].recipe_id == recipe_id &&
             armtap_recipe_same(robot->learned[i].recipe, recipe)))
        i++;
    struct armtap_recipe *gone = robot->learned[i].recipe;
    memmove(robot->learned + 1, robot->learned, i * sizeof robot->learned[0]);
    robot->learned[0] = (struct armtap_learned){armtap_recipe_hold(recipe), protocol, recipe_id};
    armtap_recipe_release(gone);
}

void armtap_guess_drop_sample(struct armtap_guess *guess)
{
    free(guess->sample);
    guess->sample = NULL;
}
