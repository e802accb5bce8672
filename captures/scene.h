/* A parsed scene script: the robots, their programs, the clients and what they do. README.md describes the language. */
#ifndef SCENE_H
#define SCENE_H

#include "arm.h"
#include "wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCENE_ROBOTS = 4, SCENE_CLIENTS = 16, SCENE_POSES = 32, SCENE_STEPS = 64, SCENE_WORDS = 12 };

struct scene_pose {
    const char *name;
    double q[ARM_JOINTS]; /* rad */
};

enum motion_kind { MOTION_MOVE, MOTION_WAIT, MOTION_OUTPUT, MOTION_INPUT, MOTION_PAYLOAD };

struct motion_step {
    enum motion_kind kind;
    double seconds;       /* MOVE, WAIT */
    double q[ARM_JOINTS]; /* MOVE: the target */
    unsigned bit;         /* OUTPUT, INPUT */
    double value;         /* OUTPUT, INPUT: 0 or 1; PAYLOAD: kg */
};

struct scene_robot {
    const struct arm_model *model;
    struct wire_address address;
    unsigned release[4];
    unsigned cycle_ms;
    bool cb2;
    unsigned newest_protocol; /* newest RTDE protocol that it speaks */
    unsigned uptime_ms;       /* of the controller when the scene starts */
    unsigned vlan;            /* 0: none */
    const char *busy;         /* an input that another client uses, or NULL */
    double begin[ARM_JOINTS];
    struct motion_step program[SCENE_STEPS]; /* repeats */
    size_t program_length;
    double stop_at;   /* protective stop, s; below 0: none */
    double hit_at;    /* when the tool meets an obstacle, before the stop, s; below 0: never, or unknown */
    double unlock_at; /* when it is released, s; below 0: never */
    bool aubo;
    unsigned arm;     /* for AUBO: 0 for R1, 1 for R2, which belongs to the robot before it */
    double brakes_at; /* when the brakes of AUBO's arm begin to open, s; below 0: they are open */
};

enum client_kind {
    CLIENT_UNTIL,      /* seconds: continue unchanged until then */
    CLIENT_OPEN,       /* connect */
    CLIENT_CALL,       /* an attempt to connect that fails */
    CLIENT_CLOSE,      /* words[0]: client, robot or reset */
    CLIENT_REALTIME,   /* count: bytes of the packets that the robot sends from now on */
    CLIENT_PRIMARY,    /* the robot sends its primary interface from now on */
    CLIENT_ERROR,      /* an entry of its log; count: code, words: argument, level */
    CLIENT_PROGRAM,    /* words: what happened to a program, its name */
    CLIENT_EXCEPTION,  /* count: line, words: column, text */
    CLIENT_POPUP,      /* words: title, text */
    CLIENT_SAY,        /* words[0]: text to the robot */
    CLIENT_ANSWER,     /* words[0]: text from the robot */
    CLIENT_PROTOCOL,   /* count: RTDE version asked for */
    CLIENT_CONTROLLER, /* ask for the controller's version */
    CLIENT_TEXT,       /* words: level, source, message */
    CLIENT_OUTPUTS,    /* seconds: Hz, 0: not given; words[0]: names */
    CLIENT_INPUTS,     /* words[0]: names */
    CLIENT_START,
    CLIENT_PAUSE,
    CLIENT_WRITE,      /* count: recipe id; words: name=value */
    CLIENT_WATCHDOG,   /* count: recipe id, words[0]: name that counts the packages received */
    CLIENT_PROPERTIES, /* words[0]: names */
    CLIENT_WEBSOCKET,  /* words[0]: plain or deflate */
    CLIENT_DIALECT,    /* words: how AUBO's controller writes: numbers, newline */
    CLIENT_SUBSCRIBE,  /* count: AUBO's channel, seconds: Hz, words[0]: names; without them it is cancelled */
    CLIENT_PUBLISH,    /* count: AUBO's channel, seconds: Hz, words[0]: names */
    CLIENT_SEND,       /* count: AUBO's channel, words: values exactly as sent */
    CLIENT_FRAGMENT,   /* the controller's next message is sent in two frames */
    CLIENT_WORDS,      /* count: words of a driver's message, words[0]: its first numbers; the rest are 0 */
    CLIENT_RESULT,     /* count: the number that the robot's program answers */
    CLIENT_SCRIPT,     /* count: offset of registers; words[0]: codes of ur_rtde's script, which the client sends */
    CLIENT_OBEYS,   /* count: offset of registers, seconds: how long the robot's program takes for ur_rtde's commands */
    CLIENT_COMMANDS /* count: timeout in ms of a driver's command each cycle; 0: none from now on */
};

struct client_step {
    enum client_kind kind;
    unsigned line;
    double seconds;
    unsigned count;
    const char *words[SCENE_WORDS];
    size_t word_count;
};

struct scene_client {
    const struct scene_robot *robot;
    struct wire_address address;
    uint16_t port;
    uint16_t server_port;
    bool is_driver; /* the robot connects to it */
    struct client_step steps[SCENE_STEPS];
    size_t step_count;
};

enum scene_format { SCENE_PCAP, SCENE_PCAPNG };

struct scene {
    enum scene_format format;
    bool nanoseconds;
    bool big_endian;
    int64_t start; /* ns since the epoch */
    uint64_t seed;
    double duration; /* s */
    struct scene_pose poses[SCENE_POSES];
    size_t pose_count;
    struct scene_robot robots[SCENE_ROBOTS];
    size_t robot_count;
    struct scene_client clients[SCENE_CLIENTS];
    size_t client_count;
    char *text; /* the script, cut into words */
};

/* Reads a script. On error returns NULL and prints a message with the script's line number. The caller frees it. */
struct scene *scene_read(const char *path);
void scene_free(struct scene *scene);

#endif
