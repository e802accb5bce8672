/* Forward kinematics against products of Denavit-Hartenberg matrices and poses worked out by hand; what joints and
 * poses say about the model and the tool. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/arm/kinematics.h"
#include "support.h"
#include "analysis/inside.h"

#ifdef _WIN32
#define malloc_usable_size _msize
#endif
#define PI 3.14159265358979323846
#define NEAR(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* ---- the flange -------------------------------------------------------------------------------------------------- */

struct frame {
    double m[4][4];
};

static struct frame times(const struct frame *a, const struct frame *b)
{
    struct frame product = {.m = {{0}}};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            for (size_t j = 0; j < 4; j++)
                product.m[i][k] += a->m[i][j] * b->m[j][k];
    return product;
}

/* Rz(theta) Tz(d) Tx(a) Rx(alpha), as the parameters are defined. */
static struct frame link(double theta, double d, double a, double alpha)
{
    double c = cos(theta), s = sin(theta), ca = cos(alpha), sa = sin(alpha);
    return (struct frame){{{c, -s * ca, s * sa, a * c}, {s, c * ca, -c * sa, a * s}, {0, sa, ca, d}, {0, 0, 0, 1}}};
}

static struct frame by_matrices(const struct armtap_robot_model *model, const double q[6])
{
    const double d[6] = {model->d1, 0, 0, model->d4, model->d5, model->d6}, a[6] = {0, model->a2, model->a3, 0, 0, 0};
    const double alpha[6] = {PI / 2, 0, 0, PI / 2, -PI / 2, 0};
    struct frame flange = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    for (size_t i = 0; i < 6; i++) {
        struct frame next = link(q[i], d[i], a[i], alpha[i]);
        flange = times(&flange, &next);
    }
    return flange;
}

static const struct armtap_robot_model *model_of(const char *name)
{
    const struct armtap_robot_model *model;
    size_t i = 0;
    while ((model = armtap_robot_model_at(i)) && strcmp(model->name, name) != 0)
        i++;
    assert_non_null(model);
    return model;
}

static void the_flange_is_where_the_matrices_put_it(void **state)
{
    (void)state;
    const struct armtap_robot_model *model;
    size_t i = 0;
    for (; (model = armtap_robot_model_at(i)); i++)
        for (int step = 0; step < 50; step++) {
            double q[6], position[3], rotation[3][3];
            for (int k = 0; k < 6; k++)
                q[k] = 3 * sin(step * (0.7 + 0.13 * k) + k);
            struct frame flange = by_matrices(model, q);
            armtap_robot_model_flange(model, q, position, rotation);
            for (size_t k = 0; k < 3; k++) {
                NEAR(position[k], flange.m[k][3], 1e-12);
                for (size_t j = 0; j < 3; j++)
                    NEAR(rotation[k][j], flange.m[k][j], 1e-12);
            }
        }
    assert_int_equal(i, 12);
}

/* The stretched arm: its lengths add up along x; the wrist's offsets point along -y and -z. */
static void a_stretched_arm_by_hand(void **state)
{
    (void)state;
    const double zero[6] = {0};
    double position[3], rotation[3][3], vector[3];
    armtap_robot_model_flange(model_of("UR5e"), zero, position, rotation);
    NEAR(position[0], -0.8172, 1e-12);
    NEAR(position[1], -0.2329, 1e-12);
    NEAR(position[2], 0.0628, 1e-12);
    armtap_rotation_vector(rotation, vector);
    NEAR(vector[0], PI / 2, 1e-12);
    NEAR(vector[1], 0, 1e-12);
    NEAR(vector[2], 0, 1e-12);
}

static void rotation_vectors_there_and_back(void **state)
{
    (void)state;
    const double vectors[][3] = {{0, 0, 0},      {1e-9, 0, -1e-9}, {0.3, -0.2, 0.9},   {0, 0, 3.1},
                                 {0, 3.1415, 0}, {-2, 2, 0.5},     {1e-4, 2e-4, -1e-4}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        double rotation[3][3], back[3];
        armtap_rotation_matrix(vectors[i], rotation);
        armtap_rotation_vector(rotation, back);
        for (size_t k = 0; k < 3; k++)
            NEAR(back[k], vectors[i][k], 1e-9);
    }
    double quarter[3][3];
    armtap_rotation_matrix((const double[3]){0, 0, PI / 2}, quarter);
    NEAR(quarter[1][0], 1, 1e-15);
    NEAR(quarter[0][1], -1, 1e-15);
}

