/* Capture files, read and written without libpcap: what the library and the program are compared with must not come
 * from their own reader. */
#ifndef TRANSPORT_CAPTUREFILE_H
#define TRANSPORT_CAPTUREFILE_H

#include "support.h"

enum link { LINK_NULL = 0, LINK_ETHERNET = 1, LINK_RAW = 101, LINK_LOOP = 108, LINK_SLL = 113, LINK_SLL2 = 276 };

struct packet {
    int64_t time; /* ns since the epoch */
    size_t at;    /* offset of its bytes in `bytes` of the list */
    size_t length;
    size_t end; /* where its block ends in the file */
};

/* Packets in the order of capture; `bytes` holds the bytes of all. */
struct capture_list {
    struct bytes bytes;
    struct packet *packets;
    size_t count, room;
    enum link link;
};
void capture_list_add(struct capture_list *list, int64_t time, const struct bytes *packet);
void capture_list_free(struct capture_list *list);

/* Reads a whole file as it is. */
void file_read_packed(const char *name, struct bytes *content);
/* Reads a whole file, decompressed if it is gzip. */
void file_read(const char *name, struct bytes *content);
void file_write(const char *name, const void *content, size_t length);
/* Decompresses what it can of a file that may be damaged; false if it is not gzip at all. */
bool gunzip(const struct bytes *packed, struct bytes *content);
void gzip(const struct bytes *content, struct bytes *packed);

/* Takes a pcap or pcapng file apart; `bytes` of the list are a copy of the file. */
void capture_parse(const struct bytes *file, struct capture_list *list);

struct file_form {
    bool pcapng, big_endian, nanoseconds, gzipped;
};
/* Writes the packets [from, to) as a file. */
void capture_form(const struct capture_list *list, size_t from, size_t to, const struct file_form *form,
                  struct bytes *file);

#endif
