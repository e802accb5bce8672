#include "scene.h"

#include "number.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 16, MAX_SCRIPT = 1 << 20 };

struct reader {
    struct scene *scene;
    const char *path;
    unsigned line;
    char *words[MAX_WORDS]; /* of the line, the directive first */
    size_t count;
    bool failed;
};

static void fail(struct reader *reader, const char *problem, const char *thing)
{
    if (!reader->failed)
        fprintf(stderr, "%s:%u: %s%s%s\n", reader->path, reader->line, problem, thing ? ": " : "", thing ? thing : "");
    reader->failed = true;
}

static double number(struct reader *reader, const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !(value >= -1e6 && value <= 1e6)) {
        fail(reader, "not a number between -1000000 and 1000000", word);
        return 0;
    }
    return value;
}

static unsigned whole(struct reader *reader, const char *word)
{
    char *end;
    unsigned long value = strtoul(word, &end, 10);
    if (end == word || *end || value > 1000000000)
        fail(reader, "not a whole number", word);
    return (unsigned)value;
}

static struct wire_address address(struct reader *reader, const char *word)
{
    struct wire_address address = {.v6 = strchr(word, ':') != NULL};
    if (inet_pton(address.v6 ? AF_INET6 : AF_INET, word, address.bytes) != 1)
        fail(reader, "not an IP address", word);
    return address;
}

static struct scene_robot *last_robot(struct reader *reader)
{
    if (reader->scene->robot_count > 0)
        return &reader->scene->robots[reader->scene->robot_count - 1];
    fail(reader, "this needs a robot first", reader->words[0]);
    return NULL;
}

/* ---- the capture ----------------------------------------------------------------------------------------------- */

static void read_capture(struct reader *reader)
{
    static const char *const names[] = {"pcap", "pcapng", "microseconds", "nanoseconds", "little-endian", "big-endian"};
    struct scene *scene = reader->scene;
    for (size_t i = 1; i < reader->count; i++) {
        size_t k = 0;
        while (k < 6 && strcmp(reader->words[i], names[k]) != 0)
            k++;
        if (k < 2)
            scene->format = (enum scene_format)k;
        else if (k < 4)
            scene->nanoseconds = k == 3;
        else if (k < 6)
            scene->big_endian = k == 5;
        else
            fail(reader, "not a capture format", reader->words[i]);
    }
}

/* Days from 1970-01-01 of a date in the Gregorian calendar, from 1970 on. */
static int64_t days_since_1970(unsigned year, unsigned month, unsigned day)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    unsigned leap_years = (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return (int64_t)(year - 1970) * 365 + leap_years + before[month - 1] + (leap && month > 2) + day - 1;
}