/* ---- what poses say ---------------------------------------------------------------------------------------------- */

struct arm {
    const struct armtap_robot_model *model;
    double tool[6];
    double reach; /* of the motion, rad */
    unsigned joints;
    double noise; /* m */
};

static void pose_of(const struct arm *arm, const double q[6], double pose[6])
{
    struct frame flange = by_matrices(arm->model, q);
    double turn[3][3], whole[3][3];
    armtap_rotation_matrix(arm->tool + 3, turn);
    for (size_t i = 0; i < 3; i++) {
        pose[i] = flange.m[i][3];
        for (size_t k = 0; k < 3; k++) {
            pose[i] += flange.m[i][k] * arm->tool[k];
            whole[i][k] = 0;
            for (size_t j = 0; j < 3; j++)
                whole[i][k] += flange.m[i][j] * turn[j][k];
        }
    }
    armtap_rotation_vector(whole, pose + 3);
}

static void joints_at(const struct arm *arm, double time, double q[6])
{
    const double home[6] = {0.4, -1.3, 1.7, -1.9, -1.5, 0.3};
    for (unsigned i = 0; i < 6; i++)
        q[i] = home[i] + (i < arm->joints ? arm->reach * sin((1 + 0.21 * i) * time + i) : 0);
}

static void move_each(struct armtap_kinematics *kinematics, const struct arm *arm, unsigned records, double seconds)
{
    for (unsigned i = 0; i < records; i++) {
        double q[6], pose[6];
        joints_at(arm, seconds * i, q);
        pose_of(arm, q, pose);
        for (size_t k = 0; k < 3; k++)
            pose[k] += arm->noise * sin(1e4 * i + 17 * (double)k);
        armtap_kinematics_add(kinematics, q, pose);
    }
}

static void move(struct armtap_kinematics *kinematics, const struct arm *arm, unsigned records)
{
    move_each(kinematics, arm, records, 0.01);
}

static void assert_same(const struct armtap_kinematics_result *one, const struct armtap_kinematics_result *other)
{
    assert_int_equal(one->outcome, other->outcome);
    assert_int_equal(one->model_count, other->model_count);
    assert_memory_equal(one->models, other->models, sizeof one->models);
    assert_true(one->residual == other->residual && one->next == other->next && one->turn == other->turn);
    assert_memory_equal(one->tool, other->tool, sizeof one->tool);
    assert_true(one->tools == other->tools && one->jumps == other->jumps && one->samples == other->samples);
}

/* The result, which stays the same once no more poses come, in less memory. */
static struct armtap_kinematics_result told(struct armtap_kinematics *kinematics)
{
    const double joints[6] = {1, 1, 1, 1, 1, 1}, nowhere[6] = {0};
    struct armtap_kinematics_result result, after;
    armtap_kinematics_result(kinematics, &result);
    kinematics = armtap_kinematics_end(armtap_kinematics_end(kinematics));
    armtap_kinematics_add(kinematics, joints, nowhere);
    armtap_kinematics_result(kinematics, &after);
    assert_same(&result, &after);
    assert_in_range(malloc_usable_size(kinematics), 8, 300);
    armtap_kinematics_free(kinematics);
    return result;
}

static struct armtap_kinematics_result result_of(const struct arm *arm, unsigned records)
{
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    move(kinematics, arm, records);
    return told(kinematics);
}

