#include "mailbox_script.h"

#include <stdlib.h>
#include <string.h>

/* Codes from here on are the script's own, but for the one that ends it. */
#define OF_THE_SCRIPT 254

/* Where `words` end in a line; NULL: it lacks them. */
static const char *after(const char *line, size_t length, const char *words)
{
    size_t size = strlen(words);
    for (const char *end = line + length; (size_t)(end - line) >= size; line++) {
        line = memchr(line, words[0], (size_t)(end - line) - size + 1);
        if (!line)
            return NULL;
        if (memcmp(line, words, size) == 0)
            return line + size;
    }
    return NULL;
}

/* The number that a text begins with; -1: none. */
static int32_t number_at(const char *at, const char *end)
{
    int32_t number = -1;
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at >= '0' && *at <= '9' && number < 1000; at++)
        number = (number < 0 ? 0 : number * 10) + (*at - '0');
    return number;
}

static int32_t code_in(const char *line, size_t length)
{
    const char *at = after(line, length, "cmd ==");
    return at ? number_at(at, line + length) : -1;
}

static void begin(struct armtap_mailbox_script *script, uint64_t connection)
{
    memset(script->branches, 0, sizeof script->branches);
    script->is_begun = true;
    script->connection = connection;
    script->last_code = 0;
    script->offset = ARMTAP_SCRIPT_OFFSET_UNKNOWN;
    script->awaits_offset = false;
    script->is_broken = false;
    script->is_later = false;
}

/* The branch that ends the script comes last. */
static void finish(struct armtap_mailbox_script *script, const struct armtap_where *where)
{
    armtap_ur_rtde_set releases = script->is_later ? 0 : armtap_ur_rtde_scripts(script->branches);
    if (script->is_broken)
        return;
    script->is_read = true;
    script->is_found = releases != 0;
    script->found_at = *where;
    script->found = releases;
    script->found_offset = armtap_ur_rtde_with_offset(releases) ? script->offset : 0;
}

static void take_branch(struct armtap_mailbox_script *script, const struct armtap_where *where, int32_t code)
{
    if (code < 64 * ARMTAP_UR_RTDE_BRANCHES)
        script->branches[code / 64] |= UINT64_C(1) << (code % 64);
    script->is_later = script->is_later || (code < OF_THE_SCRIPT && !armtap_ur_rtde_has_branch(code));
    script->last_code = code;
    if (code == ARMTAP_UR_RTDE_STOP)
        finish(script, where);
}

static void take_offset(struct armtap_mailbox_script *script, int32_t offset)
{
    if (offset == 0 || offset == ARMTAP_UR_RTDE_UPPER)
        script->offset = offset;
}

/* The client puts the offset behind the line that is to have it: it is at the beginning of the next. */
static bool take_awaited(struct armtap_mailbox_script *script, uint64_t connection, const char *line, size_t length)
{
    if (!script->awaits_offset || script->connection != connection)
        return false;
    script->awaits_offset = false;
    take_offset(script, number_at(line, line + length));
    return true;
}

bool armtap_mailbox_script_line(struct armtap_mailbox_script *script, uint64_t connection,
                                const struct armtap_where *where, const char *line, size_t length)
{
    bool was_awaited = take_awaited(script, connection, line, length);
    const char *value = after(line, length, "reg_offset_int =");
    bool sets_offset = value && (value == line + length || *value != '=');
    int32_t code = sets_offset ? -1 : code_in(line, length);
    if (!sets_offset && code <= 0)
        return was_awaited;
    bool is_new = !script->is_begun || script->connection != connection || script->last_code == ARMTAP_UR_RTDE_STOP;
    if (is_new || ((sets_offset || code == 1) && script->last_code > 0))
        begin(script, connection);
    if (code > 0) {
        take_branch(script, where, code);
        return true;
    }
    int32_t offset = number_at(value, line + length);
    script->awaits_offset = offset < 0;
    take_offset(script, offset);
    return true;
}

void armtap_mailbox_script_lost(struct armtap_mailbox_script *script, uint64_t connection)
{
    script->is_broken = script->is_broken || script->connection == connection;
}

const struct armtap_script_binding *armtap_mailbox_script_of(const struct armtap_mailbox_script *script,
                                                             uint64_t connection)
{
    for (unsigned i = 0; script->bindings && i < ARMTAP_SCRIPT_BINDINGS; i++) {
        const struct armtap_script_binding *binding = &script->bindings[i];
        if ((binding->releases || binding->is_strange) && binding->connection == connection)
            return binding;
    }
    return NULL;
}

/* Another client may have sent one of them. */
static struct armtap_script_binding both(const struct armtap_script_binding *old,
                                         const struct armtap_script_binding *new)
{
    struct armtap_script_binding result = *old;
    if (old->releases && new->releases && old->offset != new->offset)
        result.offset = ARMTAP_SCRIPT_OFFSET_UNKNOWN;
    result.releases |= new->releases;
    result.is_strange = old->is_strange || new->is_strange;
    return result;
}

int armtap_mailbox_script_bind(struct armtap_mailbox_script *script, uint64_t connection, bool *is_new)
{
    const struct armtap_script_binding *old = armtap_mailbox_script_of(script, connection);
    struct armtap_script_binding new = {connection, script->found_offset, script->found, !script->is_found};
    if (old)
        new = both(old, &new);
    *is_new = !old || old->offset != new.offset || old->releases != new.releases || old->is_strange != new.is_strange;
    if (!*is_new)
        return ARMTAP_OK;
    if (!script->bindings && !(script->bindings = calloc(ARMTAP_SCRIPT_BINDINGS, sizeof *script->bindings)))
        return ARMTAP_ERR_MEMORY;
    size_t place = old ? (size_t)(old - script->bindings) : script->bound++ % ARMTAP_SCRIPT_BINDINGS;
    script->bindings[place] = new;
    return ARMTAP_OK;
}

void armtap_mailbox_script_free(struct armtap_mailbox_script *script)
{
    free(script->bindings);
    script->bindings = NULL;
}
