#define _DEFAULT_SOURCE /* u_char, which libpcap needs */
#include "base/os/libpcap.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

const char libpcap_remedy[] = "run it with sudo (armtap drops root once the interface is open), grant the program the "
                              "right: sudo setcap cap_net_raw+ep $(command -v armtap), or capture with sudo tcpdump -w "
                              "FILE and read the file";

const struct libpcap *libpcap(void)
{
    static const struct libpcap linked = {
#define LIBPCAP(type, name, arguments) .name = pcap_##name,
#include "base/os/libpcap.def"
#undef LIBPCAP
    };
    return &linked;
}

void libpcap_wait(pcap_t *pcap, int ms)
{
    struct pollfd poller = {.fd = pcap_get_selectable_fd(pcap), .events = POLLIN};
    poll(&poller, poller.fd < 0 ? 0 : 1, ms);
}

const char *libpcap_device(const char *name, char device[LIBPCAP_DEVICE_MAX])
{
    (void)device;
    return name;
}

void libpcap_interfaces(char *list, size_t room)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_if_t *all = NULL;
    size_t length = 0;
    list[0] = '\0';
    if (pcap_findalldevs(&all, error) != 0)
        return;
    for (const pcap_if_t *one = all; one && length + strlen(one->name) + 3 < room; one = one->next)
        length += (size_t)snprintf(list + length, room - length, "%s%s", length == 0 ? "" : " ", one->name);
    pcap_freealldevs(all);
}