static void each_model_is_named(void **state)
{
    (void)state;
    const struct armtap_robot_model *model;
    for (size_t i = 0; (model = armtap_robot_model_at(i)); i++) {
        char word[16];
        const struct arm arm = {model, {0.01, -0.02, 0.15, 0.1, -0.2, 0.7}, 0.5, 6, 2e-4};
        struct armtap_kinematics_result result = result_of(&arm, 1000);
        bool twin = strstr("UR5e UR7e UR10e UR12e ", (snprintf(word, sizeof word, "%s ", model->name), word)) != NULL;
        assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
        assert_int_equal(result.model_count, twin ? 2 : 1);
        assert_true(result.models[0] == model || result.models[1] == model);
        assert_true(result.residual < 3e-4 && result.next > 1e-3);
        for (size_t k = 0; k < 6; k++)
            NEAR(result.tool[k], arm.tool[k], 1e-4);
        assert_int_equal(result.tools, 1);
    }
}

static void a_resting_arm_fits_all(void **state)
{
    (void)state;
    const struct arm rests = {model_of("UR10"), {0}, 0, 6, 0}, trembles = {model_of("UR10"), {0}, 0.01, 6, 0};
    const struct arm one_joint = {model_of("UR10"), {0}, 1, 1, 0};
    assert_int_equal(result_of(&rests, 1000).outcome, ARMTAP_KINEMATICS_UNKNOWN);
    assert_int_equal(result_of(&trembles, 1000).outcome, ARMTAP_KINEMATICS_UNKNOWN);
    assert_int_equal(result_of(&one_joint, 1000).outcome, ARMTAP_KINEMATICS_UNKNOWN);
}

/* Of an arm that moves, 24 samples tell the model; one that rests gives one. */
static void samples_are_added_up_once_there_are_enough(void **state)
{
    (void)state;
    const struct arm arm = {model_of("UR10"), {0.01, 0, 0.1, 0, 0.2, 0}, 0.8, 6, 0}, rests = {arm.model, {0}, 0, 6, 0};
    static const struct {
        unsigned records, samples;
        enum armtap_kinematics_outcome outcome;
    } cases[] = {{0, 0, ARMTAP_KINEMATICS_UNKNOWN},
                 {1, 1, ARMTAP_KINEMATICS_UNKNOWN},
                 {23, 23, ARMTAP_KINEMATICS_UNKNOWN},
                 {24, 24, ARMTAP_KINEMATICS_MODEL},
                 {25, 25, ARMTAP_KINEMATICS_MODEL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct armtap_kinematics *kinematics = armtap_kinematics_new();
        assert_non_null(kinematics);
        move_each(kinematics, &arm, cases[i].records, 0.1);
        struct armtap_kinematics_result result = told(kinematics);
        assert_int_equal(result.samples, cases[i].samples);
        assert_int_equal(result.outcome, cases[i].outcome);
        assert_true(result.tools == 1 && (result.outcome == ARMTAP_KINEMATICS_UNKNOWN || result.residual < 1e-9));
    }
    assert_int_equal(result_of(&rests, 100).samples, 1);
}

/* The base, the shoulder and the elbow do not tell a long forearm's wrist from a tool. */
static void models_that_are_not_told_apart_are_all_named(void **state)
{
    (void)state;
    const struct arm arm = {model_of("UR3"), {0}, 0.5, 3, 0};
    struct armtap_kinematics_result result = result_of(&arm, 1000);
    assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
    assert_true(result.model_count >= 1);
    assert_string_equal(result.models[0]->name, "UR3");
}

static void a_change_of_tool_is_no_mismatch(void **state)
{
    (void)state;
    struct arm arm = {model_of("UR16e"), {0, 0, 0.1, 0, 0, 0}, 0.5, 6, 1e-4};
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    move(kinematics, &arm, 1000);
    arm.tool[2] = 0.25;
    move(kinematics, &arm, 1000);
    struct armtap_kinematics_result result = told(kinematics);
    assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
    assert_string_equal(result.models[0]->name, "UR16e");
    assert_int_equal(result.tools, 2);
    NEAR(result.tool[2], 0.25, 1e-3);
}

/* Records of a long stream are compared seconds apart: the joints went far in between. */
static void tools_change_between_records_that_are_far_apart(void **state)
{
    (void)state;
    const double longer[] = {0.013, 0.1, 0.3};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        struct arm arm = {model_of("UR10e"), {0}, 0.8, 6, 1e-4};
        struct armtap_kinematics *kinematics = armtap_kinematics_new();
        assert_non_null(kinematics);
        move_each(kinematics, &arm, 100, 2.3);
        arm.tool[2] = longer[i];
        move_each(kinematics, &arm, 100, 2.3);
        struct armtap_kinematics_result result = told(kinematics);
        assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
        assert_string_equal(result.models[0]->name, "UR10e");
        assert_int_equal(result.tools, 2);
        NEAR(result.tool[2], longer[i], 1e-3);
    }
}

