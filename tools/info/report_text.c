/* armtap info: tables */
#define _POSIX_C_SOURCE 200809L
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line/shared_text.h"
#include "base/terminal/fold.h"
#include "base/numbers/number_text.h"
#include "base/terminal/word_wrap.h"
#include "base/numbers/timestamp.h"
#include "input/files/file_reader.h"
#include "input/shell_command.h"
#include "input/stream_kinds.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

#define CELL_MAX STREAM_GROUP_MAX
enum column {
    COLUMN_NUMBER,
    COLUMN_ROBOT,
    COLUMN_CLIENT,
    COLUMN_PROTOCOL,
    COLUMN_RECORDS,
    COLUMN_RATE,
    COLUMN_DURATION,
    COLUMN_GAPS,
    COLUMN_COUNT
};
static const struct {
    const char *title;
    bool to_the_left;
} columns[COLUMN_COUNT] = {{"#", false},       {"robot", true}, {"client", true},    {"protocol", true},
                           {"records", false}, {"Hz", false},   {"duration", false}, {"gaps", false}};

struct table_row {
    char cell[COLUMN_COUNT][CELL_MAX];
};

/* A capture may have thousands of streams, and printf takes longer than all else about a row. */
static void write_text(char cell[CELL_MAX], const char *text)
{
    size_t length = strnlen(text, CELL_MAX - 1);
    memcpy(cell, text, length);
    cell[length] = '\0';
}

/* "12.345 s" */
static void write_seconds(char cell[CELL_MAX], unsigned ms)
{
    size_t length = number_unsigned(ms / 1000, cell);
    cell[length++] = '.';
    for (unsigned digit = 100; digit > 0; digit /= 10)
        cell[length++] = (char)('0' + ms / digit % 10);
    memcpy(cell + length, " s", sizeof " s");
}

static void write_duration(char cell[CELL_MAX], int64_t ns)
{
    int64_t ms = (ns + 500000) / 1000000, seconds = ms / 1000;
    if (ns == ARMTAP_NO_TIME)
        write_text(cell, "-");
    else if (seconds < 60)
        write_seconds(cell, (unsigned)ms);
    else
        snprintf(cell, CELL_MAX, "%" PRId64 ":%02d:%02d", seconds / 3600, (int)(seconds / 60 % 60),
                 (int)(seconds % 60));
}

/* "rtde 2" */
static void write_protocol(char cell[CELL_MAX], const struct armtap_stream *stream)
{
    write_text(cell, armtap_protocol_name(stream->protocol));
    if (stream->version == 0)
        return;
    size_t length = strlen(cell);
    cell[length++] = ' ';
    cell[length + number_signed(stream->version, cell + length)] = '\0';
}

/* Hz, with one decimal. */
static void write_rate(char cell[CELL_MAX], int64_t rate)
{
    if (rate < 0) {
        write_text(cell, "-");
        return;
    }
    uint64_t tenths = ((uint64_t)rate + 50000) / 100000;
    size_t length = number_unsigned(tenths / 10, cell);
    cell[length++] = '.';
    cell[length++] = (char)('0' + tenths % 10);
    cell[length] = '\0';
}

/* ---- streams alike ------------------------------------------------------------------------------------------------
 */

/* What is so of more than one in so many streams tells none of them from the others. */
#define EXTREMES_APART 4
/* Records from which a rate is one that a robot sends at. */
#define RATE_RECORDS 10

static uint64_t mark_of_channels(const struct armtap_stream_summary *summary)
{
    uint64_t mark = summary->channel_count;
    for (size_t i = 0; i < summary->channel_count; i++) {
        const struct armtap_stream_channel *channel = &summary->channels[i];
        mark = stream_mark_add(mark, (uintptr_t)channel->recipe);
        mark = stream_mark_add(mark, (uint64_t)channel->id << 1 | (channel->direction == ARMTAP_TO_ROBOT));
        mark = stream_mark_add(mark, (uint64_t)(channel->frequency * 1000));
    }
    for (size_t i = 0; i < summary->candidate_count; i++)
        mark = stream_mark_add(mark, (uintptr_t)summary->candidates[i]);
    return stream_mark_add(mark, summary->guess ? (uintptr_t)summary->guess->source : 0);
}

