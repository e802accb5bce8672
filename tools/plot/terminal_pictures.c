/* Pictures for terminals. */
#include "kinds.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/base64.h"

/* ---- sixels: rows of six pixels each, written once for every colour in them ---- */

enum {
    COLOURS = 256, /* what terminals have */
    CELLS = 32,    /* colours are counted in a cube of 32 * 32 * 32 cells */
    CUBE = CELLS * CELLS * CELLS,
    ROWS = 6
};

struct cell {
    uint32_t count;
    uint64_t red, green, blue; /* sums */
};

struct colour {
    int red, green, blue;
};

struct sixel {
    struct cell cells[CUBE];
    uint16_t colour_of[CUBE]; /* of each cell that is in use */
    uint16_t order[CUBE];     /* cells in use, those used most first */
    struct colour colours[COLOURS];
    size_t used, count; /* cells, colours */
};

static size_t cell_of(uint32_t pixel)
{
    return (pixel >> 19 & 31) * CELLS * CELLS + (pixel >> 11 & 31) * CELLS + (pixel >> 3 & 31);
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static void count_colours(struct sixel *sixel, const uint32_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = cell_of(pixels[i]);
        struct cell *cell = &sixel->cells[at];
        if (cell->count++ == 0)
            sixel->order[sixel->used++] = (uint16_t)at;
        cell->red += pixels[i] >> 16 & 255;
        cell->green += pixels[i] >> 8 & 255;
        cell->blue += pixels[i] & 255;
    }
}

static struct colour colour_in(const struct cell *cell)
{
    return (struct colour){(int)(cell->red / cell->count), (int)(cell->green / cell->count),
                           (int)(cell->blue / cell->count)};
}

static size_t nearest(const struct sixel *sixel, const struct colour *colour)
{
    size_t best = 0;
    int least = 4 * 256 * 256;
    for (size_t i = 0; i < sixel->count; i++) {
        int red = sixel->colours[i].red - colour->red, green = sixel->colours[i].green - colour->green,
            blue = sixel->colours[i].blue - colour->blue, distance = red * red + green * green + blue * blue;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

/* The cells used most, then those in order of the cube: the same for the same picture. */
static void choose_colours(struct sixel *sixel)
{
    for (size_t i = 0; i < sixel->used && i < COLOURS; i++) {
        size_t most = i;
        for (size_t k = i + 1; k < sixel->used; k++) {
            uint32_t count = sixel->cells[sixel->order[k]].count, best = sixel->cells[sixel->order[most]].count;
            if (count > best || (count == best && sixel->order[k] < sixel->order[most]))
                most = k;
        }
        uint16_t kept = sixel->order[i];
        sixel->order[i] = sixel->order[most];
        sixel->order[most] = kept;
        sixel->colours[sixel->count++] = colour_in(&sixel->cells[sixel->order[i]]);
    }
    for (size_t i = 0; i < sixel->used; i++) {
        struct colour colour = colour_in(&sixel->cells[sixel->order[i]]);
        sixel->colour_of[sixel->order[i]] = (uint16_t)(i < COLOURS ? i : nearest(sixel, &colour));
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_colours(struct buffer *out, const struct sixel *sixel)
{
    for (size_t i = 0; i < sixel->count; i++) {
        const struct colour *colour = &sixel->colours[i];
        char text[64];
        int length = snprintf(text, sizeof text, "#%zu;2;%d;%d;%d", i, (colour->red * 100 + 127) / 255,
                              (colour->green * 100 + 127) / 255, (colour->blue * 100 + 127) / 255);
        buffer_put(out, text, (size_t)length);
    }
}

static void put_run(struct buffer *out, size_t count, unsigned bits)
{
    char text[32];
    if (count > 3)
        buffer_put(out, text, (size_t)snprintf(text, sizeof text, "!%zu%c", count, '?' + bits));
    else
        for (; count > 0; count--)
            buffer_char(out, (char)('?' + bits));
}

/* One colour of up to six rows; `colours` are those of the pixels. */
static void put_colour(struct buffer *out, const uint16_t *colours, size_t width, size_t rows, size_t colour)
{
    char text[32];
    unsigned bits = 0;
    size_t count = 0;
    buffer_put(out, text, (size_t)snprintf(text, sizeof text, "#%zu", colour));
    for (size_t x = 0; x < width; x++) {
        unsigned now = 0;
        for (size_t row = 0; row < rows; row++)
            now |= (unsigned)(colours[row * width + x] == colour) << row;
        if (now != bits) {
            put_run(out, count, bits);
            count = 0;
        }
        bits = now;
        count++;
    }
    if (bits != 0)
        put_run(out, count, bits);
    buffer_char(out, '$'); /* back to the left */
}

static void put_rows(struct buffer *out, const struct sixel *sixel, uint16_t *colours, const uint32_t *pixels,
                     size_t width, size_t rows)
{
    bool is_used[COLOURS] = {false};
    for (size_t i = 0; i < width * rows; i++) {
        colours[i] = sixel->colour_of[cell_of(pixels[i])];
        is_used[colours[i]] = true;
    }
    for (size_t i = 0; i < sixel->count; i++)
        if (is_used[i])
            put_colour(out, colours, width, rows, i);
    buffer_char(out, '-'); /* the next rows */
}

int sixel_put(struct buffer *out, const uint32_t *pixels, size_t width, size_t height)
{
    struct sixel *sixel = calloc(1, sizeof *sixel);
    uint16_t *colours = malloc(ROWS * width * sizeof *colours);
    if (sixel && colours) {
        char head[80];
        count_colours(sixel, pixels, width * height);
        choose_colours(sixel);
        buffer_put(out, head, (size_t)snprintf(head, sizeof head, "\033P0;1;0q\"1;1;%zu;%zu", width, height));
        put_colours(out, sixel);
        for (size_t y = 0; y < height; y += ROWS)
            put_rows(out, sixel, colours, pixels + y * width, width, height - y < ROWS ? height - y : ROWS);
        buffer_string(out, "\033\\\n");
    }
    int outcome = sixel && colours && !out->failed ? 0 : -1;
    free(sixel);
    free(colours);
    return outcome;
}

/* ---- Kitty's graphics: a PNG as base64, in parts of at most 4096 characters ---- */

enum { PART = 3072 }; /* bytes: 4096 characters */

int kitty_put(struct buffer *out, const char *png, size_t length)
{
    for (size_t at = 0; at < length || at == 0; at += PART) {
        size_t part = length - at < PART ? length - at : PART;
        /* a=T: show it; f=100: PNG; q=2: no answer; m=1: there is more */
        buffer_string(out, at == 0 ? "\033_Ga=T,f=100,q=2,m=" : "\033_Gm=");
        buffer_string(out, at + part < length ? "1;" : "0;");
        char *text = buffer_room(out, BASE64_LENGTH(part) + 1);
        if (!text)
            return -1;
        base64_write(text, (const uint8_t *)png + at, part);
        out->length += BASE64_LENGTH(part);
        buffer_string(out, "\033\\");
    }
    buffer_char(out, '\n');
    return out->failed ? -1 : 0;
}
