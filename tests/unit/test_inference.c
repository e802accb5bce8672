/* Fields of RTDE data from the data alone: single captures whose fields are known, and what must not be said. How often
 * names are right is measured by tests/infer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "support.h"
#include "../share.h"
#include "analysis/inside.h"
#include "analysis/names/inference.h"

enum { PACKAGES = 1250, STEP_MS = 8, LENGTH_MAX = 500 };

struct package {
    uint8_t bytes[LENGTH_MAX];
    size_t length;
};

static void put(struct package *package, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        package->bytes[package->length++] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static void put_double(struct package *package, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(package, bits, 8);
}

static void put_doubles(struct package *package, const double *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_double(package, values[i]);
}

/* Of an UR5e's tool, 0.1 m before the flange. */
static void pose_of(const double q[6], double pose[6])
{
    const struct armtap_robot_model *model;
    double rotation[3][3];
    size_t i = 0;
    while ((model = armtap_robot_model_at(i)) && strcmp(model->name, "UR5e") != 0)
        i++;
    armtap_robot_model_flange(model, q, pose, rotation);
    for (unsigned k = 0; k < 3; k++)
        pose[k] += 0.1 * rotation[k][2];
    armtap_rotation_vector(rotation, pose + 3);
}

/* An arm that swings with all joints: its targets. */
static const double home[6] = {0.4, -1.3, 1.7, -1.9, -1.5, 0.3};

static void move_joints(double time, double q[6], double qd[6])
{
    for (unsigned k = 0; k < 6; k++) {
        double w = 0.7 + 0.17 * k;
        q[k] = home[k] + 0.6 * sin(w * time + k) + 0.1 * sin(2.3 * w * time);
        qd[k] = 0.6 * w * cos(w * time + k) + 0.23 * w * cos(2.3 * w * time);
    }
}

static void joints_at(unsigned cycle, bool moves, double q[6], double qd[6])
{
    move_joints(0.001 * STEP_MS * cycle, q, qd);
    for (unsigned k = 0; k < 6 && !moves; k++) {
        q[k] = home[k];
        qd[k] = 0;
    }
}

static double noise(uint64_t *random, double size)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return size * ((double)(*random >> 40) / (1 << 23) - 1);
}

/* As encoders measure them while they move: the same whenever it is asked for. */
static void measure_joints(unsigned cycle, bool moves, double q[6], double qd[6])
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (cycle + 1);
    random = (random ^ random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    random = (random ^ random >> 27) * UINT64_C(0x94d049bb133111eb);
    joints_at(cycle, moves, q, qd);
    for (unsigned k = 0; k < 6 && moves; k++) {
        q[k] += noise(&random, 1e-5);
        qd[k] += noise(&random, 2e-4);
    }
}

/* timestamp, actual_q, actual_qd, actual_TCP_pose, robot_mode, joint_mode */
static void make(struct package *package, unsigned cycle, bool moves, bool with_id)
{
    double q[6], qd[6], pose[6];
    package->length = 0;
    if (with_id)
        put(package, 1, 1);
    put_double(package, 1234 + 0.001 * STEP_MS * cycle);
    measure_joints(cycle, moves, q, qd);
    pose_of(q, pose);
    put_doubles(package, q, 6);
    put_doubles(package, qd, 6);
    put_doubles(package, pose, 6);
    put(package, 7, 4);
    for (unsigned i = 0; i < 6; i++)
        put(package, 253, 4);
}

static const char *const names[] = {"timestamp",       "actual_q",   "actual_qd",
                                    "actual_TCP_pose", "robot_mode", "joint_mode"};
static const size_t offsets[] = {0, 8, 56, 104, 152, 156};
#define FIELDS (sizeof names / sizeof *names)

static struct armtap_inference *begin(void)
{
    struct armtap_inference *inference = armtap_inference_new();
    assert_non_null(inference);
    return inference;
}

static void take(struct armtap_inference *inference, const struct package *package)
{
    assert_int_equal(armtap_inference_package(inference, package->bytes, package->length), ARMTAP_OK);
}

static struct armtap_inference *read(bool moves, bool with_id, unsigned packages)
{
    struct armtap_inference *inference = begin();
    struct package package;
    for (unsigned i = 0; i < packages; i++) {
        make(&package, i, moves, with_id);
        take(inference, &package);
    }
    return inference;
}

static const struct armtap_inferred *finish(struct armtap_inference *inference)
{
    assert_int_equal(armtap_inference_finish(inference), ARMTAP_OK);
    const struct armtap_inferred *found = armtap_inference_result(inference);
    assert_non_null(found);
    return found;
}

static void check_types(const struct armtap_inferred *found)
{
    assert_int_equal(found->count, FIELDS);
    for (size_t i = 0; i < FIELDS; i++) {
        const struct armtap_field *field = armtap_field_find(names[i], strlen(names[i]));
        assert_int_equal(found->fields[i].offset, offsets[i]);
        assert_int_equal(found->fields[i].type, field->type);
        assert_int_equal(found->fields[i].count, field->count);
    }
}

