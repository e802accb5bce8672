/* libpcap as a table of its functions: linked with the program, or a library of the machine that it finds when it runs.
 * Only what captures from interfaces includes this. */
#ifndef BASE_LIBPCAP_H
#define BASE_LIBPCAP_H

#include <stddef.h>

#ifdef _WIN32
#include <sys/time.h>

/* As in Npcap's headers, which the program is not built with. */
typedef struct pcap pcap_t;
typedef unsigned char u_char;
typedef unsigned bpf_u_int32;
struct pcap_pkthdr {
    struct timeval ts; /* its seconds have 32 bits */
    bpf_u_int32 caplen, len;
};
struct bpf_program {
    unsigned bf_len;
    void *bf_insns;
};
struct pcap_stat {
    unsigned ps_recv, ps_drop, ps_ifdrop, ps_capt, ps_sent, ps_netdrop;
};
enum { PCAP_ERROR = -1, PCAP_ERROR_PERM_DENIED = -8, PCAP_ERROR_PROMISC_PERM_DENIED = -11 };
enum { PCAP_ERRBUF_SIZE = 256, PCAP_TSTAMP_PRECISION_NANO = 1, DLT_RAW = 12 };
#define PCAP_NETMASK_UNKNOWN 0xFFFFFFFFu
#else
#include <pcap/pcap.h>
#endif

struct libpcap {
#define LIBPCAP(type, name, arguments) type(*name) arguments;
#include "libpcap.def"
#undef LIBPCAP
};
/* NULL: this machine has none. */
const struct libpcap *libpcap(void);

/* Waits until packets came, at most that long. libpcap's own timeout does not do: without packets it may never
 * return. */
void libpcap_wait(pcap_t *pcap, int ms);
/* What pcap_create() takes for the interface that people call `name`; `device` is room for it. */
#define LIBPCAP_DEVICE_MAX 256
const char *libpcap_device(const char *name, char device[LIBPCAP_DEVICE_MAX]);
/* The interfaces that this user may capture from, as a sentence names them; "" if none. */
void libpcap_interfaces(char *list, size_t room);
/* What somebody does who may not capture. */
extern const char libpcap_remedy[];

#endif
