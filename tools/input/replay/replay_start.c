#include "replay_start.h"

#include "base/process/message.h"
#include "input/files/input_files.h"

void replay_start_say(const struct replay_source *source, const struct timestamp *from)
{
    uint64_t bytes = from->given && !replay_is_endless(source) ? inputs_length(source->inputs, source->count) : 0;
    if (bytes >= REPLAY_START_SAY_BYTES)
        message_info(
            "--from: all before it is decoded, too, of %.1f GB, since streams are set up there; to skip it, cut "
            "the capture into files (editcap -i 600), run armtap index on them, and give --after",
            (double)bytes / 1e9);
}