static void a_moving_arm_gets_its_names(void **state)
{
    (void)state;
    for (int with_id = 0; with_id < 2; with_id++) {
        struct armtap_inference *inference = read(true, with_id, PACKAGES);
        const struct armtap_inferred *found = finish(inference);
        check_types(found);
        for (size_t i = 0; i < FIELDS; i++) {
            assert_string_equal(found->fields[i].name, names[i]);
            assert_ptr_equal(found->fields[i].field, armtap_field_find(names[i], strlen(names[i])));
            assert_true(found->fields[i].certainty > 0.9 && found->fields[i].certainty < 1.001);
        }
        assert_int_equal(found->recipe_id, with_id ? 1 : -1);
        assert_int_equal(found->size, 180);
        assert_int_equal(found->named, FIELDS);
        assert_int_equal(found->packages, PACKAGES);
        assert_true(found->moved);
        assert_string_equal(found->order, "guide");
        assert_int_equal(found->kinematics.outcome, ARMTAP_KINEMATICS_MODEL);
        assert_string_equal(found->kinematics.models[0]->name, "UR5e");
        assert_true(fabs(found->kinematics.tool[2] - 0.1) < 1e-6);
        assert_non_null(strstr(found->fields[0].evidence, "keeps time in steps of 8 ms"));
        assert_non_null(strstr(found->fields[3].evidence, "kinematics"));
        armtap_inference_free(inference);
    }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static const struct armtap_inferred_field *field_at(const struct armtap_inferred *found, size_t offset)
{
    size_t i = 0;
    while (i < found->count && found->fields[i].offset != offset)
        i++;
    assert_true(i < found->count);
    return &found->fields[i];
}

enum copied { COPY_JOINTS, COPY_CLOCK, COPY_MODE, COPY_OF_FIVE, COPY_ONE_LATE, COPY_FEW_CHANGES, COPIES };

/* Behind the package: registers, into which a program copies its actual_q, its clock, or a mode that changes often; or
 * something like that. */
static void put_copies(struct package *package, enum copied copied, unsigned cycle)
{
    double q[6], qd[6], before[6];
    measure_joints(cycle, true, q, qd);
    measure_joints(cycle > 0 ? cycle - 1 : 0, true, before, qd);
    if (copied == COPY_JOINTS)
        put_doubles(package, q, 6);
    if (copied == COPY_CLOCK)
        put_double(package, 1234 + 0.001 * STEP_MS * cycle);
    if (copied == COPY_MODE)
        put(package, cycle % 100 < 50 ? 7 : 5, 4);
    if (copied == COPY_FEW_CHANGES)
        put(package, cycle < 900 ? 7 : 5, 4);
    if (copied == COPY_OF_FIVE) {
        q[5] += 1e-15;
        put_doubles(package, q, 6);
    }
    if (copied == COPY_ONE_LATE)
        put_doubles(package, before, 6);
}

/* Of a field and its copy, neither has a name: either may be the field. */
static void copies_have_no_name(void **state)
{
    static const struct {
        size_t field;
        const char *name;
        const char *of_field, *of_copy; /* NULL: no copy */
    } cases[COPIES] = {
        [COPY_JOINTS] = {8, "actual_q", "bit by bit, from byte 180 on", "bit by bit, from byte 8 on"},
        [COPY_CLOCK] = {0, "timestamp", "bit by bit, from byte 180 on", "bit by bit, from byte 0 on"},
        [COPY_MODE] = {152, "robot_mode", "bit by bit, from byte 180 on", "bit by bit, from byte 152 on"},
        [COPY_OF_FIVE] = {8, "actual_q", NULL, NULL},
        [COPY_ONE_LATE] = {8, "actual_q", NULL, NULL},
        [COPY_FEW_CHANGES] = {152, "robot_mode", NULL, NULL},
    };
    (void)state;
    for (unsigned copied = 0; copied < COPIES; copied++) {
        struct armtap_inference *inference = begin();
        for (unsigned i = 0; i < PACKAGES; i++) {
            struct package package;
            make(&package, i, true, false);
            if (copied == COPY_MODE)
                package.bytes[155] = i % 100 < 50 ? 7 : 5;
            if (copied == COPY_FEW_CHANGES)
                package.bytes[155] = i < 900 ? 7 : 5;
            put_copies(&package, copied, i);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        const struct armtap_inferred_field *field = field_at(found, cases[copied].field), *copy = field_at(found, 180);
        if (!cases[copied].of_field) {
            assert_null(strstr(field->evidence, "bit by bit"));
            assert_null(strstr(copy->evidence, "bit by bit"));
        } else {
            assert_null(field->field);
            assert_null(copy->field);
            assert_string_equal(field->likeliest, cases[copied].name);
            assert_true(field->certainty <= 0.5 && copy->certainty <= 0.5);
            assert_non_null(strstr(field->evidence, cases[copied].of_field));
            assert_non_null(strstr(copy->evidence, cases[copied].of_copy));
        }
        assert_string_equal(field_at(found, 56)->name, "actual_qd"); /* another field keeps its name */
        armtap_inference_free(inference);
    }
}

/* ---- what tells vectors apart ------------------------------------------------------------------------------------ */

static const char *name_at(const struct armtap_inferred *found, size_t offset)
{
    size_t i = 0;
    while (i < found->count && found->fields[i].offset != offset)
        i++;
    assert_true(i < found->count);
    return found->fields[i].name;
}

/* What a robot aims at, or measures: with noise, nothing but its motion, or rounded. */
struct made {
    double joints, speeds; /* size of the noise; the pose is that of the joints with it */
    double grid;           /* of the joints; 0: none */
    double lag;            /* s */
};

static void put_vectors(struct package *package, const struct made *made, double time, uint64_t *random)
{
    double q[6], qd[6], pose[6];
    move_joints(time - made->lag, q, qd);
    for (unsigned k = 0; k < 6; k++) {
        q[k] += noise(random, made->joints);
        qd[k] += noise(random, made->speeds);
        q[k] = made->grid > 0 ? floor(q[k] / made->grid + 0.5) * made->grid : q[k];
    }
    pose_of(q, pose);
    put_doubles(package, q, 6);
    put_doubles(package, qd, 6);
    put_doubles(package, pose, 6);
}

static const char *evidence_at(const struct armtap_inferred *found, size_t offset)
{
    return field_at(found, offset)->evidence;
}

/* Noise that nobody would see in a plot, a hundredth of a degree per second, shows what was measured. Without any, a
 * simulator's measurements look like targets, and so do rounded ones: neither has a name then. */
static void noise_tells_what_is_measured(void **state)
{
    static const struct {
        struct made made;
        const char *names[3]; /* NULL: none; "": any but the target's */
        const char *why;      /* of the joints */
    } cases[] = {
        {{1e-5, 2e-4, 0, 0}, {"actual_q", "actual_qd", "actual_TCP_pose"}, "it has a sensor's noise"},
        {{0, 0, 0, 0}, {NULL, NULL, NULL}, "or actual_q: no noise tells which"},
        {{0, 0, 6.283185307179586 / (1 << 20), 0}, {NULL, NULL, ""}, "no noise tells which"},
        {{0, 0, 1e-6, 0}, {NULL, NULL, ""}, "no noise tells which"},
        {{0, 2e-4, 0, 0}, {"target_q", "actual_qd", "target_TCP_pose"}, "it lacks the noise of what was measured"},
        {{1e-7, 2e-4, 0, 0}, {NULL, "actual_qd", NULL}, "or actual_q: no noise tells which"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct armtap_inference *inference = begin();
        uint64_t random = 1;
        for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
            struct package package = {.length = 0};
            put_double(&package, 1234 + 0.001 * STEP_MS * cycle);
            put_vectors(&package, &cases[i].made, 0.001 * STEP_MS * cycle, &random);
            put(&package, 7, 4);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        for (unsigned k = 0; k < 3; k++) {
            const struct armtap_inferred_field *field = field_at(found, 8 + 48 * k);
            if (!cases[i].names[k]) {
                assert_null(field->field);
                assert_true(field->certainty <= 0.5);
            } else if (cases[i].names[k][0] == '\0') {
                assert_string_not_equal(field->name, "target_TCP_pose");
            } else {
                assert_string_equal(field->name, cases[i].names[k]);
            }
        }
        assert_non_null(strstr(evidence_at(found, 8), cases[i].why));
        armtap_inference_free(inference);
    }
}

/* Both targets and what follows them by a cycle, without noise: their lag tells them apart, not their order. */
static void lag_tells_what_follows(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 3; first++) { /* target, actual, none of both */
        const struct made makes[] = {{0, 0, 0, 0}, {0, 0, 0, first == 2 ? 0 : 0.008}};
        struct armtap_inference *inference = begin();
        uint64_t random = 1;
        for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
            struct package package = {.length = 0};
            const double time = 0.001 * STEP_MS * cycle;
            put_double(&package, 1234 + time);
            put_vectors(&package, &makes[first == 1], time, &random);
            package.length -= 48; /* no poses */
            put_vectors(&package, &makes[first != 1], time, &random);
            package.length -= 48;
            put_doubles(&package, (const double[]){30, 31, 32, 33, 34, 35}, 6);
            put(&package, 7, 4);
            put(&package, 1, 4);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        static const char *const right[] = {"target_q", "target_qd", "actual_q", "actual_qd"};
        for (unsigned k = 0; k < 4; k++)
            if (first == 0)
                assert_string_equal(name_at(found, 8 + 48 * k), right[k]);
            else
                assert_null(field_at(found, 8 + 48 * k)->field);
        if (first == 0) {
            assert_non_null(strstr(evidence_at(found, 8), "it leads"));
            assert_non_null(strstr(evidence_at(found, 104), "it follows"));
        }
        if (first == 1)
            assert_non_null(strstr(evidence_at(found, 8), "or actual_q: it follows"));
        armtap_inference_free(inference);
    }
}

/* Currents without noise, beside joints with and without. */
static void currents_without_noise_may_be_measured(void **state)
{
    (void)state;
    for (int measured = 0; measured < 2; measured++) {
        struct armtap_inference *inference = begin();
        for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
            struct package package = {.length = 0};
            double q[6], qd[6], pose[6], current[6];
            joints_at(cycle, true, q, qd);
            for (unsigned k = 0; k < 6; k++)
                current[k] = (k == 1   ? -2.6
                              : k == 2 ? -1.5
                                       : 0.25) *
                                 cos(q[1] + (k == 2 ? q[2] : 0.5 * k)) +
                             0.4 * tanh(qd[k] / 0.03);
            if (measured)
                measure_joints(cycle, true, q, qd);
            pose_of(q, pose);
            put_double(&package, 1234 + 0.001 * STEP_MS * cycle);
            put_doubles(&package, current, 6);
            put_doubles(&package, q, 6);
            put_doubles(&package, qd, 6);
            put_doubles(&package, pose, 6);
            put(&package, 7, 4);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        assert_string_equal(name_at(found, 8), measured ? "target_current" : "field_8");
        assert_string_equal(name_at(found, 56), measured ? "actual_q" : "field_56");
        assert_string_equal(name_at(found, 104), measured ? "actual_qd" : "field_104");
        if (!measured)
            assert_non_null(strstr(evidence_at(found, 8), "or actual_current: no noise tells which"));
        armtap_inference_free(inference);
    }
}

/* The same torques, once with what has the sign of the joints' speeds: a moment has none of it. */
static void friction_is_not_in_moments(void **state)
{
    (void)state;
    for (int rubs = 0; rubs < 2; rubs++) {
        struct armtap_inference *inference = begin();
        for (unsigned i = 0; i < PACKAGES; i++) {
            struct package package = {.length = 0};
            double q[6], qd[6], torque[6];
            joints_at(i, true, q, qd);
            for (unsigned k = 0; k < 6; k++) {
                torque[k] = (k == 1 ? -26 : k == 2 ? -15 : 2.5) * cos(q[1] + (k == 2 ? q[2] : 0.5 * k));
                torque[k] += rubs ? 4 * tanh(qd[k] / 0.03) + 2 * qd[k] : 0;
            }
            put_double(&package, 1234 + 0.001 * STEP_MS * i);
            put_doubles(&package, q, 6);
            put_doubles(&package, qd, 6);
            put_doubles(&package, torque, 6);
            put(&package, 7, 4);
            for (unsigned k = 0; k < 6; k++)
                put(&package, 253, 4);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        assert_string_equal(field_at(found, 8)->likeliest, "target_q");
        if (rubs)
            assert_string_not_equal(field_at(found, 104)->likeliest, "target_moment");
        else
            assert_string_equal(field_at(found, 104)->likeliest, "target_moment");
        armtap_inference_free(inference);
    }
}

/* ---- what a program keeps in registers --------------------------------------------------------------------------- */

/* timestamp, actual_q, actual_qd, actual_TCP_pose, robot_mode, safety_mode: 160 bytes. Returns the state of the noise.
 */
static uint64_t put_measured(struct package *package, unsigned cycle, uint64_t random)
{
    double q[6], qd[6], pose[6];
    put_double(package, 1234 + 0.001 * STEP_MS * cycle);
    joints_at(cycle, true, q, qd);
    for (unsigned k = 0; k < 6; k++) {
        q[k] += noise(&random, 3e-5);
        qd[k] += noise(&random, 1e-3);
    }
    pose_of(q, pose);
    put_doubles(package, q, 6);
    put_doubles(package, qd, 6);
    put_doubles(package, pose, 6);
    put(package, 7, 4);
    put(package, 1, 4);
    return random;
}

/* The state of the program that a register holds, by the second. */
static uint32_t state_at(unsigned states, unsigned factor, unsigned first, unsigned cycle)
{
    return first + factor * (cycle * STEP_MS / 1000 % states);
}

static void states_of_programs_are_no_fields(void **state)
{
    (void)state;
    static const struct {
        unsigned states, factor, first;
    } programs[] = {{1, 0, 100}, {3, 1, 0}, {2, 1, 0}, {2, 2, 1}, {2, 8, 0}, {10, 1, 0}, {5, 10, 0}};
    for (size_t i = 0; i < 2 * sizeof programs / sizeof *programs; i += checks_all() ? 1 : 3) {
        struct armtap_inference *inference = begin();
        uint64_t random = 1;
        for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
            struct package package = {.length = 0};
            random = put_measured(&package, cycle, random);
            put(&package, state_at(programs[i / 2].states, programs[i / 2].factor, programs[i / 2].first, cycle), 4);
            if (i % 2) /* two more registers behind it */
                put(&package, state_at(3, 1, 0, cycle), 4);
            if (i % 2)
                put_double(&package, 3.5 + cycle / 500);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        assert_string_equal(name_at(found, 8), "actual_q");
        assert_string_equal(name_at(found, 152), "robot_mode");
        assert_string_equal(name_at(found, 160), "field_160");
        if (i % 2)
            assert_string_equal(name_at(found, 164), "field_164");
        armtap_inference_free(inference);
    }
}

/* In the guide's order a UINT64 of zeros stands where the digital inputs would. */
static void what_is_always_0_gets_no_name(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        random = put_measured(&package, cycle, random);
        package.length -= 8;
        put_double(&package, 0);
        put(&package, 7, 4);
        put(&package, 1, 4);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_string_equal(field_at(found, 152)->likeliest, "actual_digital_input_bits");
    assert_string_equal(name_at(found, 152), "field_152");
    assert_string_equal(name_at(found, 160), "robot_mode");
    armtap_inference_free(inference);
}

/* A program keeps joints in degrees: no joint of a robot turns so far. */
static void degrees_are_no_joints(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        double values[12];
        measure_joints(cycle, true, values, values + 6);
        random = put_measured(&package, cycle, random);
        package.length = 8; /* the clock alone */
        for (unsigned k = 0; k < 12; k++)
            values[k] *= 57.29577951308232;
        put_doubles(&package, values, 12);
        put(&package, 7, 4);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    for (size_t i = 0; i < found->count; i++)
        assert_true(strcmp(found->fields[i].likeliest, "actual_q") != 0 &&
                    strcmp(found->fields[i].name, "actual_q") != 0);
    armtap_inference_free(inference);
}

/* Any three noisy curves and their derivatives look like an elbow. */
static void three_curves_are_no_elbow(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        double values[6], time = 0.001 * STEP_MS * cycle;
        for (unsigned k = 0; k < 3; k++) {
            values[k] = 0.5 * sin(time * (1 + 0.3 * k) + k) + noise(&random, 1e-5);
            values[3 + k] = 0.5 * (1 + 0.3 * k) * cos(time * (1 + 0.3 * k) + k) + noise(&random, 1e-3);
        }
        put_doubles(&package, values, 6);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_int_equal(found->count, 2);
    for (size_t i = 0; i < found->count; i++)
        assert_null(found->fields[i].field);
    armtap_inference_free(inference);
}

static double bell(uint64_t *random, double sigma)
{
    double sum = 0;
    for (unsigned i = 0; i < 12; i++)
        sum += noise(random, 0.5);
    return sigma * sum;
}

/* White noise of 1 N on a drift of 1 N: as much may be an acceleration, but none of the speeds here has it. */
static void noise_makes_no_acceleration_of_a_force(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        double force[6];
        random = put_measured(&package, cycle, random);
        package.length -= 8; /* before the modes */
        for (unsigned k = 0; k < 6; k++)
            force[k] = bell(&random, 1) + sin(0.001 * STEP_MS * cycle / 4 + k);
        put_doubles(&package, force, 6);
        put(&package, 7, 4);
        put(&package, 1, 4);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_string_equal(name_at(found, 152), "actual_TCP_force");
    armtap_inference_free(inference);
}

/* Currents with all digits: as simulators compute them. What they are of is not sure; a force is wrong. */
static void currents_with_all_digits_are_no_forces(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        double q[6], qd[6], pose[6], current[6];
        joints_at(cycle, true, q, qd);
        for (unsigned k = 0; k < 6; k++) {
            current[k] = (k == 1 ? -2.6 : k == 2 ? -1.5 : 0.25) * cos(q[1] + (k == 2 ? q[2] : 0.5 * k));
            current[k] += (qd[k] > 0 ? 0.3 : -0.3) + bell(&random, 0.05);
            q[k] += bell(&random, 2e-5);
        }
        pose_of(q, pose);
        put_double(&package, 1234 + 0.001 * STEP_MS * cycle);
        put_doubles(&package, q, 6);
        put_doubles(&package, pose, 6);
        put_doubles(&package, current, 6);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_string_equal(name_at(found, 8), "actual_q");
    assert_string_equal(name_at(found, 104), "field_104");
    armtap_inference_free(inference);
}

/* Smooth curves and their derivatives, which belong to no arm, beside an arm that is known. */
static void curves_of_no_arm_get_no_names(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        double curve[12], time = 0.001 * STEP_MS * cycle;
        random = put_measured(&package, cycle, random);
        package.length -= 8; /* without the modes */
        for (unsigned k = 0; k < 6; k++) {
            curve[k] = sin(time * (1 + 0.1 * k) + k);
            curve[6 + k] = (1 + 0.1 * k) * cos(time * (1 + 0.1 * k) + k);
        }
        put_doubles(&package, curve, 12);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_string_equal(name_at(found, 8), "actual_q");
    assert_string_equal(name_at(found, 104), "actual_TCP_pose");
    for (size_t i = 0; i < found->count; i++)
        if (found->fields[i].offset >= 152)
            assert_null(found->fields[i].field);
    armtap_inference_free(inference);
}

/* Six sines, their derivatives, and perhaps those of the derivatives. Nothing else shows an arm: no pose, no encoder,
 * no fields behind them but a mode. */
static void put_sines(struct package *package, unsigned cycle, unsigned form)
{
    static const double sizes[] = {0.3, 1, 2.5};
    static uint64_t random = 1;
    double size = sizes[form % 3], noises = form / 3 % 2 ? 1e-5 : 0, time = 0.001 * STEP_MS * cycle, curve[18];
    for (unsigned k = 0; k < 6; k++) {
        double w = 0.5 + 0.21 * k;
        curve[k] = size * sin(w * time + k) + noise(&random, noises);
        curve[6 + k] = size * w * cos(w * time + k) + noise(&random, 20 * noises);
        curve[12 + k] = -size * w * w * sin(w * time + k);
    }
    put_doubles(package, curve, form >= 6 ? 18 : 12);
}

static void curves_without_an_arm_get_no_names(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 12; form += checks_all() ? 1 : 4)
        for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
            struct armtap_inference *inference = begin();
            for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
                struct package package = {.length = 0};
                if (!is_in_order)
                    put(&package, 7, 4);
                put_double(&package, 1234 + 0.001 * STEP_MS * cycle);
                put_sines(&package, cycle, form);
                if (is_in_order)
                    put(&package, 7, 4);
                take(inference, &package);
            }
            const struct armtap_inferred *found = finish(inference);
            for (size_t i = 0; i < found->count; i++)
                if (found->fields[i].count == 6 && found->fields[i].field)
                    fail_msg("form %u, in order %d: %s", form, is_in_order, found->fields[i].name);
            if (form == 0 && is_in_order) {
                assert_string_equal(field_at(found, 8)->likeliest, "target_q");
                assert_non_null(strstr(field_at(found, 8)->evidence, "nothing else shows that this is an arm's"));
            }
            armtap_inference_free(inference);
        }
}

