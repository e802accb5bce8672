#include "remedy.h"

#include <string.h>

#include "input/shell_command.h"

/* The words before a command in a remedy. */
static const char lead[] = "run: ";

void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup)
{
    if (offers->count < sizeof offers->places / sizeof *offers->places && armtap_recipe_count(setup->accepted) > 0)
        offers->places[offers->count++] = setup->where;
}

bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct armtap_where *where)
{
    const char *run = strstr(kind->remedy, lead);
    if (!run || (where->packet == 0 && strstr(run, "--packet N")))
        return false;
    if (!strstr(run, "--accepted"))
        return true;
    for (size_t i = 0; i < offers->count; i++)
        if (offers->places[i].file == where->file && offers->places[i].packet == where->packet)
            return true;
    return false;
}

/* Prints the advice before the command, if any. */
static void print_advice(struct text_wrap *wrap, const char *remedy, const char *command)
{
    const char *end = command;
    while (end > remedy && *end != ';')
        end--;
    text_wrap_span(wrap, remedy, (size_t)(end - remedy));
}

static void print_command(struct text_wrap *wrap, const char *remedy, const char *command,
                          const struct replay_source *source, const struct armtap_where *where)
{
    char line[SHELL_MAX];
    bool is_whole = shell_command(line, command, source, where);
    if (is_whole) {
        text_wrap_span(wrap, remedy, (size_t)(command - remedy));
    } else {
        text_wrap_span(wrap, remedy, (size_t)(command - remedy) - strlen(lead));
        text_wrap_words(wrap, shell_can_name(source) ? "run, with FILE replaced by the names of all captures:"
                                                     : "run, with this input saved as FILE:");
    }
    text_wrap_end(wrap);
    wrap->indent += 2;
    text_wrap_word(wrap, line);
}

void remedy_print(struct text_wrap *wrap, const struct armtap_note_kind *kind, const struct replay_source *source,
                  const struct remedy_offers *offers, const struct armtap_where *where)
{
    const char *run = strstr(kind->remedy, lead);
    if (!run)
        text_wrap_words(wrap, kind->remedy);
    else if (!remedy_is_offered(offers, kind, where))
        print_advice(wrap, kind->remedy, run);
    else
        print_command(wrap, kind->remedy, run + strlen(lead), source, where);
    text_wrap_end(wrap);
}
