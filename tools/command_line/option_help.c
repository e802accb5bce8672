/* The help of a command, from its options. */
#include <stdio.h>
#include <string.h>

#include "base/terminal/fold.h"
#include "options.h"

#define OPTION_LIST_MAX 1600
#define HELP_WIDE 60 /* columns from which an option and its meaning stand side by side */

/* A command that reads robots only need not say so with each option. */
const char *options_help_of(const struct option_usage *usage, const struct option_row *row, char text[OPTION_TEXT_MAX])
{
    static const char lead[] = "robot only: ";
    if (row->describe) {
        char list[OPTION_TEXT_MAX];
        const char *hole = strchr(row->help, '{'), *rest = strchr(row->help, '}');
        row->describe(list);
        snprintf(text, OPTION_TEXT_MAX, "%.*s%.*s%s", (int)(hole - row->help), row->help, OPTION_LIST_MAX, list,
                 rest + 1);
        return text;
    }
    return usage->groups & READS_ONLY_ROBOTS && strncmp(row->help, lead, strlen(lead)) == 0 ? row->help + strlen(lead)
                                                                                            : row->help;
}

/* --threads is taken everywhere, and has an effect where captures are read. */
bool options_is_offered(const struct option_usage *usage, const struct option_row *row)
{
    return !row->name || strcmp(row->name, "threads") != 0 || usage->groups & READS_CAPTURES;
}

static void show_row(const struct option_usage *usage, const struct option_row *row)
{
    char left[64] = "  ", text[OPTION_TEXT_MAX];
    size_t length = 2;
    if (row->letter != 0)
        length += (size_t)snprintf(left + length, sizeof left - length, "-%c%s", row->letter, row->name ? ", " : "");
    if (row->name)
        length += (size_t)snprintf(left + length, sizeof left - length, "--%s", row->name);
    if (option_may_lack_value(row))
        length += (size_t)snprintf(left + length, sizeof left - length, "[=%s", row->value + 1);
    else if (row->value)
        length += (size_t)snprintf(left + length, sizeof left - length, " %s", row->value);
    bool is_narrow = text_columns(stdout) < HELP_WIDE, goes_on = length <= 26 && !is_narrow;
    fputs(left, stdout);
    if (!goes_on)
        putc('\n', stdout);
    struct text_wrap wrap = text_wrap_begin(stdout, goes_on ? (int)length : 0, is_narrow ? 6 : 28);
    text_wrap_words(&wrap, options_help_of(usage, row, text));
    text_wrap_end(&wrap);
}

static void show_paragraph(const char *text)
{
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 0);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

void options_show_help(const struct option_usage *usage)
{
    const struct option_row *row;
    text_line(stdout, 7, "Usage: armtap %s [OPTIONS]%s%s", usage->command, *usage->arguments == '\0' ? "" : " ",
              usage->arguments);
    putchar('\n');
    show_paragraph(usage->summary);
    if ((usage->groups & (READS_CAPTURES | READS_LIVE)) == READS_CAPTURES)
        show_paragraph("A CAPTURE is a pcap or pcapng file (packed by gzip, zstd, xz, lz4 or bzip2 is fine), or a raw "
                       "dump of one direction of a stream. "
                       "Several files are one capture.");
    else if (usage->groups & READS_CAPTURES)
        show_paragraph("A CAPTURE is a pcap or pcapng file (packed by gzip, zstd, xz, lz4 or bzip2 is fine), a raw "
                       "dump of one direction of a stream, or "
                       "- for standard input. Several files are one capture.");
    if (usage->groups & READS_CAPTURES && strstr(usage->arguments, "ROBOT"))
        show_paragraph("A ROBOT is " ROBOT_URLS ", with :PORT if it is not UR's own. It is read live, "
                       "until Ctrl-C. By default armtap requests the 36 RTDE fields of a 1220-byte realtime packet.");
    text_heading(stdout, 2, "\nOptions:");
    for (size_t i = 0; (row = options_row_at(usage, i)); i++)
        if (options_is_offered(usage, row))
            show_row(usage, row);
    text_heading(stdout, 2, "\nExample:");
    text_commands(stdout, usage->examples);
    text_line(stdout, 2, "\nMore: armtap help %s", usage->command);
}