/* The same with so many of the curves in an encoder's digits: three of them show an arm. */
static void digits_of_encoders_show_an_arm(void **state)
{
    (void)state;
    for (unsigned measured = 0; measured <= 6; measured++) {
        struct armtap_inference *inference = begin();
        for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
            struct package package = {.length = 0};
            put_double(&package, 1234 + 0.001 * STEP_MS * cycle);
            put_sines(&package, cycle, 0);
            for (unsigned k = 0; k < measured; k++) {
                struct package rounded = {.length = 8 + 8 * k};
                double w = 0.5 + 0.21 * k;
                put_double(&rounded, (float)(0.3 * sin(w * 0.001 * STEP_MS * cycle + k)));
                memcpy(package.bytes + 8 + 8 * k, rounded.bytes + 8 + 8 * k, 8);
            }
            put(&package, 7, 4);
            take(inference, &package);
        }
        const struct armtap_inferred *found = finish(inference);
        bool is_alone = strstr(field_at(found, 8)->evidence, "nothing else shows that this is an arm's") != NULL;
        assert_int_equal(is_alone, measured < 3);
        armtap_inference_free(inference);
    }
}

/* ---- values that are none ---------------------------------------------------------------------------------------- */

/* Doubles that are not what they should be: in these packages, the values from one offset to another. */
struct damage {
    unsigned first, last, every;
    size_t from, to;
    double value;
    unsigned others; /* doubles behind the fields */
};

