/* A bag of ROS 2 (-o DIR/): DIR/DIR_0.mcap, and DIR/metadata.yaml, which says what is in it. Source: ros2/rosbag2,
 * rosbag2_storage: metadata_io. */
#ifndef EXPORT_BAG_H
#define EXPORT_BAG_H

#include "base/text/buffer.h"

/* NULL without memory; the caller frees. `folder` ends in a slash; `ending` as in ".mcap". */
char *bag_file_name(const char *folder, const char *ending);
char *bag_metadata_name(const char *folder);
/* Whether the folder may become a bag whose file is `file`: it has a name, and is new, empty or that bag. 0, or -1
 * after a message. */
int bag_check_folder(const char *folder, const char *file);

struct bag_counts {
    uint64_t messages;
    int64_t first, last; /* times; 0 without messages */
};
/* Begins metadata.yaml; topics follow. */
void bag_begin(struct buffer *out, const struct bag_counts *counts);
void bag_topic(struct buffer *out, const char *name, const char *type, uint64_t messages);
/* `file`: the name of the bag's only file. */
void bag_end(struct buffer *out, const char *file, const struct bag_counts *counts, bool has_topics);

#endif
