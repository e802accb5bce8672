#include "recipe_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "base/process/message.h"
#include "base/os/names.h"
#include "base/os/privileges.h"
#include "base/text/buffer.h"

#define FILE_MAX (1024 * 1024)

const char *recipe_file_library(void)
{
    return XML_ExpatVersion();
}

struct parser {
    const char *file;
    XML_Parser xml;
    struct buffer names, types; /* comma-separated, as in a set-up, each followed by a NUL */
    bool inside;                /* inside the recipe that is read */
    bool taken;                 /* a recipe was found */
    bool has_out;               /* it has the key "out" */
    bool failed;                /* a message was given */
    unsigned long line;
};

/* `name`: what the message is about, or "". If the line is 0, the message is about the whole file. */
static int fail(struct parser *parser, const char *what, const char *name)
{
    char line[32] = "", about[200] = "";
    if (parser->line > 0)
        snprintf(line, sizeof line, "line %lu: ", parser->line);
    if (*name != '\0')
        snprintf(about, sizeof about, " '%.150s'", name);
    if (!parser->failed)
        message_error("%s: %s%s%s", parser->file, line, what, about);
    parser->failed = true;
    return -1;
}

static bool append(struct buffer *list, const char *text)
{
    if (list->length > 0)
        list->data[list->length - 1] = ',';
    buffer_put(list, text, strlen(text) + 1);
    return !list->failed;
}

/* Adds a field; if `type` is missing, with the table's type. */
static int add_field(struct parser *parser, const char *name, const char *type)
{
    const struct armtap_field *field = armtap_field_find(name, strlen(name));
    struct armtap_recipe *one = NULL;
    if (*name == '\0')
        return fail(parser, "a field has no name", "");
    if (strchr(name, ','))
        return fail(parser, "not a field name:", name);
    if (!type && field)
        type = armtap_type_name(field->type, field->count);
    if (!type || *type == '\0')
        return fail(parser, "the type is missing, as in \"actual_q VECTOR6D\", of", name);
    if (strchr(type, ',') || armtap_recipe_rtde(name, type, &one) != ARMTAP_OK)
        return fail(parser,
                    "unknown type (BOOL, UINT8, UINT32, UINT64, INT32, DOUBLE, VECTOR3D, VECTOR6D, "
                    "VECTOR6INT32, VECTOR6UINT32):",
                    type);
    armtap_recipe_release(one);
    if (!append(&parser->names, name) || !append(&parser->types, type))
        return fail(parser, "out of memory", "");
    return 0;
}

/* ---- UR's XML ---------------------------------------------------------------------------------------------------- */

static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static void begin_recipe(struct parser *parser, const char *key)
{
    bool is_out = key && strcmp(key, "out") == 0;
    parser->inside = !parser->taken || (is_out && !parser->has_out);
    if (!parser->inside)
        return;
    parser->names.length = parser->types.length = 0;
    parser->taken = true;
    parser->has_out = is_out;
}

/* Since 2.9 expat has another function for them, and warns of this one. */
static unsigned long line_number(XML_Parser xml)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
    return (unsigned long)XML_GetCurrentLineNumber64(xml);
#else
    return (unsigned long)XML_GetCurrentLineNumber(xml);
#endif
}

static void XMLCALL begin_element(void *user, const char *element, const char **attributes)
{
    struct parser *parser = user;
    const char *name;
    parser->line = line_number(parser->xml);
    if (strcmp(element, "recipe") == 0)
        begin_recipe(parser, attribute(attributes, "key"));
    if (strcmp(element, "field") != 0 || !parser->inside || parser->failed)
        return;
    name = attribute(attributes, "name");
    if (add_field(parser, name ? name : "", attribute(attributes, "type")) != 0)
        XML_StopParser(parser->xml, XML_FALSE);
}

static void XMLCALL end_element(void *user, const char *element)
{
    struct parser *parser = user;
    if (strcmp(element, "recipe") == 0)
        parser->inside = false;
}

/* Recipes have none, and entities could expand without bound. */
static void XMLCALL refuse_doctype(void *user, const char *name, const char *system, const char *public, int internal)
{
    struct parser *parser = user;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    parser->line = line_number(parser->xml);
    fail(parser, "a DOCTYPE is not accepted; remove it", "");
    XML_StopParser(parser->xml, XML_FALSE);
}

static int parse_xml(struct parser *parser, const char *text, size_t length)
{
    parser->xml = XML_ParserCreate(NULL);
    if (!parser->xml)
        return fail(parser, "out of memory", "");
    XML_SetUserData(parser->xml, parser);
    XML_SetElementHandler(parser->xml, begin_element, end_element);
    XML_SetStartDoctypeDeclHandler(parser->xml, refuse_doctype);
    enum XML_Status status = XML_Parse(parser->xml, text, (int)length, 1);
    parser->line = line_number(parser->xml);
    if (status != XML_STATUS_OK)
        fail(parser, XML_ErrorString(XML_GetErrorCode(parser->xml)), "");
    XML_ParserFree(parser->xml);
    if (!parser->failed && !parser->taken)
        fail(parser, "there is no <recipe> in this XML", "");
    return parser->failed ? -1 : 0;
}

/* ---- plain lines ------------------------------------------------------------------------------------------------- */