static void spoil(struct package *package, unsigned cycle, const struct damage *damage)
{
    struct package spoilt = {.length = damage->from};
    if (cycle < damage->first || cycle > damage->last || cycle % damage->every != 0)
        return;
    while (spoilt.length < damage->to)
        put_double(&spoilt, damage->value);
    memcpy(package->bytes + damage->from, spoilt.bytes + damage->from, damage->to - damage->from);
}

static void check_names_in_spite_of(const struct damage *damage)
{
    static const char *const measured[] = {"timestamp", "actual_q", "actual_qd", "actual_TCP_pose"};
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned cycle = 0; cycle < PACKAGES; cycle++) {
        struct package package = {.length = 0};
        random = put_measured(&package, cycle, random);
        spoil(&package, cycle, damage);
        for (unsigned i = 0; i < damage->others; i++)
            put_double(&package, 20 + i / 3.0);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    for (size_t i = 0; i < 4; i++)
        if (i != 2 || damage->others == 0) /* a speed that begins with a jump may be none */
            assert_string_equal(name_at(found, i == 0 ? 0 : 48 * i - 40), measured[i]);
    assert_int_equal(found->kinematics.outcome, ARMTAP_KINEMATICS_MODEL);
    assert_string_equal(found->kinematics.models[0]->name, "UR5e");
    assert_int_equal(found->packages, PACKAGES);
    armtap_inference_free(inference);
}

