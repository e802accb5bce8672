/* armtap explain --hex: bytes without a capture. What they are is told by their content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "base/process/message.h"

#define TEXT_MOST (32 * 1024 * 1024)

static char *read_input(size_t *length)
{
    char *text = malloc(TEXT_MOST + 1);
    *length = text ? fread(text, 1, TEXT_MOST + 1, stdin) : 0;
    if (text && !ferror(stdin) && *length <= TEXT_MOST)
        return text;
    if (!text)
        message_no_memory();
    else if (ferror(stdin))
        message_error("standard input: cannot be read: %s", strerror(errno));
    else
        message_error("--hex: standard input is longer than any message; pass one message, or a few");
    free(text);
    return NULL;
}

int explain_hex_read(const char *text, struct hex_text *read)
{
    size_t length = strlen(text);
    char *input = NULL;
    if (strcmp(text, "-") == 0 && !(text = input = read_input(&length)))
        return -1;
    int outcome = hex_text_read(read, text, length);
    free(input);
    return outcome;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

int explain_hex_next(const struct explain_hex *hex, size_t at, struct subject *subject)
{
    char doubt[PIECE_REMARK_MAX];
    struct armtap_subject *message = &subject->message;
    *subject = (struct subject){.message = {.size = sizeof *message,
                                            .protocol = hex->protocol,
                                            .direction = hex->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT,
                                            .bytes = hex->bytes + at,
                                            .length = hex->length - at,
                                            .recipe = hex->recipe}};
    int error = armtap_identify(message, hex->to_robot, doubt, sizeof doubt);
    subject->skipped = error == ARMTAP_ERR_NOT_OURS;
    if (subject->skipped && doubt[0] != '\0') {
        size_t length = (size_t)snprintf(subject->doubt, sizeof subject->doubt, "not known: %.180s", doubt);
        if (hex->protocol == ARMTAP_PROTOCOL_NONE)
            snprintf(subject->doubt + length, sizeof subject->doubt - length, "; --raw %s decodes it nevertheless",
                     armtap_protocol_name(message->protocol));
    }
    if (subject->skipped)
        message->protocol = hex->protocol;
    if (error == ARMTAP_OK || subject->skipped)
        return 0;
    message_error("--hex: %s", armtap_strerror(error));
    return -1;
}
