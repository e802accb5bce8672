/* What armtap needs of Npcap's headers, which it is not built with. */
#ifndef OS_WINDOWS_PCAP_H
#define OS_WINDOWS_PCAP_H

#include <sys/time.h>

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

#endif
