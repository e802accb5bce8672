/* Errors: the library's own as text, and those of UR's controllers (robot_errors.def), looked up by code and argument.
 */
#include "armtap.h"

#define ALL true
#define PART false

/* Where to look first, from cases in which the cause was found. */
#define ADVICE_NONE ""
#define ADVICE_MODE "the argument is the new robot mode"
#define ADVICE_LOAD                                                                                                    \
    "look for contact or load in actual_current and actual_TCP_force before the stop, and check payload and TCP"
#define ADVICE_OFTEN "comes after more than 50 such stops of one joint within 8 hours; unlocking it has to wait 5 s"
#define ADVICE_JUMP                                                                                                    \
    "look for a jump from one target to the next: in the driver's commands on port 50001, in register inputs, in "     \
    "target_q"
#define ADVICE_HOLE "look for holes in the robot's inputs: RTDE's watchdog on port 30004, Modbus, EtherNet/IP"
#define ADVICE_REMOTE "a script came while the robot was in local control: switch to remote control, then connect again"
#define ADVICE_LOOP "look for a loop without sync() or sleep() in the script, and for targets that are NaN"
#define ADVICE_VALUE "the data of the message is the value that was measured"

#define ERROR(code, arguments, title, advice) {code, arguments, title, ADVICE_##advice},
static const struct armtap_robot_error errors[] = {
#include "robot_errors.def"
};

#define ARGUMENT(code, argument, meaning) {code, argument, -1, meaning},
#define JOINTS(code, first, meaning)                                                                                   \
    {code, (first), 0, meaning}, {code, (first) + 1, 1, meaning}, {code, (first) + 2, 2, meaning},                     \
        {code, (first) + 3, 3, meaning}, {code, (first) + 4, 4, meaning}, {code, (first) + 5, 5, meaning},
static const struct armtap_robot_error_argument arguments[] = {
#include "robot_errors.def"
};

const struct armtap_robot_error *armtap_robot_error_at(size_t i)
{
    return i < sizeof errors / sizeof *errors ? &errors[i] : NULL;
}

const struct armtap_robot_error_argument *armtap_robot_error_argument_at(size_t i)
{
    return i < sizeof arguments / sizeof *arguments ? &arguments[i] : NULL;
}

const struct armtap_robot_error *armtap_robot_error_find(int64_t code)
{
    const struct armtap_robot_error *error;
    for (size_t i = 0; (error = armtap_robot_error_at(i)); i++)
        if (error->code == code)
            return error;
    return NULL;
}

const struct armtap_robot_error_argument *armtap_robot_error_argument_find(int64_t code, int64_t argument)
{
    const struct armtap_robot_error_argument *found;
    for (size_t i = 0; (found = armtap_robot_error_argument_at(i)); i++)
        if (found->code == code && found->argument == argument)
            return found;
    return NULL;
}

const char *armtap_joint_name(int joint)
{
    static const char *const names[] = {"base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3"};
    return joint >= 0 && (size_t)joint < sizeof names / sizeof *names ? names[joint] : NULL;
}

/* ---- the library's own ---- */

const char *armtap_strerror(int error)
{
#define ERROR_TEXT(name, value, text)                                                                                  \
    case value:                                                                                                        \
        return text;
    switch (error) {
    case ARMTAP_OK:
        return "no error";
        ARMTAP_ERRORS(ERROR_TEXT)
    default:
        return "unknown error";
    }
#undef ERROR_TEXT
}

const char *armtap_version(void)
{
    return ARMTAP_VERSION;
}
