/* Prints the tokens of texts for json-check.py. Input: the length of a text in a line, the text, and so on. Output: a
 * line for each, with a word for each token, or "fault". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/json.h"

static void print_text(const struct armtap_json_token *token)
{
    char *text = malloc(token->length);
    size_t length = text ? armtap_json_text(token, text) : 0;
    printf(token->kind == ARMTAP_JSON_KEY ? " key:" : " string:");
    for (size_t i = 0; i < length; i++)
        printf("%02x", (unsigned char)text[i]);
    free(text);
}

static void print_number(const struct armtap_json_token *token)
{
    struct armtap_value value;
    double real = armtap_json_double(token);
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    armtap_json_number(token, &value);
    if (value.type == ARMTAP_DOUBLE)
        printf(" %016" PRIx64, bits);
    else if (value.type == ARMTAP_UINT64)
        printf(" %" PRIu64 ":%016" PRIx64, value.u64[0], bits);
    else
        printf(" %" PRId64 ":%016" PRIx64, value.i64[0], bits);
}

static void print_tokens(const char *text, size_t length)
{
    static const char *const names[] = {" null", " false", " true", "", "", " [", " {", "", " close"};
    struct armtap_json json = armtap_json_begin(text, length);
    struct armtap_json_token token;
    while (armtap_json_next(&json, &token)) {
        if (token.kind == ARMTAP_JSON_NUMBER)
            print_number(&token);
        else if (token.kind == ARMTAP_JSON_STRING || token.kind == ARMTAP_JSON_KEY)
            print_text(&token);
        else
            fputs(names[token.kind], stdout);
    }
    puts(json.fault == ARMTAP_JSON_FINE ? "" : " fault");
}

int main(void)
{
    size_t length;
    while (scanf("%zu", &length) == 1 && getchar() == '\n') {
        char *text = malloc(length > 0 ? length : 1); /* no byte more: sanitizers see what is read beyond it */
        if (!text || fread(text, 1, length, stdin) != length)
            return 1;
        print_tokens(text, length);
        free(text);
    }
    return 0;
}