static void measure_stream(const void *user, struct stream_member *member)
{
    const struct armtap_stream_summary *summary = member->summary;
    const struct armtap_stream *stream = summary->stream;
    int64_t duration = info_duration(summary);
    (void)user;
    member->rate = summary->steps < RATE_RECORDS ? 0 : (double)info_rate(summary) / 1e6;
    member->duration = duration == ARMTAP_NO_TIME ? 0 : (double)duration / 1e9;
    member->mark = stream_mark_add(mark_of_channels(summary),
                                   (unsigned)((stream->records[ARMTAP_FROM_ROBOT] > 0) |
                                              (stream->records[ARMTAP_TO_ROBOT] > 0) << 1 | (stream->gaps > 0) << 2 |
                                              (info_both(stream->bytes_lost) > 0) << 3 |
                                              (info_both(stream->bytes_skipped) > 0) << 4 |
                                              (summary->replaced > 0) << 5 | (duration == ARMTAP_NO_TIME) << 6));
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (armtap_note_at(i)->severity >= ARMTAP_WARNING && armtap_streams_notes_of(summary, i) > 0)
            member->mark = stream_mark_add(member->mark, i);
}

/* So many records, how many streams have them, and which one does. */
struct extreme {
    uint64_t records;
    size_t streams;
    uint32_t number;
};

/* What the streams of a group, of which there may be one, have together. */
struct sum {
    const struct armtap_stream_summary *any; /* one of them */
    size_t count;
    uint64_t records[2];
    struct extreme least, most; /* from the robot, of one stream */
    uint64_t gaps, decoded, lost, skipped, replaced;
    int64_t shortest, longest, slowest, fastest; /* ns; millionths of Hz */
    int64_t first, last;
};

static void add_rate(struct sum *sum, int64_t rate)
{
    sum->slowest = rate >= 0 && (sum->slowest < 0 || rate < sum->slowest) ? rate : sum->slowest;
    sum->fastest = rate > sum->fastest ? rate : sum->fastest;
}

static void add_times(struct sum *sum, const struct armtap_stream_summary *summary)
{
    enum armtap_direction direction = info_direction(summary);
    int64_t duration = info_duration(summary), first = summary->first_time[direction];
    if (duration != ARMTAP_NO_TIME) {
        sum->shortest = sum->shortest == ARMTAP_NO_TIME || duration < sum->shortest ? duration : sum->shortest;
        sum->longest = sum->longest == ARMTAP_NO_TIME || duration > sum->longest ? duration : sum->longest;
    }
    if (first == ARMTAP_NO_TIME)
        return;
    bool is_earlier = sum->first == ARMTAP_NO_TIME || first < sum->first;
    sum->first = is_earlier ? first : sum->first;
    sum->last = is_earlier && sum->count == 0               ? summary->last[direction].time
                : summary->last[direction].time > sum->last ? summary->last[direction].time
                                                            : sum->last;
}

static void add_extreme(struct extreme *extreme, const struct armtap_stream_summary *summary, bool is_beyond)
{
    uint64_t records = summary->stream->records[ARMTAP_FROM_ROBOT];
    if (extreme->streams == 0 || is_beyond)
        *extreme = (struct extreme){records, 1, summary->number};
    else if (records == extreme->records)
        extreme->streams++;
}

static void add_stream(struct sum *sum, const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    uint64_t records = stream->records[ARMTAP_FROM_ROBOT];
    add_rate(sum, info_rate(summary));
    add_times(sum, summary);
    add_extreme(&sum->least, summary, records < sum->least.records);
    add_extreme(&sum->most, summary, records > sum->most.records);
    sum->records[ARMTAP_FROM_ROBOT] += records;
    sum->records[ARMTAP_TO_ROBOT] += stream->records[ARMTAP_TO_ROBOT];
    sum->gaps += stream->gaps;
    sum->decoded += info_both(stream->bytes_decoded);
    sum->lost += info_both(stream->bytes_lost);
    sum->skipped += info_both(stream->bytes_skipped);
    sum->replaced += summary->replaced;
    sum->count++;
}

static struct sum sum_of(const struct stream_kinds *kinds, const struct stream_group *group)
{
    struct sum sum = {.any = kinds->members[group->from].summary,
                      .shortest = ARMTAP_NO_TIME,
                      .longest = ARMTAP_NO_TIME,
                      .slowest = -1,
                      .fastest = -1,
                      .first = ARMTAP_NO_TIME,
                      .last = ARMTAP_NO_TIME};
    for (size_t i = 0; i < group->count; i++)
        add_stream(&sum, kinds->members[group->from + i].summary);
    return sum;
}

/* "0.152-0.240 s", or one of both if they look the same: a unit they share stands once. */
static void write_range(char cell[CELL_MAX], const char *least, const char *most)
{
    size_t number = strcspn(least, " ");
    bool is_shared = strcmp(least + number, most + strcspn(most, " ")) == 0;
    if (strcmp(least, most) == 0)
        write_text(cell, most);
    else
        snprintf(cell, CELL_MAX, "%.*s-%.30s", is_shared ? (int)number : 30, least, most);
}

