/* What a source is, before it is read. */
#include "replay.h"

#include "input/files/input_files.h"
#include "input/robots/robot_traffic.h"
#include "input/sidecars/sidecar.h"

bool replay_is_repeatable(const struct replay_source *source)
{
    return !replay_is_endless(source) && !source->follow && inputs_are_ordinary(source->inputs, source->count);
}

const char *replay_file_name(const struct replay_source *source, uint32_t file)
{
    if (source->archive)
        return file < archive_count(source->archive) ? archive_name(source->archive, file) : NULL;
    return file < source->count ? source->names[file] : NULL;
}

bool replay_has_several_files(const struct replay_source *source)
{
    return source->archive ? archive_count(source->archive) > 1 : source->count > 1;
}

bool replay_is_endless(const struct replay_source *source)
{
    return source->interface || source->robots;
}

bool replay_asks_for_fields(const struct replay_source *source)
{
    for (size_t i = 0; source->robots && i < source->robots->named; i++)
        if (source->robots->robots[i].protocol != ARMTAP_RTDE)
            return false;
    return source->robots;
}

bool replay_is_live(const struct replay_source *source)
{
    return replay_is_endless(source) || source->follow || inputs_go_on(source->inputs, source->count);
}
