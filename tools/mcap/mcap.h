/* Writes MCAP files. Knows channels and messages, but neither what they say nor files on a disk.
 *
 * Messages are collected in chunks, which are compressed on the packer's threads. The file can be read while it is
 * written, and if its end is missing. Source: foxglove/mcap, website/docs/spec/index.md. */
#ifndef MCAP_MCAP_H
#define MCAP_MCAP_H

#include "base/bytes/compression.h"
#include "base/bytes/spool.h"

struct mcap_options {
    struct packer *packer;
    struct spool *spool; /* for what the summary repeats at the end */
    /* Takes the file's bytes, in order. 0, or -1 after a message. */
    int (*write)(void *user, const char *bytes, size_t length);
    void *user;
    bool is_alone;       /* no other file is written meanwhile: several chunks may be held, to compress them together */
    const char *profile; /* "ros2", or "" */
    const char *library; /* who writes: "armtap 0.2.0" */
};

struct mcap_file;

/* NULL without memory. The options' pointers must outlive the file. */
struct mcap_file *mcap_file_new(const struct mcap_options *options);
void mcap_file_free(struct mcap_file *file);
/* Writes the beginning. 0, or -1 after a message. */
int mcap_file_open(struct mcap_file *file);

/* Ids are 16 bits wide. */
#define MCAP_IDS_MAX 65535
#define MCAP_NO_ID 0

struct mcap_schema {
    const char *name;
    const char *encoding;
    const char *text;
    size_t length;
};
struct mcap_channel {
    unsigned schema; /* id */
    const char *topic;
    const char *encoding;
    const struct buffer *metadata; /* a map */
};
/* Appends an entry to a map. */
void mcap_map_add(struct buffer *map, const char *key, const char *value, size_t length);
/* These add what is described, at any time before it is used: it is in the chunk of the first message that needs it, or
 * in one before. An id, or MCAP_NO_ID after a message. */
unsigned mcap_file_add_schema(struct mcap_file *file, const struct mcap_schema *schema);
unsigned mcap_file_add_channel(struct mcap_file *file, const struct mcap_channel *channel);
/* 0, or -1 after a message. */
int mcap_file_add_metadata(struct mcap_file *file, const char *name, const struct buffer *map);

/* ---- messages ---- */

/* A message on its way into a file is a record of its own, which any thread may make: its data is appended to `out`
 * between these two. Returns where it begins in `out`. The two marks, of 16 and 32 bits, are the caller's. */
size_t mcap_message_begin(struct buffer *out, unsigned mark, uint32_t mark32, int64_t time);
void mcap_message_end(struct buffer *out, size_t begin);
/* The same for what the caller must know about the messages that follow; it does not reach the file. */
size_t mcap_aside_begin(struct buffer *out);

/* Reads one of a series of such records. */
struct mcap_message {
    bool is_aside; /* `data` is the caller's, without marks */
    unsigned mark;
    uint32_t mark32;
    const char *record;
    size_t record_length;
    const char *data;
    size_t length;
};
struct mcap_message mcap_message_at(const char *record);

/* Adds a message to a channel. 0, or -1 after a message. */
int mcap_file_message(struct mcap_file *file, unsigned channel, const struct mcap_message *message);
/* Bytes of memory that mcap_file_ease() would free. It depends on the messages only, not on the number of threads: 0 if
 * the file is alone, as it holds some chunks at most. */
size_t mcap_file_held(const struct mcap_file *file);
/* Writes them and frees that memory. 0, or -1 after a message. */
int mcap_file_ease(struct mcap_file *file);
/* Writes them; keeps the memory. 0, or -1 after a message. */
int mcap_file_flush(struct mcap_file *file);
/* Writes what is left, and the summary. 0, or -1 after a message. */
int mcap_file_end(struct mcap_file *file);

/* ---- counts ---- */

struct mcap_counts {
    uint64_t messages;
    int64_t first, last; /* times; 0 without messages */
};
struct mcap_counts mcap_file_counts(const struct mcap_file *file);
uint64_t mcap_file_channel_messages(const struct mcap_file *file, unsigned channel);

#endif