static void what_is_no_number_is_left_out(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {400, 400, 1, 104, 152, NAN, 0},        /* the pose, once */
        {400, 400, 1, 8, 56, INFINITY, 0},      /* the joints */
        {0, PACKAGES - 1, 7, 104, 152, NAN, 0}, /* all the time */
        {0, 150, 1, 104, 152, NAN, 0},          /* at the beginning */
        {0, PACKAGES - 1, 7, 8, 56, -INFINITY, 0},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        check_names_in_spite_of(&damages[i]);
}

static void zeros_before_power_on_are_left_out(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {0, 125, 1, 8, 152, 0, 0},            /* all but the clock */
        {0, 700, 1, 8, 152, 0, 0},            /* for more than half of the time */
        {0, 3, 1, 8, 152, 0, 0},              /* a few packages */
        {0, 500, 1, 8, 152, 0, 30},           /* among other values that are not 0 */
        {900, PACKAGES - 1, 1, 8, 152, 0, 0}, /* at the end */
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        check_names_in_spite_of(&damages[i]);
}

static void a_damaged_package_is_left_out(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {400, 400, 1, 104, 152, 1e9, 0}, {400, 400, 1, 8, 152, 1e9, 0}, {0, PACKAGES - 1, 200, 8, 152, -1e4, 0}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        check_names_in_spite_of(&damages[i]);
}

