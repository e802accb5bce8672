#include "figure.h"

#include <math.h>

#include "command_line/shared_text.h"
#include "html/html.h"
#include "nanoseconds.h"

/* Pixels: each view is a square of SIZE; the flange gets REACH from its middle. */
#define SIZE 240
#define REACH 108
#define BAR 0.5    /* m: the scale */
#define TOOL_MAX 1 /* m: a tool that is farther from the flange is none */
/* The arm's points, and the tool. */
#define PLACES (ARMTAP_ARM_POINTS + 1)
#define FLANGE (ARMTAP_ARM_POINTS - 1)
#define TOOL ARMTAP_ARM_POINTS

/* ---- which model ------------------------------------------------------------------------------------------------- */

/* The first model of the only geometry that explains the poses; NULL: there are several, or none. */
static const struct armtap_robot_model *only_one(const struct armtap_kinematics_result *result)
{
    bool is_one = result->outcome == ARMTAP_KINEMATICS_MODEL;
    for (size_t i = 1; i < result->model_count; i++)
        is_one = is_one && armtap_robot_model_is_alike(result->models[0], result->models[i]);
    return is_one ? result->models[0] : NULL;
}

/* Sets what is not known yet. False if something else is. */
static bool agree(const struct armtap_robot_model **known, const struct armtap_robot_model *model)
{
    *known = *known ? *known : model;
    return !model || armtap_robot_model_is_alike(*known, model);
}

void figure_add(struct figure *figure, const struct armtap_stream_summary *summary, const struct poses *poses)
{
    const struct armtap_kinematics_result result = model_of_stream(summary);
    const struct armtap_robot_model *shown = only_one(&result);
    if (!agree(&figure->shown, shown) || !agree(&figure->configured, poses->is_unclear ? NULL : poses->configured))
        figure->is_contradicted = true;
    figure->has_poses = figure->has_poses || summary->kinematics;
    if (!shown && result.outcome > figure->worst)
        figure->worst = result.outcome;
}