/* Too short to be told from a geometry that does not fit: it is called neither. */
static void a_tool_that_became_hardly_longer_is_no_mismatch(void **state)
{
    (void)state;
    struct arm arm = {model_of("UR10e"), {0}, 0.8, 6, 1e-4};
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    move_each(kinematics, &arm, 100, 2.3);
    arm.tool[2] = 0.011;
    move_each(kinematics, &arm, 100, 2.3);
    struct armtap_kinematics_result result = told(kinematics);
    assert_int_equal(result.tools, 1);
    assert_int_not_equal(result.outcome, ARMTAP_KINEMATICS_MISMATCH);
}

/* Records as close to each other as those of a real stream, and far apart. */
static void other_arms_of_this_structure_follow(void **state)
{
    (void)state;
    const struct armtap_robot_model arms[] = {{"long 10e", 0.2363, -0.8989, -0.7149, 0.1743, 0.1198, 0.1168},
                                              {"long 5e", 0.1625, -0.525, -0.4922, 0.1333, 0.0997, 0.0996}};
    for (size_t i = 0; i < 2; i++)
        for (int far = 0; far < 2; far++) {
            const struct arm arm = {&arms[i], {0, 0, 0.1, 0.2, 0, 0}, 1.0, 6, 1e-4};
            struct armtap_kinematics *kinematics = armtap_kinematics_new();
            assert_non_null(kinematics);
            move_each(kinematics, &arm, 300, far ? 1.1 : 0.03);
            assert_int_equal(told(kinematics).outcome, ARMTAP_KINEMATICS_UNLISTED);
        }
}

/* Small motions do not tell geometries apart whose difference they hardly show. */
static void a_small_motion_names_no_arm_that_is_near(void **state)
{
    (void)state;
    const struct armtap_robot_model other = {"other", 0.1925, -0.425, -0.3722, 0.1333, 0.0997, 0.0996};
    struct arm arm = {&other, {0}, 0.12, 6, 0};
    assert_int_not_equal(result_of(&arm, 1000).outcome, ARMTAP_KINEMATICS_MODEL);
    arm.model = model_of("UR5e");
    struct armtap_kinematics_result result = result_of(&arm, 1000);
    assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
    assert_string_equal(result.models[0]->name, "UR5e");
}

/* The tool centre point stays, its axes turn. */
static void a_tool_turned_in_place_is_no_mismatch(void **state)
{
    (void)state;
    const double turns[] = {0.05, 0.3, 1.5};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct arm arm = {model_of("UR5e"), {0, 0, 0.1, 0, 0, 0}, 0.5, 6, 1e-4};
        struct armtap_kinematics *kinematics = armtap_kinematics_new();
        assert_non_null(kinematics);
        move(kinematics, &arm, 1000);
        arm.tool[5] = turns[i];
        move(kinematics, &arm, 1000);
        struct armtap_kinematics_result result = told(kinematics);
        assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
        assert_int_equal(result.tools, 2);
        NEAR(result.tool[5], turns[i], 1e-3);
    }
}

/* Whether at each tenth sample or at each second one: no model is named then, but nothing is wrong. */
static void two_tools_in_turns_are_no_mismatch(void **state)
{
    (void)state;
    for (unsigned each = 2; each <= 10; each += 4) {
        struct arm arm = {model_of("UR5e"), {0}, 0.5, 6, 0};
        struct armtap_kinematics *kinematics = armtap_kinematics_new();
        assert_non_null(kinematics);
        for (unsigned i = 0; i < 600; i++) {
            double q[6], pose[6];
            arm.tool[2] = i / each % 2 ? 0.1 : 0.25;
            joints_at(&arm, 0.1 * i, q);
            pose_of(&arm, q, pose);
            armtap_kinematics_add(kinematics, q, pose);
        }
        assert_int_not_equal(told(kinematics).outcome, ARMTAP_KINEMATICS_MISMATCH);
    }
}