static void fill_row(struct table_row *row, const struct stream_kinds *kinds, const struct stream_group *group,
                     const struct labels *labels)
{
    struct sum sum = sum_of(kinds, group);
    const struct armtap_stream *stream = sum.any->stream;
    char least[CELL_MAX], most[CELL_MAX];
    stream_group_numbers(row->cell[COLUMN_NUMBER], group);
    write_text(row->cell[COLUMN_ROBOT], stream->robot[0] == '\0' ? "-" : labels_name(labels, stream->robot));
    stream_group_client(row->cell[COLUMN_CLIENT], kinds, group, labels_name(labels, stream->client));
    write_protocol(row->cell[COLUMN_PROTOCOL], stream);
    text_count(row->cell[COLUMN_RECORDS], sum.records[ARMTAP_FROM_ROBOT]);
    write_rate(least, sum.slowest);
    write_rate(most, sum.fastest);
    write_range(row->cell[COLUMN_RATE], least, most);
    write_duration(least, sum.shortest);
    write_duration(most, sum.longest);
    write_range(row->cell[COLUMN_DURATION], least, most);
    text_count(row->cell[COLUMN_GAPS], sum.gaps);
}

/* ---- the table of streams -----------------------------------------------------------------------------------------
 */

/* How rows fit the terminal: wide, narrow, or with the addresses on a separate line. */
struct layout {
    int width[COLUMN_COUNT];
    int between;
    bool two_lines;
};

static void print_row(const struct table_row *row, const struct layout *layout, struct text_row *line)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        text_row_cell(line, columns[i].to_the_left ? -layout->width[i] : layout->width[i], row->cell[i]);
        if (layout->two_lines && i == COLUMN_CLIENT)
            text_row_break(line);
    }
    text_row_end(line);
}

/* How to see each of the streams that have a line together. */
static void print_alike(const struct info *info, const struct stream_kinds *kinds)
{
    char command[SHELL_MAX];
    if (kinds->row_count == armtap_streams_count(info->streams))
        return;
    struct text_wrap wrap =
        text_lead(stdout, 2, "\n(N): one line for N similar streams, with the sums of their records and gaps.");
    text_wrap_words(&wrap, "To see each:");
    shell_command(command, "armtap info --json FILE", &info->options.source, NULL);
    text_wrap_command(&wrap, command);
    text_wrap_end(&wrap);
}

static void print_streams(const struct info *info, const struct stream_kinds *kinds)
{
    struct table_row row;
    struct layout layout = {.between = 2};
    int total = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        layout.width[i] = (int)strlen(columns[i].title);
    for (size_t k = 0; k < kinds->row_count; k++) {
        fill_row(&row, kinds, &kinds->rows[k], info->options.source.labels);
        for (int i = 0; i < COLUMN_COUNT; i++)
            if ((int)strlen(row.cell[i]) > layout.width[i])
                layout.width[i] = (int)strlen(row.cell[i]);
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        total += layout.width[i];
        snprintf(row.cell[i], CELL_MAX, "%s", columns[i].title);
    }
    int room = text_columns(stdout);
    layout.two_lines = total + COLUMN_COUNT - 1 > room;
    if (!layout.two_lines && total + 2 * (COLUMN_COUNT - 1) > room)
        layout.between = 1;
    struct text_row line = text_row_begin(stdout, layout.width[COLUMN_NUMBER] + layout.between, layout.between);
    line.paint = PAINT_HEADING;
    print_row(&row, &layout, &line);
    line.paint = PAINT_NONE;
    for (size_t k = 0; k < kinds->row_count; k++) {
        fill_row(&row, kinds, &kinds->rows[k], info->options.source.labels);
        print_row(&row, &layout, &line);
    }
    print_alike(info, kinds);
}

/* Continues the line with the names of a recipe; a numbered series as its first and last number. */
static void print_names(const struct armtap_recipe *recipe, struct text_wrap wrap)
{
    size_t count = armtap_recipe_count(recipe);
    char word[300];
    for (size_t i = 0, last; i < count; i = last + 1) {
        const char *name = armtap_recipe_at(recipe, i)->name;
        last = i;
        while (last + 1 < count &&
               text_name_follows(armtap_recipe_at(recipe, last)->name, armtap_recipe_at(recipe, last + 1)->name))
            last++;
        if (last > i)
            snprintf(word, sizeof word, "%s..%s", name, text_name_number(armtap_recipe_at(recipe, last)->name));
        text_wrap_word(&wrap, last > i ? word : name);
    }
    text_wrap_end(&wrap);
}