static void read_start(struct reader *reader)
{
    unsigned year, month, day, hour, minute, second;
    char end;
    if (sscanf(reader->words[1], "%4u-%2u-%2uT%2u:%2u:%2u%c", &year, &month, &day, &hour, &minute, &second, &end) !=
            7 ||
        end != 'Z' || year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        fail(reader, "not a time like 2026-01-31T12:00:00Z", reader->words[1]);
    else
        reader->scene->start = ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60000000000 +
                               second * INT64_C(1000000000);
}

static void read_seed(struct reader *reader)
{
    reader->scene->seed = whole(reader, reader->words[1]);
}

static void read_duration(struct reader *reader)
{
    reader->scene->duration = number(reader, reader->words[1]);
}

static void read_pose(struct reader *reader)
{
    struct scene *scene = reader->scene;
    if (scene->pose_count == SCENE_POSES) {
        fail(reader, "too many poses", NULL);
        return;
    }
    struct scene_pose *pose = &scene->poses[scene->pose_count++];
    pose->name = reader->words[1];
    for (size_t i = 0; i < ARM_JOINTS; i++)
        pose->q[i] = number(reader, reader->words[2 + i]) * (NUMBER_PI / 180);
}

/* ---- robots ---------------------------------------------------------------------------------------------------- */

static void read_model(struct reader *reader, struct scene_robot *robot)
{
    robot->model = arm_find(reader->words[1]);
    robot->aubo = strncmp(reader->words[1], "aubo", 4) == 0;
    if (!robot->model)
        fail(reader, "not a model (ur5, ur10, ur5e, ur10e, aubo-i5)", reader->words[1]);
}

static void read_robot(struct reader *reader)
{
    struct scene *scene = reader->scene;
    if (scene->robot_count == SCENE_ROBOTS) {
        fail(reader, "too many robots", NULL);
        return;
    }
    struct scene_robot *robot = &scene->robots[scene->robot_count++];
    read_model(reader, robot);
    robot->address = address(reader, reader->words[2]);
    unsigned *release = robot->release;
    if (sscanf(reader->words[3], "%u.%u.%u.%u", release, release + 1, release + 2, release + 3) != 4)
        fail(reader, "not a software version like 5.11.1.108", reader->words[3]);
    robot->cb2 = release[0] < 3 && !robot->aubo;
    robot->cycle_ms = robot->aubo ? 5 : release[0] < 5 ? 8 : 2;
    robot->newest_protocol = (release[0] == 5 && release[1] >= 26) || release[0] >= 10 ? 3 : 2;
    robot->stop_at = -1;
    robot->hit_at = -1;
    robot->unlock_at = -1;
    robot->brakes_at = -1;
}

static void read_arm(struct reader *reader)
{
    const struct scene_robot *first = last_robot(reader);
    struct scene *scene = reader->scene;
    if (!first || !first->aubo || first->arm > 0 || scene->robot_count == SCENE_ROBOTS) {
        fail(reader, "an arm follows AUBO's robot, one at most", NULL);
        return;
    }
    struct scene_robot *robot = &scene->robots[scene->robot_count++];
    *robot = (struct scene_robot){.address = first->address,
                                  .cycle_ms = first->cycle_ms,
                                  .vlan = first->vlan,
                                  .uptime_ms = first->uptime_ms,
                                  .stop_at = -1,
                                  .hit_at = -1,
                                  .unlock_at = -1,
                                  .arm = 1,
                                  .brakes_at = -1};
    read_model(reader, robot);
}

static void read_robot_number(struct reader *reader)
{
    struct scene_robot *robot = last_robot(reader);
    if (!robot)
        return;
    if (strcmp(reader->words[0], "uptime") == 0)
        robot->uptime_ms = (unsigned)(number(reader, reader->words[1]) * 1000 + 0.5);
    else if (strcmp(reader->words[0], "vlan") == 0)
        robot->vlan = whole(reader, reader->words[1]) & 0xfff;
    else if (strcmp(reader->words[0], "stop") == 0)
        robot->stop_at = number(reader, reader->words[1]);
    else if (strcmp(reader->words[0], "collision") == 0)
        robot->hit_at = number(reader, reader->words[1]);
    else if (strcmp(reader->words[0], "unlock") == 0)
        robot->unlock_at = number(reader, reader->words[1]);
    else if (strcmp(reader->words[0], "brakes") == 0)
        robot->brakes_at = number(reader, reader->words[1]);
    else
        robot->newest_protocol = whole(reader, reader->words[1]);
}

static void read_busy(struct reader *reader)
{
    struct scene_robot *robot = last_robot(reader);
    if (robot)
        robot->busy = reader->words[1];
}

static const double *pose_named(struct reader *reader, const char *name)
{
    const struct scene *scene = reader->scene;
    for (size_t i = 0; i < scene->pose_count; i++)
        if (strcmp(scene->poses[i].name, name) == 0)
            return scene->poses[i].q;
    fail(reader, "no such pose", name);
    return NULL;
}

static void read_at(struct reader *reader)
{
    struct scene_robot *robot = last_robot(reader);
    const double *q = pose_named(reader, reader->words[1]);
    if (robot && q)
        memcpy(robot->begin, q, sizeof robot->begin);
}

static struct motion_step *add_motion(struct reader *reader, enum motion_kind kind)
{
    struct scene_robot *robot = last_robot(reader);
    if (!robot)
        return NULL;
    if (robot->program_length == SCENE_STEPS) {
        fail(reader, "the program is too long", NULL);
        return NULL;
    }
    struct motion_step *step = &robot->program[robot->program_length++];
    step->kind = kind;
    return step;
}

static void read_move(struct reader *reader)
{
    struct motion_step *step = add_motion(reader, MOTION_MOVE);
    const double *q = pose_named(reader, reader->words[1]);
    if (!step || !q)
        return;
    memcpy(step->q, q, sizeof step->q);
    step->seconds = number(reader, reader->words[2]);
    if (!(step->seconds > 0))
        fail(reader, "a move takes time", reader->words[2]);
}

static void read_wait(struct reader *reader)
{
    struct motion_step *step = add_motion(reader, MOTION_WAIT);
    if (step)
        step->seconds = number(reader, reader->words[1]);
}

static void read_signal(struct reader *reader)
{
    bool output = strcmp(reader->words[0], "output") == 0;
    struct motion_step *step = add_motion(reader, output ? MOTION_OUTPUT : MOTION_INPUT);
    if (!step)
        return;
    step->bit = whole(reader, reader->words[1]);
    step->value = strcmp(reader->words[2], "on") == 0;
    if (step->bit > 17 || (step->value == 0 && strcmp(reader->words[2], "off") != 0))
        fail(reader, "a signal is 0 to 17, on or off", reader->words[2]);
}

static void read_payload(struct reader *reader)
{
    struct motion_step *step = add_motion(reader, MOTION_PAYLOAD);
    if (step)
        step->value = number(reader, reader->words[1]);
}

/* ---- clients --------------------------------------------------------------------------------------------------- */

static void read_client(struct reader *reader)
{
    struct scene *scene = reader->scene;
    struct scene_robot *robot = last_robot(reader);
    if (scene->client_count == SCENE_CLIENTS)
        fail(reader, "too many clients", NULL);
    if (!robot || reader->failed)
        return;
    robot -= robot->arm;
    struct scene_client *client = &scene->clients[scene->client_count++];
    client->robot = robot;
    client->is_driver = strcmp(reader->words[0], "driver") == 0;
    client->address = address(reader, reader->words[1]);
    client->port = (uint16_t)whole(reader, reader->words[2]);
    client->server_port = (uint16_t)whole(reader, reader->words[3]);
    if (client->address.v6 != robot->address.v6)
        fail(reader, "client and robot need addresses of one kind", reader->words[1]);
}

struct client_word {
    const char *word;
    enum client_kind kind;
    size_t least, most; /* arguments */
    char first; /* the first argument: s(econds), c(ount), w(ord); 'f': seconds (Hz) if there are two; 'b'oth, a count
                   before seconds (Hz) */
};

static const struct client_word client_words[] = {
    {"until", CLIENT_UNTIL, 1, 1, 's'},
    {"open", CLIENT_OPEN, 0, 0, 'w'},
    {"call", CLIENT_CALL, 1, 1, 'w'},
    {"close", CLIENT_CLOSE, 1, 1, 'w'},
    {"realtime", CLIENT_REALTIME, 1, 1, 'c'},
    {"primary", CLIENT_PRIMARY, 0, 0, 'w'},
    {"error", CLIENT_ERROR, 3, 3, 'c'},
    {"program", CLIENT_PROGRAM, 2, 2, 'w'},
    {"exception", CLIENT_EXCEPTION, 3, 3, 'c'},
    {"popup", CLIENT_POPUP, 2, 2, 'w'},
    {"say", CLIENT_SAY, 1, 1, 'w'},
    {"answer", CLIENT_ANSWER, 1, 1, 'w'},
    {"protocol", CLIENT_PROTOCOL, 1, 1, 'c'},
    {"controller", CLIENT_CONTROLLER, 0, 0, 'w'},
    {"text", CLIENT_TEXT, 3, 3, 'w'},
    {"outputs", CLIENT_OUTPUTS, 1, 2, 'f'},
    {"inputs", CLIENT_INPUTS, 1, 1, 'w'},
    {"start", CLIENT_START, 0, 0, 'w'},
    {"pause", CLIENT_PAUSE, 0, 0, 'w'},
    {"write", CLIENT_WRITE, 2, 1 + SCENE_WORDS, 'c'},
    {"watchdog", CLIENT_WATCHDOG, 2, 2, 'c'},
    {"properties", CLIENT_PROPERTIES, 1, 1, 'w'},
    {"websocket", CLIENT_WEBSOCKET, 1, 1, 'w'},
    {"dialect", CLIENT_DIALECT, 1, 2, 'w'},
    {"subscribe", CLIENT_SUBSCRIBE, 3, 3, 'b'},
    {"unsubscribe", CLIENT_SUBSCRIBE, 1, 1, 'c'},
    {"publish", CLIENT_PUBLISH, 3, 3, 'b'},
    {"send", CLIENT_SEND, 2, 1 + SCENE_WORDS, 'c'},
    {"fragment", CLIENT_FRAGMENT, 0, 0, 'w'},
    {"words", CLIENT_WORDS, 2, 2, 'c'},
    {"result", CLIENT_RESULT, 1, 1, 'c'},
    {"commands", CLIENT_COMMANDS, 1, 1, 'c'},
    {"script", CLIENT_SCRIPT, 2, 2, 'c'},
    {"obeys", CLIENT_OBEYS, 2, 2, 'b'},
};

static void read_client_step(struct reader *reader, const struct client_word *word)
{
    struct scene *scene = reader->scene;
    if (scene->client_count == 0) {
        fail(reader, "this needs a client first", word->word);
        return;
    }
    struct scene_client *client = &scene->clients[scene->client_count - 1];
    if (client->step_count == SCENE_STEPS) {
        fail(reader, "the client does too much", NULL);
        return;
    }
    struct client_step *step = &client->steps[client->step_count++];
    step->kind = word->kind;
    step->line = reader->line;
    size_t next = 1;
    if (word->first == 's' || (word->first == 'f' && reader->count == 3))
        step->seconds = number(reader, reader->words[next++]);
    else if (word->first == 'c' || word->first == 'b')
        step->count = whole(reader, reader->words[next++]);
    if (word->first == 'b')
        step->seconds = number(reader, reader->words[next++]);
    while (next < reader->count)
        step->words[step->word_count++] = reader->words[next++];
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    void (*read)(struct reader *reader);
    size_t least, most; /* arguments */
} directives[] = {
    {"capture", read_capture, 1, 3},
    {"start-time", read_start, 1, 1},
    {"seed", read_seed, 1, 1},
    {"duration", read_duration, 1, 1},
    {"pose", read_pose, 7, 7},
    {"robot", read_robot, 3, 3},
    {"uptime", read_robot_number, 1, 1},
    {"vlan", read_robot_number, 1, 1},
    {"speaks", read_robot_number, 1, 1},
    {"stop", read_robot_number, 1, 1},
    {"collision", read_robot_number, 1, 1},
    {"unlock", read_robot_number, 1, 1},
    {"busy", read_busy, 1, 1},
    {"arm", read_arm, 1, 1},
    {"brakes", read_robot_number, 1, 1},
    {"at", read_at, 1, 1},
    {"move", read_move, 2, 2},
    {"wait", read_wait, 1, 1},
    {"output", read_signal, 2, 2},
    {"input", read_signal, 2, 2},
    {"payload", read_payload, 1, 1},
    {"client", read_client, 3, 3},
    {"driver", read_client, 3, 3},
};

static bool fits(struct reader *reader, size_t least, size_t most)
{
    if (reader->count - 1 >= least && reader->count - 1 <= most)
        return true;
    fail(reader, "wrong number of arguments", reader->words[0]);
    return false;
}

static void read_directive(struct reader *reader)
{
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (strcmp(directives[i].word, reader->words[0]) == 0) {
            if (fits(reader, directives[i].least, directives[i].most))
                directives[i].read(reader);
            return;
        }
    for (size_t i = 0; i < sizeof client_words / sizeof *client_words; i++)
        if (strcmp(client_words[i].word, reader->words[0]) == 0) {
            if (fits(reader, client_words[i].least, client_words[i].most))
                read_client_step(reader, &client_words[i]);
            return;
        }
    fail(reader, "not a directive", reader->words[0]);
}

/* Ends a quoted word in place, turning \r, \n and \" into what they mean. Returns what follows it, or NULL. */
static char *unquote(char *at)
{
    char *to = at;
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1]) {
            at++;
            *to++ = (char)(*at == 'n' ? '\n' : *at == 'r' ? '\r' : *at);
        } else {
            *to++ = *at;
        }
    }
    if (!*at)
        return NULL;
    *to = '\0';
    return at + 1;
}

