/* armtap dissector: a dissector for Wireshark. */
#include <stdio.h>

#include "base/process/message.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "dissector.h"

static const struct option_usage usage = {
    .command = "dissector",
    .arguments = "",
    .summary =
        "Prints a dissector for Wireshark 3.6 and later, in Lua: realtime packets, RTDE, the primary interface, the "
        "dashboard server and External Control of Universal Robots, and AUBO's RTDE, with all fields as display "
        "filters: ur_rtde.actual_q_0 > 1. `tshark -G folders` names the folders where Wireshark looks for it.",
    .examples = "  mkdir -p ~/.local/lib/wireshark/plugins\n"
                "  armtap dissector > ~/.local/lib/wireshark/plugins/armtap.lua\n"
                "  tshark -r robot.pcap -Y 'ur_rtde.robot_mode != 7' -T fields -e frame.number -e ur_rtde.timestamp\n"};

int cmd_dissector(int argc, char **argv)
{
    struct options options;
    int status = EXIT_FAILED;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &options, NULL);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (options.operand_count != 0)
        message_error("dissector: takes no capture; Wireshark reads it");
    else if (dissector_tables(stdout) == 0) {
        for (const char *const *line = dissector_lines; *line; line++)
            fputs(*line, stdout);
        status = EXIT_DONE;
    }
    options_free(&options);
    return status;
}
