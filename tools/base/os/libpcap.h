/* libpcap as a table of its functions: linked with the program, or a library of the machine that it finds when it runs.
 * Only what captures from interfaces includes this. */
#ifndef BASE_LIBPCAP_H
#define BASE_LIBPCAP_H

#include <stddef.h>

#include <pcap/pcap.h>

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