static void split_words(struct reader *reader, char *at)
{
    reader->count = 0;
    for (;;) {
        at += strspn(at, " \t");
        if (!*at || *at == '#')
            return;
        if (reader->count == MAX_WORDS) {
            fail(reader, "too many words", NULL);
            return;
        }
        bool quoted = *at == '"';
        reader->words[reader->count++] = at + quoted;
        at = quoted ? unquote(at + 1) : at + strcspn(at, " \t");
        if (!at) {
            fail(reader, "a quote is not closed", NULL);
            return;
        }
        if (*at)
            *at++ = '\0';
    }
}

/* Cuts off the next line and joins lines that end in a backslash, without their blanks, as lists of names need it. */
static char *next_line(struct reader *reader, char **rest)
{
    char *line = *rest;
    char *to = line;
    char *at = line;
    reader->line++;
    while (*at && *at != '\n') {
        if (at[0] == '\\' && at[1] == '\n') {
            reader->line++;
            at += 2;
            at += strspn(at, " \t");
        } else {
            *to++ = *at++;
        }
    }
    *rest = *at ? at + 1 : at;
    *to = '\0';
    return line;
}

static char *load(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(MAX_SCRIPT);
    size_t length = file && text ? fread(text, 1, MAX_SCRIPT - 1, file) : 0;
    if (!file || !text || ferror(file)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

static void check_programs(struct reader *reader)
{
    if (reader->scene->robot_count == 0)
        fail(reader, "the scene has no robot", NULL);
    for (size_t i = 0; i < reader->scene->robot_count; i++) {
        const struct scene_robot *robot = &reader->scene->robots[i];
        const double *last = robot->begin;
        for (size_t k = 0; k < robot->program_length; k++)
            if (robot->program[k].kind == MOTION_MOVE)
                last = robot->program[k].q;
        if (memcmp(last, robot->begin, sizeof robot->begin) != 0)
            fail(reader, "a program must end where it begins (at POSE)", robot->model->name);
    }
}

struct scene *scene_read(const char *path)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene)
        return NULL;
    struct reader reader = {.scene = scene, .path = path};
    scene->text = load(path);
    reader.failed = !scene->text;
    char *rest = scene->text;
    while (!reader.failed && *rest) {
        split_words(&reader, next_line(&reader, &rest));
        if (!reader.failed && reader.count > 0)
            read_directive(&reader);
    }
    if (!reader.failed)
        check_programs(&reader);
    if (reader.failed) {
        scene_free(scene);
        return NULL;
    }
    return scene;
}

void scene_free(struct scene *scene)
{
    if (scene)
        free(scene->text);
    free(scene);
}
