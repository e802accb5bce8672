#include "ros.h"

void ros_publish_log(const struct ros_log *log, const struct ros_out *out)
{
    out->begin(out->user, ROS_TOPIC_rosout);
    const struct cdr cdr = cdr_begin(out->bytes);
    cdr_time(&cdr, log->time);
    cdr_u8(&cdr, (uint8_t)log->level);
    cdr_foreign_text(&cdr, log->name, strlen(log->name));
    cdr_foreign_text(&cdr, log->text, log->text_length);
    cdr_foreign_text(&cdr, log->file, strlen(log->file));
    cdr_foreign_text(&cdr, log->function, log->function_length);
    cdr_u32(&cdr, log->line > UINT32_MAX ? UINT32_MAX : (uint32_t)log->line);
    out->end(out->user);
}

enum ros_level ros_level_of_severity(enum armtap_severity severity)
{
    switch (severity) {
    case ARMTAP_ERROR:
        return ROS_ERROR;
    case ARMTAP_WARNING:
        return ROS_WARNING;
    default:
        return ROS_INFO;
    }
}