static void a_resting_arm_gets_types_only(void **state)
{
    (void)state;
    struct armtap_inference *inference = read(false, true, PACKAGES);
    const struct armtap_inferred *found = finish(inference);
    assert_false(found->moved);
    assert_int_equal(found->named, 0);
    assert_int_equal(found->kinematics.outcome, ARMTAP_KINEMATICS_UNKNOWN);
    assert_string_equal(found->fields[0].name, "field_0");
    assert_int_equal(found->fields[0].type, ARMTAP_DOUBLE);
    for (size_t i = 0; i < found->count; i++)
        assert_null(found->fields[i].field);
    armtap_inference_free(inference);
}

static void bytes_without_meaning_get_no_names(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    uint64_t random = 1;
    for (unsigned i = 0; i < 500; i++) {
        uint8_t bytes[203];
        for (size_t k = 0; k < sizeof bytes; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = (uint8_t)(random >> 56);
        }
        assert_int_equal(armtap_inference_package(inference, bytes, sizeof bytes), ARMTAP_OK);
    }
    const struct armtap_inferred *found = finish(inference);
    assert_int_equal(found->named, 0);
    size_t bytes = 0;
    for (size_t i = 0; i < found->count; i++) {
        assert_int_equal(found->fields[i].offset, bytes);
        bytes += armtap_type_width(found->fields[i].type) * found->fields[i].count;
    }
    assert_int_equal(bytes, found->size);
    armtap_inference_free(inference);
}

static void eight_packages_are_enough(void **state)
{
    (void)state;
    for (unsigned packages = 7; packages <= 8; packages++) {
        struct armtap_inference *inference = read(true, true, packages);
        assert_int_equal(armtap_inference_finish(inference), packages < 8 ? ARMTAP_ERR_NOT_READY : ARMTAP_OK);
        assert_int_equal(armtap_inference_result(inference) != NULL, packages == 8);
        armtap_inference_free(inference);
    }
}