static void write_fields(const struct armtap_recipe *recipe, struct buffer *text, int width)
{
    char lead[40];
    size_t count = armtap_recipe_count(recipe);
    int column = snprintf(lead, sizeof lead, "  %zu field%s:", count, count == 1 ? "" : "s");
    if (text)
        buffer_string(text, lead);
    else
        fputs(lead, stdout);
    print_names(recipe,
                (struct text_wrap){.file = stdout, .text = text, .column = column, .indent = 4, .columns = width});
}

/* What is the same for all streams, or for many: thousands of them may follow one another. */
struct page {
    int room;                    /* what text_room() says */
    int columns;                 /* what text_columns() says */
    const char *heading, *plain; /* switch the colour of headings on and off */
    const struct armtap_recipe *recipe;
    struct buffer fields; /* the text about that recipe's fields */
};

static struct page page_begin(void)
{
    return (struct page){.room = text_room(stdout),
                         .columns = text_columns(stdout),
                         .heading = text_paint(stdout, PAINT_HEADING),
                         .plain = text_plain(stdout)};
}

static void print_fields(struct page *page, const struct armtap_recipe *recipe)
{
    if (page->recipe != recipe) {
        page->recipe = recipe;
        page->fields.length = 0;
        page->fields.failed = false;
        write_fields(recipe, &page->fields, page->columns);
    }
    if (page->fields.failed)
        write_fields(recipe, NULL, page->columns);
    else
        fwrite(page->fields.data, 1, page->fields.length, stdout);
}

/* Names that are supported only by their place in the recipe. */
static void print_by_position(const struct armtap_stream_summary *summary)
{
    char count[128];
    size_t names, by_position = armtap_streams_by_position(summary, &names);
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    if (by_position == 0)
        return;
    snprintf(count, sizeof count,
             "  %zu of %zu names rest only on their position in the recipe, since their values would also fit another "
             "field:",
             by_position, names);
    text_wrap_words(&wrap, count);
    for (size_t i = 0; i < armtap_recipe_count(summary->recipe); i++)
        if (armtap_streams_is_by_position(summary, armtap_recipe_at(summary->recipe, i)))
            text_wrap_word(&wrap, armtap_recipe_at(summary->recipe, i)->name);
    text_wrap_end(&wrap);
}

static void print_guess(const struct armtap_stream_summary *summary)
{
    const struct armtap_stream_guess *guess = summary->guess;
    char points[60] = "";
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    if (guess->needed > 0)
        snprintf(points, sizeof points, "; %u points, %u needed", guess->score, guess->needed);
    text_wrap_words(&wrap, "  these names are guessed from");
    text_wrap_words(&wrap, guess->source);
    text_wrap_words(&wrap, points);
    text_wrap_words(&wrap, guess->reasons[0] == '\0' ? "" : "because of what the data shows:");
    text_wrap_words(&wrap, guess->reasons);
    text_wrap_end(&wrap);
    print_by_position(summary);
}

/* A well-known recipe: its name for --recipe, its client and its fields. */
static void print_candidate(const struct armtap_known_recipe *known)
{
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 6);
    char words[200];
    snprintf(words, sizeof words, "@%s, %s:", known->name, known->client);
    text_wrap_words(&wrap, words);
    wrap.indent = 8;
    for (const char *name = known->fields, *end; *name != '\0'; name = end + strspn(end, ",")) {
        end = name + strcspn(name, ",");
        text_wrap_span(&wrap, name, (size_t)(end - name));
    }
    text_wrap_end(&wrap);
}

/* Recipes that may explain data without names; export does not use their names by itself. */
static void print_candidates(const struct info *info, const struct armtap_stream_summary *summary)
{
    char pattern[120], command[SHELL_MAX];
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    text_wrap_words(&wrap, summary->candidate_count == 1
                               ? "no names: a well-known recipe has this length; the data neither proves nor "
                                 "contradicts it:"
                               : "no names: well-known recipes have this length; the data proves or contradicts none "
                                 "of these:");
    text_wrap_end(&wrap);
    for (size_t i = 0; i < summary->candidate_count; i++)
        print_candidate(summary->candidates[i]);
    snprintf(pattern, sizeof pattern, "armtap export --recipe @%s FILE", summary->candidates[0]->name);
    if (shell_command(command, pattern, &info->options.source, NULL)) {
        wrap = text_lead(stdout, 6, "    if that is the client, run:");
        text_wrap_command(&wrap, command);
        text_wrap_end(&wrap);
    }
}