static void another_geometry_is_not_in_the_list(void **state)
{
    (void)state;
    const struct armtap_robot_model longer = {"other", 0.2, -0.9, -0.7, 0.2, 0.15, 0.15};
    const struct arm arm = {&longer, {0, 0, 0.1, 0, 0, 0}, 0.5, 6, 1e-4};
    struct armtap_kinematics_result result = result_of(&arm, 1000);
    assert_int_equal(result.outcome, ARMTAP_KINEMATICS_UNLISTED);
    assert_int_equal(result.model_count, 0);
    assert_true(result.residual < 1e-3);
}

/* A force in the place of the pose, a pose that lags by a second, and one with its axes exchanged; in records close to
 * each other and far apart. */
static void a_pose_of_something_else_does_not_follow(void **state)
{
    (void)state;
    const struct arm arm = {model_of("UR5e"), {0}, 0.5, 6, 0};
    for (int kind = 0; kind < 6; kind++) {
        struct armtap_kinematics *kinematics = armtap_kinematics_new();
        assert_non_null(kinematics);
        double seconds = kind < 3 ? 0.01 : 2.3;
        for (unsigned i = 0; i < 1000; i++) {
            double q[6], earlier[6], pose[6];
            joints_at(&arm, seconds * i, q);
            joints_at(&arm, seconds * i - 1, earlier);
            pose_of(&arm, kind % 3 == 1 ? earlier : q, pose);
            for (int k = 0; k < 6 && kind % 3 == 0; k++)
                pose[k] = 3 * sin(0.3 * i + k);
            if (kind % 3 == 2) {
                double x = pose[0];
                pose[0] = pose[1];
                pose[1] = x;
            }
            armtap_kinematics_add(kinematics, q, pose);
        }
        assert_int_equal(told(kinematics).outcome, ARMTAP_KINEMATICS_MISMATCH);
    }
}

/* The tool's offset is reported as `reported`, from the record `from` on; before as the poses have it. */
static bool gap_of(const struct arm *arm, const double reported[6], unsigned from, struct armtap_tool_gap *gap)
{
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    for (unsigned i = 0; i < 1000; i++) {
        double q[6], pose[6];
        joints_at(arm, 0.01 * i, q);
        pose_of(arm, q, pose);
        for (size_t k = 0; k < 3; k++)
            pose[k] += arm->noise * sin(1e4 * i + 17 * (double)k);
        armtap_kinematics_add_tool(kinematics, q, pose, i < from ? arm->tool : reported);
    }
    struct armtap_tool_gap after = {0};
    bool known = armtap_kinematics_tool_gap(kinematics, gap);
    kinematics = armtap_kinematics_end(kinematics);
    assert_int_equal(armtap_kinematics_tool_gap(kinematics, &after), known);
    assert_true(!known || (after.distance == gap->distance && after.angle == gap->angle));
    assert_int_equal(after.is_other, known && gap->is_other);
    armtap_kinematics_free(kinematics);
    return known;
}