static int parse_line(struct parser *parser, char *line)
{
    static const char blanks[] = " \t\r";
    char *word[3] = {NULL, NULL, NULL};
    size_t count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *at = line + strspn(line, blanks); *at != '\0' && count < 3; at += strspn(at, blanks)) {
        word[count++] = at;
        at += strcspn(at, blanks);
        if (*at != '\0')
            *at++ = '\0';
    }
    if (count == 0)
        return 0;
    if (count == 3)
        return fail(parser, "a line has a name and a type; unexpected:", word[2]);
    return add_field(parser, word[0], word[1]);
}

static int parse_plain(struct parser *parser, char *text)
{
    while (text && *text != '\0') {
        char *end = strchr(text, '\n');
        if (end)
            *end++ = '\0';
        parser->line++;
        if (parse_line(parser, text) != 0)
            return -1;
        text = end;
    }
    return 0;
}

/* ---- AUBO's subscription ----------------------------------------------------------------------------------------- */

/* Says what is wrong with the subscription, and shows the text from there on. */
static int fail_aubo(struct parser *parser, const char *text, size_t length)
{
    char what[400];
    size_t at;
    const char *wrong = armtap_recipe_aubo_problem(text, length, &at);
    int shown = (int)strcspn(text + at, "\r\n");
    snprintf(what, sizeof what,
             "not an AUBO subscription: %s%s%.*s%s; one is as in [100,{\"chanel\":0,\"frequency\":50.0,"
             "\"segments\":[\"R1_actual_q\"],\"to_server\":false,\"trigger\":0}]",
             wrong, shown > 0 ? ", at '" : "", shown < 40 ? shown : 40, text + at, shown > 0 ? "'" : "");
    return fail(parser, what, "");
}

static int parse_aubo(struct parser *parser, const char *text, size_t length, struct armtap_recipe **recipe)
{
    switch (armtap_recipe_aubo(text, length, recipe)) {
    case ARMTAP_OK:
        return 0;
    case ARMTAP_ERR_UNSUPPORTED:
        return fail(parser, "this build of armtap lacks AUBO support; configure it without --without-aubo", "");
    case ARMTAP_ERR_MEMORY:
        return fail(parser, "out of memory", "");
    default:
        return fail_aubo(parser, text, length);
    }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void report_unreadable(const char *name, int error)
{
    const char *user = error == EACCES ? privileges_given_up_for() : NULL;
    if (user)
        message_error(
            "%s: cannot be read: %s; armtap dropped root once the interface was open: put the recipe where %s may read "
            "it",
            name, strerror(error), user);
    else
        message_error("%s: cannot be read: %s; --recipe needs a file", name, strerror(error));
}

/* The whole file, and a NUL. NULL after a message. */
static char *read_all(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    char *text = malloc(FILE_MAX + 1);
    *length = 0;
    if (file && text)
        *length = fread(text, 1, FILE_MAX + 1, file);
    if (!file || !text || ferror(file) || *length > FILE_MAX) {
        if (file && text && !ferror(file))
            message_error(
                "%s: longer than any recipe; --recipe needs UR's XML, lines \"name type\" or AUBO's subscription",
                name);
        else
            report_unreadable(name, errno);
        free(text);
        text = NULL;
    } else {
        text[*length] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

/* The text after a byte order mark and blanks. */
static size_t text_begin(const char *text)
{
    size_t at = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return at + strspn(text + at, " \t\r\n");
}

/* XML begins with "<"; UTF-16 adds NULs, which plain lines never have. */
static bool is_xml(const char *text, size_t length)
{
    return text[text_begin(text)] == '<' || memchr(text, '\0', length);
}

/* --recipe @NAME: the recipe of a well-known client. */
static int read_known(const char *name, struct armtap_recipe **recipe)
{
    const struct armtap_known_recipe *known;
    size_t i = 0;
    while ((known = armtap_known_recipe_at(i)) && strcmp(known->name, name) != 0)
        i++;
    if (!known) {
        message_error("no well-known client's recipe is called @%s; armtap recipe --list shows them", name);
        return -1;
    }
    int error = armtap_recipe_rtde(known->fields, NULL, recipe);
    if (error != ARMTAP_OK)
        message_error("%s: %s", name, armtap_strerror(error));
    return error == ARMTAP_OK ? 0 : -1;
}

static int parse_rtde(struct parser *parser, char *text, size_t length, struct armtap_recipe **recipe)
{
    int outcome = is_xml(text, length) ? parse_xml(parser, text, length) : parse_plain(parser, text);
    parser->line = 0;
    if (outcome == 0 && parser->names.length == 0)
        outcome = fail(parser, "the recipe has no fields; use UR's XML, or a line \"name type\" for each", "");
    if (outcome != 0)
        return outcome;
    int error = armtap_recipe_rtde(parser->names.data, parser->types.data, recipe);
    return error == ARMTAP_OK ? 0 : fail(parser, armtap_strerror(error), "");
}

int recipe_file_read(const char *name, struct armtap_recipe **recipe)
{
    if (name[0] == '@')
        return read_known(name + 1, recipe);
    struct parser parser = {.file = name};
    size_t length;
    char *text = read_all(name, &length);
    if (!text)
        return -1;
    size_t begin = text_begin(text);
    int outcome = text[begin] == '[' ? parse_aubo(&parser, text + begin, length - begin, recipe)
                                     : parse_rtde(&parser, text, length, recipe);
    free(parser.names.data);
    free(parser.types.data);
    free(text);
    return outcome;
}