static void print_channels(const struct armtap_stream_summary *summary)
{
    bool arms[ARMTAP_ARMS_MAX + 1] = {false};
    unsigned arm_count = 0;
    for (size_t i = 0; i < summary->channel_count; i++) {
        const struct armtap_stream_channel *channel = &summary->channels[i];
        size_t count = armtap_recipe_count(channel->recipe);
        char rate[40] = "";
        if (channel->frequency > 0)
            snprintf(rate, sizeof rate, ", %g Hz", channel->frequency);
        struct text_wrap wrap =
            text_lead(stdout, 4, "  channel %d%s%s, %zu topic%s%s", channel->id,
                      channel->direction == ARMTAP_TO_ROBOT ? " to the robot" : "", rate, channel->topics,
                      channel->topics == 1 ? "" : "s", channel->recipe ? ":" : " that are not listed");
        if (!channel->recipe) {
            text_wrap_end(&wrap);
            continue;
        }
        print_names(channel->recipe, wrap);
        for (size_t k = 0; k < count; k++) {
            unsigned arm = armtap_recipe_at(channel->recipe, k)->arm;
            arm_count += arm > 0 && arm <= ARMTAP_ARMS_MAX && !arms[arm];
            arms[arm <= ARMTAP_ARMS_MAX ? arm : 0] = true;
        }
    }
    if (summary->channels_left_out > 0)
        printf("  and %" PRIu64 " more channel setups\n", summary->channels_left_out);
    for (unsigned arm = 1, shown = 0; arm <= ARMTAP_ARMS_MAX && arm_count > 1; arm++)
        if (arms[arm])
            printf("%sR%u", shown++ == 0 ? "  several arms: " : ", ", arm);
    if (arm_count > 1)
        putchar('\n');
}

static bool has_note(const struct armtap_stream_summary *summary, const char *id)
{
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (armtap_streams_notes_of(summary, i) > 0 && strcmp(armtap_note_at(i)->id, id) == 0)
            return true;
    return false;
}

/* The rest of a connection that armtap gave up has no note stream.midstream. */
static const char *beginning_of(const struct armtap_stream_summary *summary)
{
    if (!summary->stream->midstream)
        return "";
    if (!has_note(summary, "stream.midstream") && has_note(summary, "input.hostile"))
        return ", the rest of a connection that armtap dropped";
    return summary->stream->forgotten ? ", its beginning was not captured, or was discarded"
                                      : ", its beginning was not captured";
}

/* "stream 17", "streams 0-2999, 3000 alike", or "streams 0-2999, of which 2999 are alike" */
static void print_title(const struct page *page, const struct stream_group *group,
                        const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    bool has_size = armtap_stream_has(stream, ARMTAP_TRAIT_UR_COLUMNS), has_version = stream->version != 0;
    char numbers[STREAM_GROUP_MAX], version[CELL_MAX] = "", alike[CELL_MAX] = "";
    if (has_version)
        text_integer(version, stream->version);
    bool are_all = group->count == (size_t)group->last - group->first + 1;
    if (group->count > 1)
        snprintf(alike, sizeof alike, are_all ? ", %zu similar" : ", of which %zu are similar", group->count);
    const char *controller = model_controller(stream->generation, stream->controller_version);
    const char *const texts[] = {"\n",
                                 page->heading,
                                 group->count > 1 ? "streams " : "stream ",
                                 stream_group_numbers(numbers, group),
                                 page->plain,
                                 alike,
                                 ": ",
                                 armtap_protocol_name(stream->protocol),
                                 !has_version ? ""
                                 : has_size   ? ", packets of "
                                              : " protocol ",
                                 version,
                                 has_version && has_size ? " bytes" : "",
                                 stream->controller_version[0] == '\0' ? "" : ", controller ",
                                 stream->controller_version,
                                 *controller ? ", " : "",
                                 controller,
                                 beginning_of(summary),
                                 NULL};
    text_line_of(stdout, page->room, 2, texts);
}

static void print_times(const struct page *page, const struct sum *sum, enum timestamp_zone zone)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    if (sum->first == ARMTAP_NO_TIME)
        return;
    timestamp_date(first, sum->first, zone);
    timestamp_date(last, sum->last, zone);
    text_line_of(stdout, page->room, 4, (const char *const[]){"  from ", first, " to ", last, NULL});
}