static void a_reported_tool_is_compared(void **state)
{
    (void)state;
    const struct arm arm = {model_of("UR5e"), {0.01, 0, 0.15, 0, 0, 1}, 0.5, 6, 0};
    const struct {
        double reported[6], distance, angle;
        bool is_other;
    } tools[] = {
        {{0.01, 0, 0.15, 0, 0, 1}, 0, 0, false},        {{0.01, 0, 0.1599, 0, 0, 1}, 0.0099, 0, false},
        {{0.01, 0, 0.1601, 0, 0, 1}, 0.0101, 0, true},  {{0.01, 0, 0.15, 0, 0, 1.049}, 0, 0.049, false},
        {{0.01, 0, 0.15, 0, 0, 0.949}, 0, 0.051, true}, {{0.05, 0.03, 0.15, 0, 0, 1 - PI / 2}, 0.05, PI / 2, true}};
    struct armtap_tool_gap gap;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        assert_true(gap_of(&arm, tools[i].reported, 0, &gap));
        NEAR(gap.distance, tools[i].distance, 1e-6);
        NEAR(gap.angle, tools[i].angle, 1e-6);
        assert_int_equal(gap.is_other, tools[i].is_other);
    }
    assert_false(gap_of(&arm, tools[5].reported, 500, &gap)); /* the offset changed */
    const struct arm near = {arm.model, {0.01, 0, 0.15, 0, 0, 1}, 0.249, 6, 0}, far = {arm.model, {0}, 0.251, 6, 0};
    assert_false(gap_of(&near, tools[5].reported, 0, &gap)); /* by less than 0.5 rad */
    assert_true(gap_of(&far, tools[5].reported, 0, &gap));
    /* a scatter of 0.7 mm a direction is 1.2 mm, and allows 7 mm more */
    const struct arm noisy = {arm.model, {0.01, 0, 0.15, 0, 0, 1}, 0.5, 6, 1e-3};
    assert_true(gap_of(&noisy, (const double[6]){0.01, 0, 0.166, 0, 0, 1}, 0, &gap) && !gap.is_other);
    assert_true(gap_of(&noisy, (const double[6]){0.01, 0, 0.169, 0, 0, 1}, 0, &gap) && gap.is_other);
    assert_false(gap_of(&arm, (const double[6]){NAN}, 0, &gap));
    const struct arm resting = {arm.model, {0}, 0, 6, 0};
    assert_false(gap_of(&resting, tools[5].reported, 0, &gap));
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    move(kinematics, &arm, 1000); /* without an offset */
    assert_false(armtap_kinematics_tool_gap(kinematics, &gap));
    armtap_kinematics_free(kinematics);
}

static void values_that_are_no_angles_are_left_out(void **state)
{
    (void)state;
    const struct arm arm = {model_of("UR20"), {0}, 0.5, 6, 0};
    struct armtap_kinematics *kinematics = armtap_kinematics_new();
    assert_non_null(kinematics);
    const double bad[][6] = {{NAN}, {INFINITY}, {1e9}};
    for (size_t i = 0; i < 3; i++) {
        armtap_kinematics_add(kinematics, bad[i], (const double[6]){0});
        armtap_kinematics_add(kinematics, (const double[6]){0}, bad[i]);
    }
    move(kinematics, &arm, 100000);
    struct armtap_kinematics_result result = told(kinematics);
    assert_int_equal(result.outcome, ARMTAP_KINEMATICS_MODEL);
    assert_int_equal(result.samples, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flange_is_where_the_matrices_put_it),
        cmocka_unit_test(a_stretched_arm_by_hand),
        cmocka_unit_test(rotation_vectors_there_and_back),
        cmocka_unit_test(each_model_is_named),
        cmocka_unit_test(a_resting_arm_fits_all),
        cmocka_unit_test(samples_are_added_up_once_there_are_enough),
        cmocka_unit_test(models_that_are_not_told_apart_are_all_named),
        cmocka_unit_test(a_change_of_tool_is_no_mismatch),
        cmocka_unit_test(tools_change_between_records_that_are_far_apart),
        cmocka_unit_test(a_tool_that_became_hardly_longer_is_no_mismatch),
        cmocka_unit_test(other_arms_of_this_structure_follow),
        cmocka_unit_test(a_small_motion_names_no_arm_that_is_near),
        cmocka_unit_test(a_tool_turned_in_place_is_no_mismatch),
        cmocka_unit_test(two_tools_in_turns_are_no_mismatch),
        cmocka_unit_test(another_geometry_is_not_in_the_list),
        cmocka_unit_test(a_pose_of_something_else_does_not_follow),
        cmocka_unit_test(a_reported_tool_is_compared),
        cmocka_unit_test(values_that_are_no_angles_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
