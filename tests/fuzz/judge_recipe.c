#include <expat.h>
#include <string.h>

#include "judge.h"

/* Since 2.9 expat has another function for it, and warns of this one. */
static size_t byte_index(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
    return (size_t)XML_GetCurrentByteIndex64(parser);
#else
    return (size_t)XML_GetCurrentByteIndex(parser);
#endif
}

const char *judge_xml(struct span text, size_t *at)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return NULL;
    const char *wrong = NULL;
    if (XML_Parse(parser, text.at, (int)text.length, 1) != XML_STATUS_OK)
        wrong = XML_ErrorString(XML_GetErrorCode(parser));
    *at = byte_index(parser);
    XML_ParserFree(parser);
    return wrong;
}

const char *judge_recipe_lines(struct span text, size_t *at)
{
    struct span rest = text, line, name, type, more;
    const char *wrong = judge_shown(text, at);
    while (!wrong && next_line(&rest, &line)) {
        *at = (size_t)(line.at - text.at);
        if (!next_word(&line, &name) || !next_word(&line, &type) || next_word(&line, &more))
            wrong = "a line that is no name and type";
    }
    return wrong;
}
