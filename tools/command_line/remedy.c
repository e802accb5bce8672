#include "shared_text.h"

#include <stdio.h>
#include <string.h>

void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup)
{
    if (offers->count < sizeof offers->places / sizeof *offers->places && armtap_recipe_count(setup->accepted) > 0)
        offers->places[offers->count++] = setup->where;
}

/* Whether `recipe --accepted` prints something for the reply there. */
static bool is_offered_at(const struct remedy_offers *offers, const struct armtap_where *where)
{
    for (size_t i = 0; where && i < offers->count; i++)
        if (offers->places[i].file == where->file && offers->places[i].packet == where->packet)
            return true;
    return false;
}

#define LINE_MAX_LENGTH 300

/* Takes the next line of several; false after the last. */
static bool next_line(char line[LINE_MAX_LENGTH], const char **from)
{
    size_t length = strcspn(*from, "\n");
    bool is_there = **from != '\0';
    snprintf(line, LINE_MAX_LENGTH, "%.*s", (int)length, *from);
    *from += length + ((*from)[length] == '\n');
    return is_there;
}

static bool is_known(const struct remedy_offers *offers, const char *command, const struct replay_source *source,
                     const struct shell_subject *subject)
{
    return shell_is_known(command, source, subject) &&
           (!strstr(command, "--accepted") || is_offered_at(offers, subject->where));
}

bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct replay_source *source, const struct shell_subject *subject)
{
    char command[LINE_MAX_LENGTH];
    const char *rest = kind->command;
    while (next_line(command, &rest))
        if (is_known(offers, command, source, subject))
            return true;
    return false;
}

void remedy_whole(char to[REMEDY_MAX], const struct armtap_note_kind *kind)
{
    char offer[LINE_MAX_LENGTH], command[LINE_MAX_LENGTH];
    const char *offers = kind->offer, *commands = kind->command;
    armtap_remedy_say(to, kind, NULL);
    while (next_line(offer, &offers) && next_line(command, &commands)) {
        size_t length = strlen(to);
        snprintf(to + length, REMEDY_MAX - length, "%s%s, run: %s", length > 0 ? "; " : "", offer, command);
    }
}

/* How the command is to be run. */
static const char *run_text(const struct replay_source *source, bool is_whole)
{
    return is_whole                 ? "run:"
           : shell_can_name(source) ? "run, with FILE replaced by the names of all captures:"
                                    : "run, with this input saved as FILE:";
}

void remedy_add(struct remedy *remedy, const char *offer, const char *command, const struct replay_source *source,
                const struct shell_subject *subject)
{
    struct remedy_step *step = &remedy->steps[remedy->count];
    if (remedy->count == sizeof remedy->steps / sizeof *remedy->steps)
        return;
    bool is_whole = shell_command(step->command, command, source, subject);
    size_t length = strlen(step->advice);
    snprintf(step->advice + length, sizeof step->advice - length, "%s%s, %s", length > 0 ? "; " : "", offer,
             run_text(source, is_whole));
    remedy->count++;
}

/* UR's error codes have their own. */
static void advise_on_code(char advice[REMEDY_MAX], const struct armtap_arguments *arguments)
{
    const struct armtap_argument *code = armtap_argument_find(arguments, "code");
    const struct armtap_robot_error *error = NULL;
    size_t length = strlen(advice);
    if (code && armtap_argument_find(arguments, "argument"))
        error = armtap_robot_error_find(code->value.integer);
    if (error)
        snprintf(advice + length, REMEDY_MAX - length, "%s%s", length > 0 && *error->advice != '\0' ? "; " : "",
                 error->advice);
}

void remedy_find(struct remedy *remedy, const struct armtap_note_kind *kind, const struct replay_source *source,
                 const struct remedy_offers *offers, const struct shell_subject *subject)
{
    char offer[LINE_MAX_LENGTH], command[LINE_MAX_LENGTH];
    const char *of_kind = kind->offer, *commands = kind->command;
    *remedy = (struct remedy){.count = 0};
    armtap_remedy_say(remedy->steps[0].advice, kind, subject->arguments);
    advise_on_code(remedy->steps[0].advice, subject->arguments);
    while (next_line(offer, &of_kind) && next_line(command, &commands))
        if (is_known(offers, command, source, subject))
            remedy_add(remedy, offer, command, source, subject);
    remedy->count += remedy->count == 0;
}

void remedy_print(struct text_wrap *wrap, const struct remedy *remedy)
{
    int indent = wrap->indent;
    for (size_t i = 0; i < remedy->count; i++) {
        if (i > 0)
            *wrap = text_wrap_begin(stdout, 0, indent);
        text_wrap_words(wrap, remedy->steps[i].advice);
        if (remedy->steps[i].command[0]) {
            text_wrap_end(wrap);
            wrap->indent = indent + 2;
            text_wrap_command(wrap, remedy->steps[i].command);
        }
        text_wrap_end(wrap);
    }
}
