#include <expat.h>
#include <string.h>

#include "judge.h"

const char *judge_xml(struct span text, size_t *at)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return NULL;
    const char *wrong = NULL;
    if (XML_Parse(parser, text.at, (int)text.length, 1) != XML_STATUS_OK)
        wrong = XML_ErrorString(XML_GetErrorCode(parser));
    *at = (size_t)XML_GetCurrentByteIndex(parser);
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
