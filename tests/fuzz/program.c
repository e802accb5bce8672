/* The whole program: every command and format on one capture, and judges of what comes out. Three bytes of options,
 * then operations (scene.h) or, where the first is odd, the bytes of a capture as they are. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "command.h"
#include "judge.h"
#include "outputs.h"
#include "scene.h"

/* ---- single outputs ---- */

static struct span text_of(const struct caught *caught)
{
    return (struct span){caught->text, caught->length};
}

static const char *one_json(struct span text, size_t *at)
{
    return judge_json(text, false, at);
}

static const char *json_lines(struct span text, size_t *at)
{
    return judge_json(text, true, at);
}

typedef const char *judge_function(struct span text, size_t *at);

static void show_place(const char *const *arguments, const char *which, struct span text, size_t at)
{
    fprintf(stderr, "armtap");
    for (; *arguments; arguments++)
        fprintf(stderr, " '%s'", *arguments);
    size_t before = at < 60 ? at : 60, after = text.length - at < 40 ? text.length - at : 40;
    fprintf(stderr, "\n%s, byte %zu:\n%.*s>>>HERE>>>%.*s\n", which, at, (int)before, text.at + at - before, (int)after,
            text.at + at);
}

static void demand(const char *const *arguments, const char *which, struct span text, const char *wrong, size_t at)
{
    if (!wrong)
        return;
    fprintf(stderr, "does not hold: %s\n", wrong);
    show_place(arguments, which, text, at < text.length ? at : text.length);
    abort();
}

/* What holds for every run. */
static void judge_run(const char *const *arguments, const struct outcome *outcome)
{
    size_t at = 0;
    struct span error = text_of(&outcome->error), rest = error, line;
    demand(arguments, "standard error", error, judge_shown(error, &at), at);
    if (outcome->status < 0 || outcome->status > 2)
        demand(arguments, "standard error", error, "an exit status other than 0, 1, 2", 0);
    if (outcome->status == 2 && error.length == 0)
        demand(arguments, "standard error", error, "exit status 2 without a message", 0);
    while (next_line(&rest, &line))
        if (line.length < 9 || memcmp(line.at, "armtap: ", 8) != 0)
            demand(arguments, "standard error", error, "a message that does not begin with the program's name",
                   (size_t)(line.at - error.at));
}

static void run(const char *const *arguments, judge_function *judge, struct outcome *outcome)
{
    size_t at = 0;
    command_run(arguments, outcome);
    judge_run(arguments, outcome);
    struct span out = text_of(&outcome->out);
    if (judge && (out.length > 0 || outcome->status < 2))
        demand(arguments, "standard output", out, judge(out, &at), at);
}

/* ---- a command and its output, the same for one thread and three ---- */

#define MORE_MAX 10
#define CAPTURE_MAX (16u << 10) /* that operations make: larger ones show no more, and take longer */
#define AT_ONCE 3               /* trials of a group that an input goes through: more of them, fewer inputs */
struct trial {
    const char *arguments[MORE_MAX + 1]; /* %F stands for the capture, %T for a text, %P for a packet's number */
    judge_function *judge;
};

struct texts {
    const char *file, *text;
    char packet[24];
    bool with_threads; /* one is held against three */
    size_t first;      /* trial of those that the input goes through */
};

static void fill_in(const struct trial *trial, const struct texts *texts, const char *threads,
                    const char *arguments[COMMAND_ARGUMENTS])
{
    size_t count = 0;
    for (size_t i = 0; trial->arguments[i]; i++) {
        const char *word = trial->arguments[i];
        arguments[count++] = strcmp(word, "%T") == 0   ? texts->text
                             : strcmp(word, "%P") == 0 ? texts->packet
                             : strcmp(word, "%F") == 0 ? texts->file
                                                       : word;
    }
    if (threads) {
        arguments[count++] = "--threads";
        arguments[count++] = threads;
    }
    arguments[count] = NULL;
}

