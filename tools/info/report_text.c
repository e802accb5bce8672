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
#include "analysis/inside.h"

#define CELL_MAX 72
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

static void fill_row(struct table_row *row, const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    text_count(row->cell[COLUMN_NUMBER], summary->number);
    write_text(row->cell[COLUMN_ROBOT], stream->robot[0] == '\0' ? "-" : stream->robot);
    write_text(row->cell[COLUMN_CLIENT], stream->client[0] == '\0' ? "-" : stream->client);
    write_protocol(row->cell[COLUMN_PROTOCOL], stream);
    text_count(row->cell[COLUMN_RECORDS], stream->records[ARMTAP_FROM_ROBOT]);
    write_rate(row->cell[COLUMN_RATE], info_rate(summary));
    write_duration(row->cell[COLUMN_DURATION], info_duration(summary));
    text_count(row->cell[COLUMN_GAPS], stream->gaps);
}

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

static void print_streams(const struct info *info)
{
    struct table_row row;
    struct layout layout = {.between = 2};
    int total = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        layout.width[i] = (int)strlen(columns[i].title);
    for (size_t k = 0; k < armtap_streams_count(info->streams); k++) {
        fill_row(&row, armtap_streams_at(info->streams, k));
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
    for (size_t k = 0; k < armtap_streams_count(info->streams); k++) {
        fill_row(&row, armtap_streams_at(info->streams, k));
        print_row(&row, &layout, &line);
    }
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

static void write_fields(const struct armtap_recipe *recipe, FILE *file, int width)
{
    size_t count = armtap_recipe_count(recipe);
    int column = fprintf(file, "  %zu field%s:", count, count == 1 ? "" : "s");
    print_names(recipe, (struct text_wrap){.file = file, .column = column, .indent = 4, .columns = width});
}

/* What is the same for all streams, or for many: thousands of them may follow one another. */
struct page {
    int room;                    /* what text_room() says */
    int columns;                 /* what text_columns() says */
    const char *heading, *plain; /* switch the colour of headings on and off */
    const struct armtap_recipe *recipe;
    char *fields; /* the text about that recipe's fields, or NULL */
    size_t fields_length;
};

static struct page page_begin(void)
{
    return (struct page){.room = text_room(stdout),
                         .columns = text_columns(stdout),
                         .heading = text_paint(stdout, PAINT_HEADING),
                         .plain = text_plain(stdout)};
}

/* Without memory the page has no text. */
static void make_fields(struct page *page, const struct armtap_recipe *recipe)
{
    free(page->fields);
    page->fields = NULL;
    page->recipe = recipe;
    FILE *file = open_memstream(&page->fields, &page->fields_length);
    if (!file)
        return;
    write_fields(recipe, file, page->columns);
    bool is_whole = !ferror(file);
    if (fclose(file) == 0 && is_whole)
        return;
    free(page->fields);
    page->fields = NULL;
}

static void print_fields(struct page *page, const struct armtap_recipe *recipe)
{
    if (page->recipe != recipe)
        make_fields(page, recipe);
    if (page->fields)
        fwrite(page->fields, 1, page->fields_length, stdout);
    else
        write_fields(recipe, stdout, page->columns);
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
             "  %zu of %zu names rest on their place in the recipe, since their values may be another field's:",
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
        printf("  and %" PRIu64 " more channel set-ups\n", summary->channels_left_out);
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
        return ", the rest of a connection that armtap gave up";
    return summary->stream->forgotten ? ", its beginning was not captured, or was discarded"
                                      : ", its beginning was not captured";
}

static void print_title(const struct page *page, const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    bool has_size = armtap_stream_has(stream, ARMTAP_TRAIT_UR_COLUMNS), has_version = stream->version != 0;
    char number[CELL_MAX], version[CELL_MAX] = "";
    text_count(number, summary->number);
    if (has_version)
        text_integer(version, stream->version);
    const char *controller = model_controller(stream->generation, stream->controller_version);
    const char *const texts[] = {"\n",
                                 page->heading,
                                 "stream ",
                                 number,
                                 page->plain,
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

static void print_times(const struct page *page, const struct armtap_stream_summary *summary, enum timestamp_zone zone)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    enum armtap_direction direction = info_direction(summary);
    if (summary->first_time[direction] == ARMTAP_NO_TIME)
        return;
    timestamp_date(first, summary->first_time[direction], zone);
    timestamp_date(last, summary->last[direction].time, zone);
    text_line_of(stdout, page->room, 4, (const char *const[]){"  from ", first, " to ", last, NULL});
}

/* The models whose geometry explains the poses. */
static void print_model(const struct armtap_stream_summary *summary)
{
    struct armtap_kinematics_result result = model_of_stream(summary);
    char names[MODEL_NAMES_MAX], residual[60];
    if (result.outcome != ARMTAP_KINEMATICS_MODEL)
        return;
    struct text_wrap wrap = text_lead(stdout, 4, "  poses follow from the joints as on a");
    text_wrap_words(&wrap, model_names(names, &result));
    snprintf(residual, sizeof residual, "(to %.2f mm)", result.residual * 1000);
    text_wrap_words(&wrap, residual);
    text_wrap_end(&wrap);
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

static void print_stream(const struct info *info, struct page *page, const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    print_title(page, summary);
    print_times(page, summary, info->options.zone);
    if (summary->replaced > 0)
        text_line(stdout, 4, "  set-ups changed the fields %" PRIu64 " %s; the last were:", summary->replaced,
                  summary->replaced == 1 ? "time" : "times");
    if (summary->recipe && armtap_stream_has(stream, ARMTAP_TRAIT_UR_COLUMNS))
        print_columns(page, summary->recipe);
    else if (summary->channel_count > 0)
        print_channels(summary);
    else if (summary->recipe)
        print_fields(page, summary->recipe);
    if (summary->guess)
        print_guess(summary);
    if (summary->candidate_count > 0)
        print_candidates(info, summary);
    print_model(summary);
    char to_robot[CELL_MAX];
    text_count(to_robot, stream->records[ARMTAP_TO_ROBOT]);
    text_line_of(stdout, page->room, 4, (const char *const[]){"  records to the robot: ", to_robot, NULL});
    if (info_both(stream->bytes_lost) + info_both(stream->bytes_skipped) > 0)
        text_line(stdout, 4, "  bytes: %" PRIu64 " decoded, %" PRIu64 " missing in the capture, %" PRIu64 " skipped",
                  info_both(stream->bytes_decoded), info_both(stream->bytes_lost), info_both(stream->bytes_skipped));
    const uint64_t *of_all = armtap_streams_note_counts(info->streams);
    for (size_t i = 0, count = armtap_note_count(); i < count; i++)
        if (of_all[i] > 0 && armtap_streams_notes_of(summary, i) > 0)
            printf("  %s: %" PRIu64 "\n", armtap_note_at(i)->id, armtap_streams_notes_of(summary, i));
}

static void print_each(const struct info *info)
{
    struct page page = page_begin();
    for (size_t i = 0; i < armtap_streams_count(info->streams); i++)
        print_stream(info, &page, armtap_streams_at(info->streams, i));
    free(page.fields);
}

static void print_rest(const struct armtap_streams_rest *rest)
{
    if (rest->count > 0)
        text_line(stdout, 2,
                  "\n%" PRIu64 " more streams: %" PRIu64 " records, %" PRIu64 " to the robot, %" PRIu64
                  " gaps; bytes: %" PRIu64 " decoded, %" PRIu64 " missing in the capture, %" PRIu64 " skipped",
                  rest->count, rest->records[ARMTAP_FROM_ROBOT], rest->records[ARMTAP_TO_ROBOT], rest->gaps,
                  rest->bytes_decoded, rest->bytes_lost, rest->bytes_skipped);
}

static void print_recipes_left_out(uint64_t count)
{
    if (count > 0)
        text_line(stdout, 2, "\nand the fields of %" PRIu64 " more set-ups: too many to list", count);
}

static void print_line(const char *text)
{
    struct text_wrap wrap = text_wrap_begin(stdout, printf(" "), 4);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

static void print_attempts(const struct armtap_attempts *attempts, enum timestamp_zone zone)
{
    const struct armtap_attempt *summary;
    struct armtap_attempt_open open;
    char text[ARMTAP_ATTEMPT_TEXT_MAX];
    for (size_t i = 0; (summary = armtap_attempts_at(attempts, i)); i++) {
        if (i == 0)
            text_heading(stdout, 2, "\nattempts to connect that failed");
        armtap_attempt_text(text, attempts, summary, timestamp_zone(zone));
        print_line(text);
    }
    for (size_t i = 0; armtap_attempts_open_at(attempts, i, &open); i++) {
        if (i == 0)
            text_heading(stdout, 2, "\nattempts to connect at the capture's end");
        armtap_attempt_open_text(text, &open, timestamp_zone(zone));
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
        text_line(stdout, 4, "  %s port %u, %s: %" PRIu64 " packet%s, %s", port->robot, (unsigned)port->port,
                  port->name, port->packets, port->packets == 1 ? "" : "s", size);
    }
}

/* The text of the first note of a kind, and its place in the capture. */
static void print_example(const struct info *info, const struct example *example)
{
    char packet[40];
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 11);
    if (example->text[0] == '\0')
        return;
    snprintf(packet, sizeof packet, "first in packet %" PRIu64, example->where.packet);
    text_wrap_words(&wrap, example->where.packet == 0 ? "first" : packet);
    if (info->options.source.count > 1 && example->where.file < info->options.source.count) {
        text_wrap_word(&wrap, "of");
        text_wrap_word(&wrap, reader_name(info->options.source.names[example->where.file]));
    }
    text_wrap_word(&wrap, "-");
    text_wrap_words(&wrap, example->text);
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
    text_wrap_words(&wrap, "to do:");
    remedy_print(&wrap, &remedy);
}

void info_print_text(const struct info *info)
{
    bool begun = false;
    printf("%" PRIu64 " packets, %" PRIu64 " bytes captured\n\n", info->totals.packets, info->totals.bytes);
    if (armtap_streams_count(info->streams) > 0)
        print_streams(info);
    else
        puts("no telemetry");
    print_each(info);
    print_rest(armtap_streams_rest(info->streams));
    print_recipes_left_out(armtap_streams_recipes_left_out(info->streams));
    print_attempts(armtap_streams_attempts(info->streams), info->options.zone);
    print_ports(info);
    comments_print(&info->comments, &info->options.source, info->options.zone);
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            if (armtap_streams_note_counts(info->streams)[i] == 0 || (int)armtap_note_at(i)->severity != severity)
                continue;
            if (!begun)
                text_heading(stdout, 2, "\nnotes");
            begun = true;
            print_note(info, i);
        }
}
