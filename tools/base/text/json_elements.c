#include "json_elements.h"

bool json_elements_begin(struct armtap_json *elements, const struct armtap_value *value)
{
    if (!value->present || value->type != ARMTAP_JSON || value->length == 0 || value->text[0] != '[')
        return false;
    *elements = armtap_json_begin(value->text, value->length);
    return true;
}

bool json_elements_next(struct armtap_json *elements, struct armtap_json_token *element)
{
    struct armtap_json here;
    do {
        here = *elements;
        if (!armtap_json_next(elements, element))
            return false;
    } while (element->kind == ARMTAP_JSON_ARRAY || element->kind == ARMTAP_JSON_CLOSE);
    if (element->kind != ARMTAP_JSON_OBJECT)
        return true;
    *elements = here;
    return armtap_json_value(elements, element);
}

size_t json_elements_count(const struct armtap_value *value)
{
    struct armtap_json elements;
    struct armtap_json_token element;
    size_t count = 0;
    if (!json_elements_begin(&elements, value))
        return 0;
    while (json_elements_next(&elements, &element))
        count++;
    return count == 0 ? 1 : count;
}

void json_element_text(const struct armtap_json_token *element, struct buffer *out)
{
    char *room = buffer_room(out, element->length);
    if (room)
        out->length += armtap_json_text(element, room);
}

bool json_element_is_whole(const struct armtap_json_token *element)
{
    size_t digits = element->text[0] == '-';
    while (digits < element->length && armtap_json_is_digit(element->text[digits]))
        digits++;
    return element->kind == ARMTAP_JSON_NUMBER && digits == element->length;
}
