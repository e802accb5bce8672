#define _POSIX_C_SOURCE 200809L
#include "file_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process/message.h"
#include "base/text/utf8.h"
#include "input/files/file_reader.h"
#include "base/os/shell_word.h"

#define TEXT_LEAST 8
#define TAR_HEADER 512
#define TAR_NAME 100
#define TAR_SUM 148

static const struct {
    size_t offset;
    const char *bytes;
    size_t length;
    struct file_kind kind;
} kinds[] = {
#define KIND(offset, bytes, name, remedy) {(offset), (bytes), sizeof(bytes) - 1, {(name), (remedy)}},
#include "file_kinds.def"
};

static bool is_text(const char *first, size_t length)
{
    size_t at = 0;
    while (at < length) {
        size_t size = strchr("\t\r\n", first[at]) && first[at] != '\0' ? 1 : utf8_shown(first + at, length - at);
        if (size == 0)
            break;
        at += size;
    }
    return length > 0 && at + 3 >= length; /* the last character may be cut */
}

/* An archive of the time before POSIX has no magic, but a sum in octal digits of all other bytes of its header. */
static bool is_old_tar(const uint8_t *first, size_t length)
{
    unsigned sum = 8 * ' ', said = 0;
    if (length < TAR_HEADER || !is_text((const char *)first, strnlen((const char *)first, TAR_NAME)))
        return false;
    for (size_t i = 0; i < TAR_HEADER; i++)
        sum += i >= TAR_SUM && i < TAR_SUM + 8 ? 0 : first[i];
    for (size_t i = TAR_SUM; i < TAR_SUM + 8; i++)
        said = first[i] >= '0' && first[i] <= '7' ? 8 * said + first[i] - '0' : said;
    return sum == said;
}

const struct file_kind *file_kind_of(const uint8_t *first, size_t length)
{
    static const struct file_kind old_tar = {"a tar archive", "unpack it, and name the captures in it: tar -xf FILE"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].offset + kinds[i].length <= length &&
            memcmp(first + kinds[i].offset, kinds[i].bytes, kinds[i].length) == 0)
            return &kinds[i].kind;
    return is_old_tar(first, length) ? &old_tar : NULL;
}

/* The remedy with the file's name in place of FILE, which standard input lacks. */
static void put_remedy(char to[SHELL_MAX], const char *remedy, const char *file)
{
    const char *place = strstr(remedy, "FILE");
    snprintf(to, SHELL_MAX, "%s", remedy);
    if (!place || strcmp(file, "-") == 0)
        return;
    to[place - remedy] = '\0';
    if (shell_word(to, SHELL_MAX, file))
        snprintf(to + strlen(to), SHELL_MAX - strlen(to), "%s", place + strlen("FILE"));
    else
        snprintf(to, SHELL_MAX, "%s", remedy);
}

void file_kind_report(const struct file_kind *kind, const char *file)
{
    char remedy[SHELL_MAX] = "";
    put_remedy(remedy, kind->remedy, file);
    message_error("%s: it is %s, neither a capture (pcap, pcapng) nor a dump of a stream%s%s", reader_name(file),
                  kind->name, remedy[0] != '\0' ? "; " : "", remedy);
}

const char *file_kind_guess(const uint8_t *first, size_t length)
{
    const char *text = (const char *)first;
    if (length < TEXT_LEAST || !is_text(text, length))
        return NULL;
    return text[0] == '{' || text[0] == '[' ? "JSON" : "text";
}