/* "most in stream 200 and 1 more", unless that is so of many. */
static const char *write_extreme(char to[CELL_MAX], const char *amount, const struct extreme *extreme, size_t of)
{
    *to = '\0';
    if (extreme->streams * EXTREMES_APART > of)
        return to;
    int length = snprintf(to, CELL_MAX, "%s in stream %" PRIu32, amount, extreme->number);
    if (extreme->streams > 1)
        snprintf(to + length, CELL_MAX - (size_t)length, " and %zu more", extreme->streams - 1);
    return to;
}

/* What differs among streams alike. */
static void print_each_of(const struct stream_kinds *kinds, const struct stream_group *group, const struct sum *sum)
{
    char least[CELL_MAX], most[CELL_MAX], records[CELL_MAX], duration[CELL_MAX], of[CELL_MAX] = "";
    char fewest[CELL_MAX], greatest[CELL_MAX];
    size_t robots = stream_group_robots(kinds, group);
    if (group->count == 1)
        return;
    text_count(least, sum->least.records);
    text_count(most, sum->most.records);
    write_range(records, least, most);
    write_duration(least, sum->shortest);
    write_duration(most, sum->longest);
    write_range(duration, least, most);
    if (robots > 1)
        snprintf(of, sizeof of, ", at %zu robots' ports", robots);
    write_extreme(fewest, "fewest", &sum->least, group->count);
    write_extreme(greatest, "most", &sum->most, group->count);
    bool any = *fewest || *greatest;
    text_line(stdout, 4, "  each: %s record%s%s%s%s%s%s in %s%s", records, sum->most.records == 1 ? "" : "s",
              any ? " (" : "", fewest, *fewest && *greatest ? ", " : "", greatest, any ? ")" : "", duration, of);
}

/* Models of streams alike that are told apart. */
#define MODELS_TOLD 4

/* The models whose geometry explains the poses. */
static void print_model(const struct armtap_kinematics_result *result)
{
    char names[MODEL_NAMES_MAX], residual[60];
    struct text_wrap wrap = text_lead(stdout, 4, "  poses match the joint angles of a");
    text_wrap_words(&wrap, model_names(names, result));
    snprintf(residual, sizeof residual, "(to %.2f mm)", result->residual * 1000);
    text_wrap_words(&wrap, residual);
    text_wrap_end(&wrap);
}

static void print_models(const struct stream_kinds *kinds, const struct stream_group *group)
{
    const struct armtap_robot_model *told[MODELS_TOLD];
    size_t count = 0, at;
    for (size_t i = 0; i < group->count && count < MODELS_TOLD; i++) {
        struct armtap_kinematics_result result = model_of_stream(kinds->members[group->from + i].summary);
        if (result.outcome != ARMTAP_KINEMATICS_MODEL)
            continue;
        for (at = 0; at < count && told[at] != result.models[0];)
            at++;
        if (at < count)
            continue;
        told[count++] = result.models[0];
        print_model(&result);
    }
}

/* Of a packet of UR's realtime interface. */
static void print_columns(const struct page *page, const struct armtap_recipe *recipe)
{
    char fields[CELL_MAX], last[CELL_MAX];
    text_count(fields, armtap_recipe_count(recipe));
    text_count(last, armtap_recipe_size(recipe) / 8);
    const char *const texts[] = {"  ", fields, " fields: UR's gnuplot columns 1 to ", last, NULL};
    text_line_of(stdout, page->room, 4, texts);
}

static void print_recipe(const struct info *info, struct page *page, const struct armtap_stream_summary *summary)
{
    if (summary->recipe && armtap_stream_has(summary->stream, ARMTAP_TRAIT_UR_COLUMNS))
        print_columns(page, summary->recipe);
    else if (summary->channel_count > 0)
        print_channels(summary);
    else if (summary->recipe)
        print_fields(page, summary->recipe);
    if (summary->guess)
        print_guess(summary);
    if (summary->candidate_count > 0)
        print_candidates(info, summary);
}

static void print_notes_of(const struct info *info, const struct stream_kinds *kinds, const struct stream_group *group)
{
    const uint64_t *of_all = armtap_streams_note_counts(info->streams);
    for (size_t i = 0, count = armtap_note_count(); i < count; i++) {
        uint64_t notes = 0;
        for (size_t k = 0; of_all[i] > 0 && k < group->count; k++)
            notes += armtap_streams_notes_of(kinds->members[group->from + k].summary, i);
        if (notes > 0)
            printf("  %s: %" PRIu64 "\n", armtap_note_at(i)->id, notes);
    }
}

