#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 400u /* bytes of names in a line */
#define LINE_MAX (LIST_MAX + VARIABLE_NAME_MAX + 200u)

void moment_text(const struct moments *moments, int64_t captured, char text[MOMENT_MAX])
{
    if (moments->has_times)
        timestamp_date(text, captured, moments->zone);
    else
        snprintf(text, MOMENT_MAX, "%.3f s of the controller's clock", (double)captured / 1e9);
}

int field_watch_begin(struct field_watch *watch)
{
    watch->told = malloc(watch->count + 1);
    if (!watch->told)
        return -1;
    memset(watch->told, GIVEN_RECORDED, watch->count);
    return 0;
}

void field_watch_end(struct field_watch *watch)
{
    free(watch->told);
    watch->told = NULL;
}

static enum given given_at(const struct tick *tick, const struct variable *variable)
{
    bool is_played = variable_is_played(variable); /* else it is what clients write */
    return tick->given && is_played ? (enum given)tick->given[variable->index] : GIVEN_RECORDED;
}

/* What is filled from the first to the last record was said at the start. */
static bool is_news(const struct field_watch *watch, size_t i, enum given given)
{
    return watch->told[i] != given && watch->variables[i]->recorded;
}

static void say(struct field_watch *watch, const struct tick *tick, const struct peer_wish *wish, enum given given,
                const char *names, bool all)
{
    char line[LINE_MAX], date[MOMENT_MAX];
    if (watch->lines > FIELD_WATCH_LINES)
        return;
    moment_text(&watch->moments, tick->captured, date);
    switch (given) {
    case GIVEN_NOT:
        snprintf(line, sizeof line, "from %s on not recorded: %s: %s", date, names, watch->lacking);
        break;
    case GIVEN_AGAIN:
        snprintf(line, sizeof line, "from %s on not recorded: %s: the last value is repeated (--gaps hold)", date,
                 names);
        break;
    case GIVEN_FILL:
        snprintf(line, sizeof line, "from %s on not recorded: %s: simulated (--fill)", date, names);
        break;
    default:
        snprintf(line, sizeof line, "from %s on recorded: %s%s", date, names, all ? "" : "; others are still missing");
    }
    wish->say(wish->user, wish->client,
              watch->lines++ < FIELD_WATCH_LINES ? line
                                                 : "too many changes of the recorded fields: further ones are "
                                                   "not shown");
}

/* Says which variables are now given that way. */
static void say_changed(struct field_watch *watch, const struct tick *tick, const struct peer_wish *wish,
                        enum given given, bool all)
{
    char names[LIST_MAX + VARIABLE_NAME_MAX + 3] = "";
    size_t length = 0;
    for (size_t i = 0; i < watch->count; i++) {
        if (given_at(tick, watch->variables[i]) != given || !is_news(watch, i, given))
            continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length == 0 ? "" : ", ",
                                   watch->variables[i]->name);
        if (length < LIST_MAX)
            continue;
        say(watch, tick, wish, given, names, all);
        length = 0;
    }
    if (length > 0)
        say(watch, tick, wish, given, names, all);
}

bool field_watch_tick(struct field_watch *watch, const struct tick *tick, const struct peer_wish *wish)
{
    bool all = true, is_same = true;
    for (size_t i = 0; i < watch->count; i++) {
        enum given given = given_at(tick, watch->variables[i]);
        all = all && given != GIVEN_NOT;
        is_same = is_same && !is_news(watch, i, given);
    }
    for (unsigned given = 0; given < GIVEN_COUNT && !is_same; given++)
        say_changed(watch, tick, wish, (enum given)given, all);
    for (size_t i = 0; i < watch->count && !is_same; i++)
        watch->told[i] = (uint8_t)given_at(tick, watch->variables[i]);
    return all;
}