static const char *doubt_of(const struct figure *figure)
{
    static const char *const reasons[] = {
        [ARMTAP_KINEMATICS_UNKNOWN] = "it moved too little for its poses to tell the model",
        [ARMTAP_KINEMATICS_MODEL] = "its poses fit models of different geometry",
        [ARMTAP_KINEMATICS_UNLISTED] = "its poses do not match its joint angles by the geometry of a known model",
        [ARMTAP_KINEMATICS_MISMATCH] = "its poses do not match its joint angles"};
    const struct armtap_robot_model *shown = figure->shown;
    if (figure->is_contradicted || !agree(&shown, figure->configured))
        return "streams, or poses and configuration, show different models";
    if (figure->shown || (figure->configured && figure->worst <= ARMTAP_KINEMATICS_MODEL))
        return NULL;
    return figure->has_poses ? reasons[figure->worst]
                             : "the capture has neither poses of its tool next to joint angles, nor its configuration "
                               "(port 30001)";
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

/* m; the tool's place is NAN where it is not known. */
static void find_places(const struct figure *figure, const struct pose *pose, double at[PLACES][3])
{
    double q[6], away = 0;
    for (size_t i = 0; i < 6; i++)
        q[i] = (double)pose->q[i];
    armtap_robot_model_points(figure->model, q, at);
    for (size_t i = 0; i < 3; i++) {
        at[TOOL][i] = (double)pose->tool[i];
        away = hypot(away, at[TOOL][i] - at[FLANGE][i]);
    }
    at[TOOL][0] = away < TOOL_MAX ? at[TOOL][0] : NAN;
}

static int by_time(const void *a, const void *b)
{
    const struct pose *one = a, *other = b;
    return one->time != other->time ? (one->time < other->time ? -1 : 1) : (one->number < other->number ? -1 : 1);
}

/* Whether the side view shows more of the arm if it is drawn along y. */
static bool is_along_y(const struct figure *figure)
{
    double wide[2] = {0}, at[PLACES][3];
    for (size_t i = 0; i < figure->poses.count; i++) {
        find_places(figure, &figure->poses.all[i], at);
        wide[0] += fabs(at[FLANGE][0]);
        wide[1] += fabs(at[FLANGE][1]);
    }
    return wide[1] > wide[0];
}

int figure_settle(struct figure *figure, struct poses *poses)
{
    figure->doubt = poses->seen > 0 ? doubt_of(figure) : NULL;
    if (poses->seen == 0 || figure->doubt)
        return 0;
    figure->model = figure->shown ? figure->shown : figure->configured;
    figure->poses = *poses;
    *poses = (struct poses){0};
    figure->poses.stops = 0; /* there is room for the end */
    if (poses_keep(&figure->poses) != 0)
        return -1;
    qsort(figure->poses.all, figure->poses.count, sizeof *figure->poses.all, by_time);
    figure->across = is_along_y(figure);
    return 0;
}

size_t figure_at(const struct figure *figure, int64_t time)
{
    size_t at = 0;
    while (at + 1 < figure->poses.count && figure->poses.all[at + 1].time <= time)
        at++;
    return at;
}

/* ---- in a page --------------------------------------------------------------------------------------------------- */

static double pixels(const struct figure *figure, double length)
{
    return length / armtap_robot_model_reach(figure->model) * REACH;
}

/* The middle is the shoulder, or seen from above the base. */
static void put_point(struct buffer *page, const struct figure *figure, bool is_top, const double place[3])
{
    html_format(page, "%.1f,%.1f ", SIZE / 2 + pixels(figure, place[is_top ? 0 : figure->across]),
                SIZE / 2 - pixels(figure, is_top ? place[1] : place[2] - figure->model->d1));
}

/* What stands still: the base's axes, how far the flange gets, a scale. */
static void put_ground(struct buffer *page, const struct figure *figure, bool is_top)
{
    const double y = SIZE / 2 + (is_top ? 0 : pixels(figure, figure->model->d1)), bar = pixels(figure, BAR);
    html_format(page, "<path class=\"axes\" d=\"M0 %.1fH%dM%d %dV0\"/>\n", y, SIZE, SIZE / 2, SIZE);
    html_format(page, "<circle class=\"axes\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n", SIZE / 2, SIZE / 2, REACH);
    html_format(page, "<text x=\"2\" y=\"10\">%s</text><text x=\"%d\" y=\"%.1f\">%s</text>", is_top ? "top" : "side",
                SIZE - 9, y - 4, is_top || !figure->across ? "x" : "y");
    html_format(page, "<text x=\"%d\" y=\"10\">%s</text>\n<path class=\"scale\" d=\"M%.1f %dv6m0 -3h%.1fm0 -3v6\"/>\n",
                SIZE / 2 + 4, is_top ? "y" : "z", SIZE - 4 - bar, SIZE - 9, bar);
    html_format(page, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">0.5 m</text>\n", SIZE - 4 - bar / 2, SIZE - 10);
}

/* Marks of joints, flange and tool are markers of these lines: html.c. */
static void put_view(struct buffer *page, const struct figure *figure, bool is_top, double at[PLACES][3])
{
    static const double base[3];
    html_format(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"the arm from %s\">\n", SIZE, SIZE,
                is_top ? "above" : "the side");
    put_ground(page, figure, is_top);
    html_put(page, "<polyline class=\"links\" points=\"");
    put_point(page, figure, is_top, base);
    for (size_t i = 0; i < ARMTAP_ARM_POINTS; i++)
        put_point(page, figure, is_top, at[i]);
    html_put(page, "\"/>\n<polyline class=\"tool\" points=\"");
    for (size_t i = FLANGE; i < PLACES && !isnan(at[TOOL][0]); i++)
        put_point(page, figure, is_top, at[i]);
    html_put(page, "\"/>\n</svg>\n");
}

void figure_put(struct buffer *page, const struct figure *figure, size_t pose, const char *class, const char *line)
{
    char names[MODEL_NAMES_MAX];
    struct armtap_kinematics_result alike = {.model_count = 0};
    const struct armtap_robot_model *model;
    double at[PLACES][3];
    find_places(figure, &figure->poses.all[pose], at);
    for (size_t i = 0; (model = armtap_robot_model_at(i)); i++)
        if (armtap_robot_model_is_alike(model, figure->model))
            alike.models[alike.model_count++] = model;
    html_format(page, "<figure class=\"%s\">\n", class);
    put_view(page, figure, false, at);
    put_view(page, figure, true, at);
    html_put(page, "<figcaption><output>");
    html_text(page, line);
    html_put(page, "</output><br>");
    html_text(page, model_names(names, &alike));
    html_put(page, figure->shown ? ", known from its poses" : ", known from its configuration");
    html_put(page, ". Dots are joints, the ring is the flange, the cross the TCP, where the stream has it."
                   "</figcaption>\n</figure>\n");
}

/* Of each pose its time, and its places in mm; the last without the tool where that is not known. */
void figure_put_data(struct buffer *page, const struct figure *figure, int64_t from)
{
    html_format(page, "\"scale\":%.6f,\"middle\":%d,\"across\":%u,\"poses\":[", pixels(figure, 1e-3), SIZE / 2,
                figure->across);
    for (size_t i = 0; i < figure->poses.count; i++) {
        const struct pose *pose = &figure->poses.all[i];
        double at[PLACES][3];
        find_places(figure, pose, at);
        html_format(page, "%s[%.6f", i ? ",\n" : "", (double)armtap_time_between(from, pose->time) / (double)SECOND);
        for (size_t k = 0; k < (isnan(at[TOOL][0]) ? TOOL : PLACES) * 3; k++)
            html_format(page, ",%ld", lround(at[k / 3][k % 3] * 1e3));
        html_put(page, "]");
    }
    html_put(page, "]");
}
