/* JSON from anywhere: the tokens of a text lie in it one after the other, and say the same as its values. */
#include "table/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

/* The C library reads a number likewise; its own copy ends with NUL. */
static void check_number(const struct armtap_json_token *token)
{
    char *text = malloc(token->length + 1);
    struct armtap_value value;
    CHECK(text);
    memcpy(text, token->text, token->length);
    text[token->length] = '\0';
    double wanted = strtod(text, NULL), real = armtap_json_double(token);
    armtap_json_number(token, &value);
    CHECK(isnan(wanted) ? isnan(real) : memcmp(&real, &wanted, sizeof real) == 0);
    CHECK(value.type != ARMTAP_INT64 || (double)value.i64[0] == wanted);
    CHECK(value.type != ARMTAP_UINT64 || ((double)value.u64[0] == wanted && value.u64[0] > INT64_MAX));
    CHECK(value.type != ARMTAP_DOUBLE || isnan(real) || memcmp(&value.f64[0], &real, sizeof real) == 0);
    free(text);
}

static void check_string(const struct armtap_json_token *token)
{
    char *text = malloc(token->length);
    CHECK(text && token->length >= 2 && token->text[0] == '"' && token->text[token->length - 1] == '"');
    size_t length = armtap_json_text(token, text);
    CHECK(length <= token->length - 2);
    text[length] = '\0';
    CHECK(armtap_json_is(token, text) == !memchr(text, '\0', length));
    free(text);
}

/* Goes through what is in a value, by values; returns how many tokens it has. */
static size_t count_inside(const struct armtap_json_token *value)
{
    struct armtap_json json = armtap_json_inside(value);
    struct armtap_json_token inner, member;
    size_t count = 1;
    if (value->kind != ARMTAP_JSON_ARRAY && value->kind != ARMTAP_JSON_OBJECT)
        return count;
    while (armtap_json_value(&json, &inner)) {
        char name[] = {'"', 'x', '"', '\0'};
        count += count_inside(&inner);
        if (inner.kind == ARMTAP_JSON_KEY && inner.length == sizeof name - 1 && memcmp(inner.text, name, 3) == 0)
            CHECK(armtap_json_member(value, "x", &member));
    }
    CHECK(json.fault == ARMTAP_JSON_FINE && json.depth == 0 && json.at == json.end);
    return count + 1;
}

/* Returns whether it is JSON, and how many tokens it has. */
static bool check_tokens(const char *text, size_t length, size_t *count)
{
    struct armtap_json json = armtap_json_begin(text, length);
    struct armtap_json_token token;
    const char *end = text;
    for (*count = 0; armtap_json_next(&json, &token); ++*count) {
        CHECK(token.text >= end && token.length > 0 && json.depth <= ARMTAP_JSON_DEPTH_MAX);
        end = token.text + token.length;
        CHECK(end == json.at && end <= text + length);
        if (token.kind == ARMTAP_JSON_NUMBER)
            check_number(&token);
        if (token.kind == ARMTAP_JSON_STRING || token.kind == ARMTAP_JSON_KEY)
            check_string(&token);
    }
    CHECK(!armtap_json_next(&json, &token));
    CHECK(json.fault == ARMTAP_JSON_FINE ? json.depth == 0 && json.at == text + length
                                         : json.wrong >= json.at && json.wrong <= text + length);
    return json.fault == ARMTAP_JSON_FINE;
}

FUZZ_TARGET(json)
{
    char *text = (char *)copy_of(data, size);
    size_t count = 0, tokens;
    struct armtap_json json = armtap_json_begin(text, size);
    struct armtap_json_token root;
    bool is_json = check_tokens(text, size, &tokens);
    bool has_value = armtap_json_value(&json, &root);
    CHECK(has_value || !is_json);
    if (has_value)
        count = count_inside(&root);
    CHECK(!is_json || count == tokens);
    if (has_value && root.length > 1 && (*root.text == '[' || *root.text == '{')) /* no part of it is all */
        CHECK(!check_tokens(root.text, root.length / 2, &count));
    free(text);
    return 0;
}