static void print_kind(const struct info *info, struct page *page, const struct stream_kinds *kinds,
                       const struct stream_group *group)
{
    struct sum sum = sum_of(kinds, group);
    print_title(page, group, sum.any);
    print_times(page, &sum, info->options.zone);
    print_each_of(kinds, group, &sum);
    if (sum.replaced > 0)
        text_line(stdout, 4, "  setups changed the fields %" PRIu64 " %s; the last were:", sum.replaced,
                  sum.replaced == 1 ? "time" : "times");
    print_recipe(info, page, sum.any);
    print_models(kinds, group);
    char to_robot[CELL_MAX];
    text_count(to_robot, sum.records[ARMTAP_TO_ROBOT]);
    text_line_of(stdout, page->room, 4, (const char *const[]){"  records to the robot: ", to_robot, NULL});
    if (sum.lost + sum.skipped > 0)
        text_line(stdout, 4,
                  "  bytes: %" PRIu64 " decoded, %" PRIu64 " missing from the capture, %" PRIu64 " not "
                  "decodable",
                  sum.decoded, sum.lost, sum.skipped);
    print_notes_of(info, kinds, group);
}

static void print_each(const struct info *info, const struct stream_kinds *kinds)
{
    struct page page = page_begin();
    for (size_t i = 0; i < kinds->kind_count; i++)
        print_kind(info, &page, kinds, &kinds->kinds[i]);
    free(page.fields.data);
}

static void print_rest(const struct armtap_streams_rest *rest)
{
    if (rest->count > 0)
        text_line(stdout, 2,
                  "\n%" PRIu64 " more streams: %" PRIu64 " records, %" PRIu64 " to the robot, %" PRIu64
                  " gaps; bytes: %" PRIu64 " decoded, %" PRIu64 " missing from the capture, %" PRIu64 " not decodable",
                  rest->count, rest->records[ARMTAP_FROM_ROBOT], rest->records[ARMTAP_TO_ROBOT], rest->gaps,
                  rest->bytes_decoded, rest->bytes_lost, rest->bytes_skipped);
}

static void print_recipes_left_out(uint64_t count)
{
    if (count > 0)
        text_line(stdout, 2, "\nand the fields of %" PRIu64 " more setups: too many to list", count);
}

static void print_line(const char *text)
{
    struct text_wrap wrap = text_wrap_begin(stdout, printf(" "), 4);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

/* Failed attempts alike but for whose and when they were. */
struct attempt_kind {
    size_t count;
    uint64_t last; /* packet */
    bool is_told;
};
#define ATTEMPT_KINDS (4 * (size_t)ARMTAP_ATTEMPT_OUTCOMES)

static size_t kind_of(const struct armtap_attempt *attempt)
{
    return ((size_t)attempt->outcome * 2 + (attempt->count > 1)) * 2 + attempt->has_connected;
}

static void count_kinds(const struct armtap_attempts *attempts, struct attempt_kind kinds[ATTEMPT_KINDS])
{
    const struct armtap_attempt *summary;
    for (size_t i = 0; (summary = armtap_attempts_at(attempts, i)); i++) {
        struct attempt_kind *kind = &kinds[kind_of(summary)];
        kind->count++;
        kind->last = summary->last.packet > kind->last ? summary->last.packet : kind->last;
    }
}

static void print_attempts(const struct armtap_attempts *attempts, enum timestamp_zone zone,
                           const struct labels *labels)
{
    const struct armtap_attempt *summary;
    struct armtap_attempt_open open;
    char text[ARMTAP_ATTEMPT_TEXT_MAX];
    struct attempt_kind kinds[ATTEMPT_KINDS] = {0};
    count_kinds(attempts, kinds);
    for (size_t i = 0; (summary = armtap_attempts_at(attempts, i)); i++) {
        struct attempt_kind *kind = &kinds[kind_of(summary)];
        bool are_many = kind->count > STREAM_KIND_FEW;
        if (i == 0)
            text_heading(stdout, 2, "\nfailed connection attempts");
        if (are_many && kind->is_told)
            continue;
        kind->is_told = true;
        armtap_attempt_text(text, attempts, summary, timestamp_zone(zone));
        labels_in_text(labels, text, sizeof text);
        print_line(text);
        if (!are_many)
            continue;
        snprintf(text, sizeof text,
                 "and %zu similar ones, of other robots or clients, or later, up to packet %" PRIu64 "; --json lists "
                 "them",
                 kind->count - 1, kind->last);
        print_line(text);
    }
    for (size_t i = 0; armtap_attempts_open_at(attempts, i, &open); i++) {
        if (i == 0)
            text_heading(stdout, 2, "\nconnection attempts at the capture's end");
        armtap_attempt_open_text(text, &open, timestamp_zone(zone));
        labels_in_text(labels, text, sizeof text);
        print_line(text);
    }
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++)
        if (armtap_attempts_left_out(attempts, (enum armtap_attempt_outcome)i) > 0)
            text_line(stdout, 4, "  %s: %" PRIu64 " more attempts, by other clients or to other robots",
                      armtap_attempt_id((enum armtap_attempt_outcome)i),
                      armtap_attempts_left_out(attempts, (enum armtap_attempt_outcome)i));
}

