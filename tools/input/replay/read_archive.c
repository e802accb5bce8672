/* A capture with what the sidecars of those around it kept. */
#include "run.h"

#include "input/sidecars/sidecar.h"
#include "base/process/message.h"
#include "inside.h"

static void refuse_sidecar(struct run *run, const struct sidecar *sidecar)
{
    const char *folder = archive_folder(run->source->archive);
    message_error("%s: the sidecar of %s does not continue the previous ones: a capture is missing, or bytes were "
                  "missing where it began; index all captures together: armtap index -o %s CAPTURE...",
                  folder, sidecar->capture, folder);
    run->stopped = run->totals->broken_off = true;
}

/* Gives the net what a sidecar kept of its capture. */
static void push_kept(struct run *run, const struct sidecar *sidecar, uint32_t file)
{
    uint64_t repeated = run_begin_section(run, &sidecar->section);
    for (size_t i = 0; i < sidecar->kept_count && !run->stopped; i++) {
        struct armtap_packet packet = sidecar->kept[i].packet;
        packet.where.file = file;
        if (packet.where.packet <= repeated)
            continue;
        int outcome = sidecar->kept[i].is_stretch
                          ? armtap_net_pass(run->net, &packet.where, packet.data, packet.captured)
                          : armtap_net_packet(run->net, &packet);
        if (outcome == ARMTAP_ERR_NOT_READY || outcome == ARMTAP_ERR_NOT_OURS)
            refuse_sidecar(run, sidecar);
        else
            run_check(run, outcome);
        run_turn(run);
    }
}

static void run_sidecar(struct run *run, uint32_t file)
{
    struct sidecar sidecar;
    if (archive_load(run->source->archive, file, &sidecar) == 0)
        push_kept(run, &sidecar, file);
    else
        run->stopped = run->totals->broken_off = true;
    if (!run->totals->elsewhere)
        run->totals->packets += sidecar.packets;
    sidecar_free(&sidecar);
}

static void tell_capture(struct run *run, bool begins)
{
    if (!run->source->on_capture || run->stopped)
        return;
    run->stop.why = run->source->on_capture(run->stop.user, begins);
    if (run->stop.why != REPLAY_GO_ON)
        run_stop(run, ARMTAP_ERR_STOPPED);
}

/* Connections that go on after the capture are left open. The last capture ends with them, and is not said to end. */
void run_archive(struct run *run)
{
    const struct archive *archive = run->source->archive;
    size_t current = archive_current(archive);
    bool is_read = run->source->part != REPLAY_SIDECARS || !archive_current_is_indexed(archive);
    size_t count = run->source->part == REPLAY_CAPTURE ? current + 1 : archive_count(archive);
    run->totals->first_time = archive_first_time(archive);
    for (uint32_t i = 0; i < count && !run->stopped && !run->ended; i++) {
        run->totals->elsewhere = i != current;
        if (i == current)
            tell_capture(run, true);
        if (i == current && is_read)
            run_file(run, i);
        else
            run_sidecar(run, i);
        if (i == current && i + 1 < archive_count(archive))
            tell_capture(run, false);
    }
    run->ended = run->ended || count < archive_count(archive);
}