/* The size that most packages have is the one that counts, whichever came first. */
static void other_sizes_are_counted(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    struct package package;
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(armtap_inference_package(inference, (const uint8_t *)"others", 6), ARMTAP_OK);
    for (unsigned i = 0; i < PACKAGES; i++) {
        make(&package, i, true, true);
        take(inference, &package);
    }
    const struct armtap_inferred *found = finish(inference);
    check_types(found);
    assert_int_equal(found->packages + found->other_packages, PACKAGES + 100);
    assert_true(found->other_packages >= 100 && found->other_packages <= 201);
    armtap_inference_free(inference);
}

static void sizes_at_the_limits(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        int error;
    } sizes[] = {
        {0, ARMTAP_ERR_NOT_READY}, {1, ARMTAP_OK}, {9, ARMTAP_OK}, {4097, ARMTAP_OK}, {4098, ARMTAP_ERR_NOT_READY}};
    uint8_t *bytes = calloc(1, 5000);
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct armtap_inference *inference = begin();
        for (unsigned k = 0; k < 20; k++)
            assert_int_equal(armtap_inference_package(inference, bytes, sizes[i].length), ARMTAP_OK);
        assert_int_equal(armtap_inference_finish(inference), sizes[i].error);
        armtap_inference_free(inference);
    }
    free(bytes);
}

/* A day at 500 Hz takes the memory of some seconds, and the result is that of its beginning's kind. */
static void long_streams_are_thinned_out(void **state)
{
    (void)state;
    struct armtap_inference *inference = read(true, true, 40000);
    const struct armtap_inferred *found = finish(inference);
    check_types(found);
    assert_int_equal(found->named, FIELDS);
    assert_int_equal(found->packages, 40000);
    armtap_inference_free(inference);
}

static void records_of_other_kinds_are_ignored(void **state)
{
    (void)state;
    struct armtap_inference *inference = begin();
    struct package package;
    uint8_t frame[LENGTH_MAX + 3] = {0, 0, 'U'};
    for (unsigned i = 0; i < PACKAGES; i++) {
        make(&package, i, true, true);
        memcpy(frame + 3, package.bytes, package.length);
        struct armtap_record record = {.protocol = ARMTAP_RTDE, .frame = frame, .frame_length = package.length + 3};
        assert_int_equal(armtap_inference_record(inference, &record), ARMTAP_OK);
        record.direction = ARMTAP_TO_ROBOT;
        assert_int_equal(armtap_inference_record(inference, &record), ARMTAP_OK);
        record.direction = ARMTAP_FROM_ROBOT;
        record.protocol = ARMTAP_REALTIME;
        assert_int_equal(armtap_inference_record(inference, &record), ARMTAP_OK);
    }
    const struct armtap_inferred *found = finish(inference);
    check_types(found);
    assert_int_equal(found->packages, PACKAGES);
    assert_int_equal(armtap_inference_package(inference, frame, 3), ARMTAP_ERR_ARGUMENT);
    armtap_inference_free(inference);
}

/* ---- how large vectors are ---- */

/* What its name adds to the bits for a field where three sines reach one size and three another. */
static double bits_of_name(size_t i, const double sizes[2])
{
    struct inference_sample sample = {.length = 0};
    struct inference_view view;
    struct inference_columns columns = {.sample = NULL};
    struct inference_relations relations = {.clock = SIZE_MAX};
    struct inference_field field, unnamed;
    for (unsigned cycle = 0; cycle < 200; cycle++) {
        struct package package = {.length = 0};
        for (unsigned k = 0; k < 6; k++)
            put_double(&package, sizes[k / 3] * sin(0.1 * cycle * (1 + 0.1 * k) + k));
        assert_int_equal(armtap_inference_sample_add(&sample, package.bytes, package.length), ARMTAP_OK);
    }
    armtap_inference_sample_view(&sample, &view);
    assert_int_equal(armtap_inference_columns_read(&columns, &view, NULL), ARMTAP_OK);
    assert_int_equal(armtap_inference_relations_find(&relations, &columns, NULL, NULL), ARMTAP_OK);
    assert_true(armtap_inference_field_at(i, &field));
    unnamed = field;
    unnamed.row = armtap_inference_field_count();
    double bits = armtap_inference_weigh(&columns, &relations, i, &field, 0) -
                  armtap_inference_weigh(&columns, &relations, i, &unnamed, 0);
    armtap_inference_relations_clear(&relations);
    armtap_inference_columns_clear(&columns);
    armtap_inference_sample_clear(&sample);
    return bits;
}

/* What the usual size counts for more than one four times as large, or a fourth, in both halves. */
static void check_sizes(size_t i, const double usual[2], double least, double most)
{
    for (unsigned half = 0; half < 2; half++) {
        double sizes[2] = {usual[0], usual[1]}, more, less, bits = bits_of_name(i, sizes);
        sizes[half] = usual[half] * 4;
        more = bits - bits_of_name(i, sizes);
        sizes[half] = usual[half] / 4;
        less = bits - bits_of_name(i, sizes);
        if (!(more >= least && more <= most && less >= least && less <= most && fabs(more - less) < 0.1))
            fail_msg("field %zu, half %u: %g, %g", i, half, more, less);
    }
}

