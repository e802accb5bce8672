/* The entries of a transcript from elsewhere, played to a diagnosis. What it tells is written as a transcript, which
 * tells the same again. */
#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "diagnose/transcript_rows.h"
#include "target.h"

#define HELD_MOST(bytes) (512 * (size_t)(bytes) + (32 << 20))

/* With the version before them and a sum behind them. */
static uint8_t *framed(const uint8_t *entries, size_t size)
{
    uint8_t *bytes = malloc(1 + size + SUM_BYTES);
    CHECK(bytes);
    bytes[0] = TRANSCRIPT_VERSION;
    if (size > 0)
        memcpy(bytes + 1, entries, size);
    uint64_t sum = rows_sum(bytes, 1 + size);
    for (unsigned i = 0; i < SUM_BYTES; i++)
        bytes[1 + size + i] = (uint8_t)(sum >> 8 * i);
    return bytes;
}

#define TELL(callback, type, write)                                                                                    \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        return write(user, what);                                                                                      \
    }
TELL(on_record, armtap_record, transcript_record)
TELL(on_recipe, armtap_recipe_event, transcript_recipe)
TELL(on_note, armtap_note, transcript_note)
TELL(on_event, armtap_event, transcript_event)
TELL(on_message, armtap_message, transcript_message)
TELL(on_command, armtap_command, transcript_command)
#undef TELL

/* The transcript of what a transcript tells; NULL if it is damaged. */
static struct transcript *written_again(const uint8_t *bytes, size_t length)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_message = on_message,
                                     .on_command = on_command};
    struct transcript_player *player = transcript_player_new();
    struct transcript *transcript = transcript_new();
    CHECK(player && transcript);
    enum transcript_outcome outcome = transcript_play(player, bytes, length, &sink, transcript);
    CHECK(outcome != TRANSCRIPT_STOPPED);
    transcript_player_free(player);
    if (outcome == TRANSCRIPT_PLAYED)
        return transcript;
    transcript_free(transcript);
    return NULL;
}

static void check_round(const uint8_t *bytes, size_t length)
{
    struct transcript *once = written_again(bytes, length), *twice;
    size_t one_length, other_length;
    if (!once)
        return;
    const uint8_t *one = transcript_end(once, &one_length);
    twice = written_again(one, one_length);
    CHECK(one && twice);
    const uint8_t *other = transcript_end(twice, &other_length);
    CHECK(other && one_length == other_length && memcmp(one, other, one_length) == 0);
    transcript_free(once);
    transcript_free(twice);
}

FUZZ_TARGET(transcript)
{
    struct armtap_diagnosis *diagnosis;
    size_t before = bytes_held();
    struct transcript_player *player = transcript_player_new();
    uint8_t *bytes = framed(data, size);
    CHECK(player && armtap_diagnosis_new(NULL, &diagnosis) == ARMTAP_OK);
    CHECK(transcript_play(player, bytes, 1 + size + SUM_BYTES, armtap_diagnosis_sink(diagnosis), diagnosis) !=
          TRANSCRIPT_STOPPED);
    CHECK(armtap_diagnosis_finish(diagnosis) == ARMTAP_OK);
    CHECK(bytes_held() <= before + HELD_MOST(size));
    armtap_diagnosis_free(diagnosis);
    transcript_player_free(player);
    check_round(bytes, 1 + size + SUM_BYTES);
    free(bytes);
    return 0;
}