/* "950 bytes", "1.2 kB", "3.4 MB" */
static void write_size(char to[CELL_MAX], uint64_t bytes)
{
    if (bytes < 1000)
        snprintf(to, CELL_MAX, "%" PRIu64 " bytes", bytes);
    else
        snprintf(to, CELL_MAX, "%.1f %s", (double)bytes / (bytes < 1000000 ? 1e3 : 1e6), bytes < 1000000 ? "kB" : "MB");
}

static void print_ports(const struct info *info)
{
    for (size_t i = 0; i < info->port_count; i++) {
        const struct armtap_traffic *port = &info->ports[i];
        char size[CELL_MAX];
        write_size(size, port->bytes);
        if (i == 0)
            text_heading(stdout, 2, "\nnot decoded");
        text_line(stdout, 4, "  %s port %u, %s: %" PRIu64 " packet%s, %s",
                  labels_name(info->options.source.labels, port->robot), (unsigned)port->port, port->name,
                  port->packets, port->packets == 1 ? "" : "s", size);
    }
}

/* The text of the first note of a kind, and its place in the capture. */
static void print_example(const struct info *info, const struct example *example)
{
    char packet[40], text[sizeof example->text];
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 11);
    snprintf(text, sizeof text, "%s", example->text);
    labels_in_text(info->options.source.labels, text, sizeof text);
    if (example->text[0] == '\0')
        return;
    snprintf(packet, sizeof packet, "first in packet %" PRIu64, example->where.packet);
    text_wrap_words(&wrap, example->where.packet == 0 ? "first" : packet);
    if (info->options.source.count > 1 && example->where.file < info->options.source.count) {
        text_wrap_word(&wrap, "of");
        text_wrap_word(&wrap, reader_name(info->options.source.names[example->where.file]));
    }
    text_wrap_word(&wrap, "-");
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

static void print_note(const struct info *info, size_t index)
{
    const struct armtap_note_kind *kind = armtap_note_at(index);
    uint64_t count = armtap_streams_note_counts(info->streams)[index];
    text_line(stdout, 11, "  %s%-7s%s  %s, %" PRIu64 " time%s", text_colour(stdout, kind->severity),
              armtap_severity_name(kind->severity), text_plain(stdout), kind->id, count, count == 1 ? "" : "s");
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 11);
    text_wrap_words(&wrap, kind->meaning);
    text_wrap_end(&wrap);
    print_example(info, &info->examples[index]);
    struct remedy remedy;
    const struct shell_subject subject = {.where = &info->examples[index].where,
                                          .arguments = &info->examples[index].arguments,
                                          .stream = SHELL_NO_STREAM};
    remedy_find(&remedy, kind, &info->options.source, &info->offers, &subject);
    if (*remedy.steps[0].advice == '\0')
        return;
    wrap = text_wrap_begin(stdout, 0, 11);
    text_wrap_words(&wrap, "remedy:");
    remedy_print(&wrap, &remedy);
}

int info_print_text(const struct info *info)
{
    bool begun = false;
    struct stream_kinds kinds;
    if (!stream_kinds_find(&kinds, info->streams, measure_stream, NULL)) {
        stream_kinds_free(&kinds);
        return -1;
    }
    printf("%" PRIu64 " packets, %" PRIu64 " bytes captured\n\n", info->totals.packets, info->totals.bytes);
    if (armtap_streams_count(info->streams) > 0)
        print_streams(info, &kinds);
    else
        puts("no telemetry");
    print_each(info, &kinds);
    stream_kinds_free(&kinds);
    print_rest(armtap_streams_rest(info->streams));
    print_recipes_left_out(armtap_streams_recipes_left_out(info->streams));
    print_attempts(armtap_streams_attempts(info->streams), info->options.zone, info->options.source.labels);
    print_ports(info);
    comments_print(&info->comments, &info->options.source, info->options.zone);
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            if (armtap_streams_note_counts(info->streams)[i] == 0 || (int)armtap_note_at(i)->severity != severity)
                continue;
            if (!begun)
                text_heading(stdout, 2, "\nfindings");
            begun = true;
            print_note(info, i);
        }
    return 0;
}