/* An arm's speeds, accelerations, currents, torques and forces have sizes; of other vectors any is as good. */
static void vectors_are_as_large_as_those_of_arms(void **state)
{
    static const struct {
        const char *name;
        double usual[2]; /* rad/s, rad/s^2, A, Nm of the three large joints and of those of the wrist, or m and rad */
    } arms[] = {
        {"target_qd", {1, 1.2}},
        {"actual_qd", {1, 1.2}},
        {"target_qdd", {4, 5}},
        {"target_current", {4, 1.2}},
        {"actual_current", {4, 1.2}},
        {"joint_control_output", {4, 1.2}},
        {"target_moment", {45, 5}},
        {"actual_current_as_torque", {45, 8}},
        {"actual_TCP_speed", {0.6, 1.8}},
        {"target_TCP_speed", {0.6, 1.8}},
        {"actual_TCP_force", {10, 0.5}},
        {"ft_raw_wrench", {25, 1.5}},
        {"target_TCP_acceleration", {3, 8}},
        {"actual_TCP_acceleration", {5, 10}},
    };
    unsigned found = 0;
    (void)state;
    for (size_t i = 0; i < armtap_inference_field_count(); i++) {
        struct inference_field field;
        size_t arm = 0;
        assert_true(armtap_inference_field_at(i, &field));
        if (field.type != ARMTAP_DOUBLE || field.count != 6)
            continue;
        while (arm < sizeof arms / sizeof *arms && strcmp(arms[arm].name, field.name) != 0)
            arm++;
        if (arm == sizeof arms / sizeof *arms)
            check_sizes(i, (const double[]){1, 1}, -0.01, 0.01);
        else
            check_sizes(i, arms[arm].usual, 0.4, 2.5);
        found += arm < sizeof arms / sizeof *arms;
    }
    assert_int_equal(found, sizeof arms / sizeof *arms);
}

/* ---- which outputs there are, and how usual they are ---- */

struct usual {
    const char *name;
    unsigned recipes, have; /* of well-known clients; those that have it */
};

static void count_recipe(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct usual *usual = user;
    size_t length = strlen(usual->name);
    bool has = false;
    assert_int_equal(count, 3);
    for (const char *at = cells[2]; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        has = has || (strncmp(at, usual->name, length) == 0 && at[length] == ':');
    usual->recipes++;
    usual->have += has;
}

static bool is_registers(const char *name)
{
    return strncmp(name, "input_", 6) == 0 || (strncmp(name, "output_", 7) == 0 && strstr(name, "_register"));
}

/* An output of UR's guide is one of the table's fields, as probable as recipes of well-known clients have it. */
static void check_output(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct usual usual = {.name = cells[0]};
    struct inference_field field = {.name = NULL};
    unsigned *outputs = user;
    size_t i = 0;
    assert_true(count >= 2);
    if (strcmp(cells[1], "output") != 0 || is_registers(cells[0]) || strcmp(cells[0], "dexterity") == 0)
        return;
    while (i < armtap_inference_field_count() &&
           !(armtap_inference_field_at(i, &field) && strcmp(field.name, cells[0]) == 0))
        i++;
    if (i == armtap_inference_field_count())
        fail_msg("%s is no field that could be inferred", cells[0]);
    table_each("known_recipes.csv", count_recipe, &usual);
    double odds = exp2(field.log_chance), chance = odds / (1 + odds);
    if (fabs(chance - (usual.have + 0.5) / (usual.recipes + 1)) > 0.0051)
        fail_msg("%s: a chance of %g, though %u of %u recipes have it", cells[0], chance, usual.have, usual.recipes);
    ++*outputs;
}

static void outputs_are_those_of_the_guide(void **state)
{
    unsigned outputs = 0, registers = 0;
    struct inference_field field;
    (void)state;
    table_each("rtde_variables.csv", check_output, &outputs);
    for (size_t i = 0; i < armtap_inference_field_count(); i++)
        registers += armtap_inference_field_at(i, &field) && field.repeats;
    assert_int_equal(registers, 2 * 4); /* bits by 32 and one by one, integers, doubles; in and out */
    assert_int_equal(armtap_inference_field_count(), outputs + registers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moving_arm_gets_its_names),
        cmocka_unit_test(copies_have_no_name),
        cmocka_unit_test(noise_tells_what_is_measured),
        cmocka_unit_test(lag_tells_what_follows),
        cmocka_unit_test(currents_without_noise_may_be_measured),
        cmocka_unit_test(friction_is_not_in_moments),
        cmocka_unit_test(states_of_programs_are_no_fields),
        cmocka_unit_test(what_is_always_0_gets_no_name),
        cmocka_unit_test(degrees_are_no_joints),
        cmocka_unit_test(three_curves_are_no_elbow),
        cmocka_unit_test(noise_makes_no_acceleration_of_a_force),
        cmocka_unit_test(currents_with_all_digits_are_no_forces),
        cmocka_unit_test(curves_of_no_arm_get_no_names),
        cmocka_unit_test(curves_without_an_arm_get_no_names),
        cmocka_unit_test(digits_of_encoders_show_an_arm),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test(zeros_before_power_on_are_left_out),
        cmocka_unit_test(a_damaged_package_is_left_out),
        cmocka_unit_test(a_resting_arm_gets_types_only),
        cmocka_unit_test(bytes_without_meaning_get_no_names),
        cmocka_unit_test(eight_packages_are_enough),
        cmocka_unit_test(other_sizes_are_counted),
        cmocka_unit_test(sizes_at_the_limits),
        cmocka_unit_test(long_streams_are_thinned_out),
        cmocka_unit_test(records_of_other_kinds_are_ignored),
        cmocka_unit_test(vectors_are_as_large_as_those_of_arms),
        cmocka_unit_test(outputs_are_those_of_the_guide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