static bool is_equal(const struct caught *a, const struct caught *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void try_threads(const struct trial *trial, const struct texts *texts, const struct outcome *one)
{
    const char *arguments[COMMAND_ARGUMENTS];
    struct outcome three;
    fill_in(trial, texts, "3", arguments);
    run(arguments, trial->judge, &three);
    if (three.status != one->status || !is_equal(&three.out, &one->out) || !is_equal(&three.error, &one->error))
        demand(arguments, "standard output", text_of(&three.out), "not the same with one thread and with three", 0);
    outcome_free(&three);
}

/* recipe and explain have no threads to choose from, or none that matter. */
static bool has_threads(const struct trial *trial)
{
    const char *name = trial->arguments[0];
    return strcmp(name, "info") == 0 || strcmp(name, "diagnose") == 0 || strcmp(name, "export") == 0;
}

static void try(const struct trial *trial, const struct texts *texts, struct outcome *outcome)
{
    const char *arguments[COMMAND_ARGUMENTS];
    fill_in(trial, texts, has_threads(trial) ? "1" : NULL, arguments);
    run(arguments, trial->judge, outcome);
    if (texts->with_threads && has_threads(trial))
        try_threads(trial, texts, outcome);
}

/* ---- the groups: an input goes through one of them ---- */

#define FURTHER 224 /* options from here on are of the groups that were added behind the first five */

static const struct trial summaries[] = {
    {{"info", "%F"}, judge_shown},
    {{"info", "--json", "%F"}, one_json},
    {{"diagnose", "%F"}, judge_shown},
    {{"diagnose", "--json", "%F"}, one_json},
    {{"diagnose", "--around", "safety.stop=1", "%F"}, judge_shown},
};
static const struct trial single[] = {
    {{"recipe", "--from", "%F"}, judge_xml},
    {{"recipe", "--from", "%F", "--stream", "0"}, judge_xml},
    {{"recipe", "--from", "%F", "--stream", "0", "--plain"}, judge_recipe_lines},
    {{"recipe", "--from", "%F", "--stream", "0", "--json"}, one_json},
    {{"recipe", "--from", "%F", "--to-robot", "--stream", "0"}, judge_xml},
    {{"recipe", "--from", "%F", "--accepted", "--stream", "0"}, judge_xml},
    {{"proxy", "--ports", "30004=0", "-o", "%F", "127.0.0.1"}, NULL},
    {{"record", "%F"}, NULL},
    {{"index", "-o", "/proc", "%F"}, NULL}, /* where no file can be made */
    {{"merge", "%F"}, one_json},
    {{"infer", "--no-handshake", "--stream", "0", "%F"}, judge_shown},
    {{"infer", "--no-handshake", "--json", "%F"}, one_json},
    {{"export", "--after", "%F", "%F"}, judge_csv},
    {{"serve", "--ports", "30004=0", "--to", "+0", "--stream", "0", "%F"}, NULL},
    {{"report", "-o", "-", "%F"}, judge_utf8},
    {{"plot", "%F"}, judge_utf8},
    {{"plot", "--fields", "*", "%F"}, judge_utf8},
    {{"stats", "%F"}, judge_shown},
    {{"stats", "--json", "%F"}, one_json},
    {{"stats", "--json", "--to-robot", "--stream", "0", "%F"}, one_json},
    {{"watch", "--once", "%F"}, judge_shown},
    {{"watch", "--once", "--page", "findings", "%F"}, judge_shown},
    {{"watch", "--once", "--page", "fields", "%F"}, judge_shown},
    {{"compare", "%F"}, judge_shown},
    {{"compare", "--json", "%F"}, one_json},
    {{"explain", "%F", "--packet", "%P"}, judge_shown},
    {{"explain", "%F", "--packet", "%P", "--json"}, one_json},
};
static const struct trial exports[] = {
    {{"export", "-f", "csv", "--union", "%F"}, judge_csv},
    {{"export", "-f", "ndjson", "--union", "%F"}, json_lines},
    {{"export", "-f", "csv", "--stream", "0", "--to-robot", "%F"}, judge_csv},
    {{"export", "-f", "ndjson", "--to-robot", "%F"}, json_lines},
    {{"export", "-f", "ndjson", "--commands", "%F"}, json_lines},
    {{"export", "-f", "csv", "--stream", "0", "--enums", "both", "--every", "2", "%F"}, judge_csv},
    {{"export", "-f", "csv", "--stream", "0", "--changes", "*", "%F"}, judge_csv},
    {{"export", "-f", "csv", "--union", "--grid", "1h", "%F"}, judge_csv},
    {{"export", "-f", "ndjson", "--grid", "1h", "%F"}, json_lines},
    {{"export", "-f", "gnuplot", "--stream", "0", "--layout", "cb2", "%F"}, judge_gnuplot},
    {{"export", "-f", "csv", "--stream", "0", "--csv-safe", "%F"}, judge_csv},
    {{"export", "-f", "csv", "--stream", "0", "--strict", "--no-guess", "%F"}, judge_csv},
    {{"export", "-f", "csv", "--stream", "0", "--dialect", "record.py", "%F"}, judge_utf8},
    {{"export", "--dialect", "ros2", "%F"}, judge_mcap},
    {{"export", "-f", "mcap", "--stream", "0", "--to-robot", "--compression", "none", "%F"}, judge_mcap},
    {{"export", "-f", "parquet", "--stream", "0", "%F"}, judge_parquet},
    {{"export", "-f", "npz", "--stream", "0", "%F"}, NULL},
    {{"export", "-f", "arrow", "--stream", "0", "--enums", "both", "%F"}, NULL},
    {{"export", "-f", "parquet", "--dialect", "small", "--union", "--compression", "none", "%F"}, judge_parquet},
};
static const struct trial asked[] = {
    {{"export", "-f", "csv", "--stream", "0", "--fields", "%T", "%F"}, judge_csv},
    {{"export", "-f", "ndjson", "--stream", "0", "--fields", "%T", "%F"}, json_lines},
    {{"export", "-f", "gnuplot", "--stream", "0", "--fields", "%T", "%F"}, judge_gnuplot},
    {{"export", "-f", "csv", "--stream", "0", "--from", "%T", "%F"}, judge_csv},
    {{"diagnose", "--around", "%T", "%F"}, judge_shown},
    {{"fields", "%T"}, judge_shown},
    {{"fields", "--json", "%T"}, one_json},
    {{"fields", "--enum", "%T"}, judge_shown},
    {{"fields", "--kaitai", "rtde", "--recipe", "%F"}, judge_shown},
    {{"recipe", "--columns", "%T"}, judge_xml},
    {{"recipe", "--fields", "%T", "--json"}, one_json},
    {{"recipe", "--fields", "%T", "--key", "%T"}, judge_xml},
    {{"recipe", "--fields", "actual_q", "--key", "%T"}, judge_xml},
    {{"explain", "--hex", "%T"}, judge_shown},
    {{"explain", "--hex", "%T", "--json"}, one_json},
    {{"compare", "--tolerance", "%T", "%F"}, judge_shown},
    {{"dissector", "%T"}, NULL},
};

static const char *const asked_texts[] = {
    "timestamp,actual_q",
    "*",
    "time,packet,file,stream,robot,client,direction,lost_bytes,lost_s,skipped",
    "actual_q_0,*_mode",
    "+1",
    "\x1b[2J\xe2\x80\xae",
    "\xff\xfe,a",
    "robot_mode",
    "00 04 56 01",
    "2-7,32-37",
    "0",
    "",
    ",,",
    "a\nb",
    "safety.stop=2",
    "[2:7 32:37]",
    "00 0c 55 01 00 00 00 00 00 00 00 00",
    "=1+1",
    "<&\">",
    "2026-01-31T12:00:00Z",
};

static void go_through(const struct trial *trials, size_t count, const struct texts *texts)
{
    for (size_t i = 0; i < AT_ONCE; i++) {
        struct outcome outcome;
        try(&trials[(texts->first + i) % count], texts, &outcome);
        outcome_free(&outcome);
    }
}

/* One stream in three formats. */
static void compare_formats(const struct texts *texts)
{
    static const struct trial trials[] = {
        {{"export", "-f", "csv", "--stream", "0", "%F"}, judge_csv},
        {{"export", "-f", "ndjson", "--stream", "0", "%F"}, json_lines},
        {{"export", "-f", "gnuplot", "--stream", "0", "%F"}, judge_gnuplot},
    };
    struct outcome outcomes[3];
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        try(&trials[i], texts, &outcomes[i]);
    struct span csv = text_of(&outcomes[0].out), lines = text_of(&outcomes[1].out), columns = text_of(&outcomes[2].out);
    if (outcomes[0].status < 2 && outcomes[1].status < 2)
        demand(trials[0].arguments, "CSV, held against ndjson", csv, judge_same_rows(csv, lines, &at), at);
    if (outcomes[0].status < 2 && outcomes[2].status < 2)
        demand(trials[0].arguments, "CSV, held against gnuplot", csv, judge_same_columns(csv, columns, &at), at);
    for (size_t i = 0; i < 3; i++)
        outcome_free(&outcomes[i]);
}

/* ---- files ---- */

static const struct file_trial {
    const char *ending;
    struct trial trial;
} file_trials[] = {
    {".csv", {{"export", "-f", "csv", "--stream", "0", "%F"}, judge_csv}},
    {".csv.gz", {{"export", "-f", "csv", "--stream", "0", "%F"}, judge_csv}},
    {".ndjson", {{"export", "-f", "ndjson", "%F"}, json_lines}},
    {".ndjson.gz", {{"export", "-f", "ndjson", "%F"}, json_lines}},
    {".dat.gz", {{"export", "-f", "gnuplot", "--stream", "0", "%F"}, judge_gnuplot}},
    {".parquet", {{"export", "-f", "parquet", "--stream", "0", "%F"}, judge_parquet}},
    {".npz", {{"export", "-f", "npz", "--stream", "0", "%F"}, NULL}},
};

/* Runs a trial with -o; `more`, or NULL, is a further option. */
static int write_file(const struct trial *trial, const struct texts *texts, const char *name, const char *more)
{
    const char *arguments[COMMAND_ARGUMENTS];
    struct outcome outcome;
    size_t count = 0;
    fill_in(trial, texts, NULL, arguments);
    while (arguments[count])
        count++;
    arguments[count++] = "-o";
    arguments[count++] = name;
    arguments[count++] = more;
    arguments[count] = NULL;
    run(arguments, NULL, &outcome);
    demand(arguments, "standard output", text_of(&outcome.out), outcome.out.length > 0 ? "text beside the file" : NULL,
           0);
    int status = outcome.status;
    outcome_free(&outcome);
    return status;
}

/* A file holds what standard output gets, or is not there. */
static void compare_file(const struct file_trial *one, const struct texts *texts)
{
    char name[400];
    struct outcome outcome;
    struct caught file;
    const char *wrong = NULL;
    snprintf(name, sizeof name, "%s.out%s", texts->file, one->ending);
    try(&one->trial, texts, &outcome);
    int status = write_file(&one->trial, texts, name, NULL);
    bool is_there = output_take(name, &file);
    if (status != outcome.status)
        wrong = "another exit status with -o";
    else if (is_there ? !is_equal(&file, &outcome.out) : status < 2)
        wrong = is_there ? "a file unlike standard output" : "no file";
    demand(one->trial.arguments, "the file", text_of(&file), wrong, 0);
    free(file.text);
    outcome_free(&outcome);
}

/* Formats that seek in their file have no standard output. */
static void make_seeking(const struct texts *texts)
{
    static const struct file_trial trials[] = {
        {".mat", {{"export", "-f", "mat", "--stream", "0", "%F"}, NULL}},
        {".v5", {{"export", "-f", "mat", "--dialect", "v5", "--stream", "0", "%F"}, NULL}},
        {".h5", {{"export", "-f", "h5", "--stream", "0", "%F"}, NULL}},
    };
    const struct file_trial *one = &trials[texts->first % (sizeof trials / sizeof *trials)];
    char name[400];
    struct caught file;
    snprintf(name, sizeof name, "%s.out%s", texts->file, one->ending);
    int status = write_file(&one->trial, texts, name, NULL);
    bool is_there = output_take(name, &file);
    const char *wrong = is_there == (status < 2) ? NULL : is_there ? "a file though it failed" : "no file";
    demand(one->trial.arguments, "the file", text_of(&file), wrong, 0);
    free(file.text);
}

static size_t count_lines(struct span text)
{
    struct span line;
    size_t count = 0;
    while (next_line(&text, &line))
        count++;
    return count;
}

/* A file for each table; that of the first stream, where it has one table, is as with --stream 0. */
static void compare_split(const struct texts *texts)
{
    static const struct trial whole = {{"export", "-f", "csv", "--stream", "0", "%F"}, judge_csv},
                              split = {{"export", "-f", "csv", "--split", "%F"}, NULL};
    char name[400], prefix[380], first[400];
    struct outcome outcome;
    struct caught file;
    size_t at = 0;
    snprintf(prefix, sizeof prefix, "%s.out", texts->file);
    snprintf(name, sizeof name, "%s.csv", prefix);
    snprintf(first, sizeof first, "%s.0.csv", prefix);
    try(&whole, texts, &outcome);
    bool is_missing = write_file(&split, texts, name, NULL) < 2 && outcome.status < 2 &&
                      count_lines(text_of(&outcome.out)) > 1; /* a header alone is no table */
    while (output_next(prefix, name, sizeof name)) {
        CHECK(output_take(name, &file));
        demand(split.arguments, name, text_of(&file), judge_csv(text_of(&file), &at), at);
        if (strcmp(name, first) == 0 && outcome.status < 2 && !is_equal(&file, &outcome.out))
            demand(split.arguments, name, text_of(&file), "a file unlike --stream 0", 0);
        is_missing = is_missing && strcmp(name, first) != 0;
        free(file.text);
    }
    demand(split.arguments, "--stream 0", text_of(&outcome.out), is_missing ? "no file of it with --split" : NULL, 0);
    outcome_free(&outcome);
}

/* ---- standard input ---- */

/* As many records as from the file, where none is guessed from what comes later. */
static void compare_input(const struct texts *texts)
{
    static const struct trial trials[] = {{{"export", "-f", "ndjson", "--no-guess", "%F"}, json_lines},
                                          {{"export", "-f", "ndjson", "--no-guess", "-"}, json_lines},
                                          {{"export", "-f", "csv", "--stream", "0", "-"}, judge_csv},
                                          {{"info", "--json", "-"}, one_json},
                                          {{"diagnose", "-"}, judge_shown}};
    struct outcome outcomes[2], outcome;
    command_standard_input(texts->file);
    for (size_t i = 0; i < 2; i++)
        try(&trials[i], texts, &outcomes[i]);
    struct span piped = text_of(&outcomes[1].out);
    if (count_lines(text_of(&outcomes[0].out)) != count_lines(piped))
        demand(trials[1].arguments, "standard input", piped, "more or fewer records than from the file", 0);
    for (size_t i = 0; i < 2; i++)
        outcome_free(&outcomes[i]);
    try(&trials[2 + texts->first % 3], texts, &outcome);
    outcome_free(&outcome);
}

static void go(unsigned group, const struct texts *texts)
{
    switch (group) {
    case 0:
        compare_formats(texts);
        break;
    case 1:
        go_through(summaries, sizeof summaries / sizeof *summaries, texts);
        break;
    case 2:
        go_through(single, sizeof single / sizeof *single, texts);
        break;
    case 3:
        go_through(exports, sizeof exports / sizeof *exports, texts);
        break;
    case 5:
        compare_file(&file_trials[texts->first % (sizeof file_trials / sizeof *file_trials)], texts);
        compare_split(texts);
        make_seeking(texts);
        break;
    case 6:
        compare_input(texts);
        break;
    default:
        go_through(asked, sizeof asked / sizeof *asked, texts);
        break;
    }
}

FUZZ_TARGET(program)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input), packet = input_byte(&input), text = input_byte(&input);
    struct texts texts = {.text = asked_texts[text % (sizeof asked_texts / sizeof *asked_texts)]};
    snprintf(texts.packet, sizeof texts.packet, "%u", packet);
    texts.with_threads = options / 10 % 4 == 0;
    texts.first = options / 40 + packet;
    struct scene scene;
    scene_begin(&scene);
    scene.capture.room = CAPTURE_MAX;
    if (options % 2 == 0)
        scene_play(&scene, input.at, input_left(&input));
    texts.file =
        options % 2 == 0 ? input_file(scene.capture.at, scene.capture.used) : input_file(input.at, input_left(&input));
    free_scene(&scene);
    go(options < FURTHER ? options / 2 % 5 : 5 + options / 2 % 2, &texts);
    return 0;
}
