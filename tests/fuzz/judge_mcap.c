/* The frame of an MCAP file: its magic at both ends, and between them whole records, of which the footer is the last
 * and says where the summary begins. tests/mcap-check reads the messages. */
#include <string.h>

#include "judge.h"

#define MAGIC "\x89MCAP0\r\n"

enum { MAGIC_SIZE = 8, HEAD = 9, HEADER = 1, FOOTER = 2, DATA_END = 15, OPCODES = 16, FOOTER_SIZE = 20 };

static unsigned long long number_at(const char *at)
{
    unsigned long long number = 0;
    for (unsigned i = 8; i > 0; i--)
        number = number << 8 | (unsigned char)at[i - 1];
    return number;
}

const char *judge_mcap(struct span file, size_t *at)
{
    unsigned opcode = 0;
    size_t summary = 0;
    *at = 0;
    if (file.length < 2 * MAGIC_SIZE || memcmp(file.at, MAGIC, MAGIC_SIZE) != 0 ||
        memcmp(file.at + file.length - MAGIC_SIZE, MAGIC, MAGIC_SIZE) != 0)
        return "no magic at both ends";
    for (*at = MAGIC_SIZE; *at < file.length - MAGIC_SIZE;) {
        if (file.length - *at < HEAD || number_at(file.at + *at + 1) > file.length - *at - HEAD - MAGIC_SIZE)
            return "a record beyond the end";
        opcode = (unsigned char)file.at[*at];
        if (opcode == 0 || opcode >= OPCODES || (*at == MAGIC_SIZE) != (opcode == HEADER))
            return "a record that does not belong there";
        *at += HEAD + (size_t)number_at(file.at + *at + 1);
        summary = opcode == DATA_END ? *at : summary;
    }
    const char *footer = file.at + file.length - MAGIC_SIZE - FOOTER_SIZE;
    return opcode != FOOTER || summary == 0 || number_at(footer) != summary ? "no footer, or another summary" : NULL;
}
