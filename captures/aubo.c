#include "aubo.h"

#include <stdlib.h>
#include <string.h>

void aubo_begin(struct aubo *aubo)
{
    struct topics topics = aubo->topics;
    memset(aubo, 0, sizeof *aubo);
    aubo->topics = topics;
    aubo->topics.numbers = false;
    aubo->separator = "";
}

void aubo_request(struct json *json, unsigned channel, double frequency, const char *names, bool to_server)
{
    json_text(json, "[100,{\"chanel\":");
    json_integer(json, channel);
    json_text(json, ",\"frequency\":");
    json_number(json, frequency);
    json_text(json, ",\"segments\":[");
    while (names && *names) {
        size_t length = strcspn(names, ",");
        json_string(json, names, length);
        names += length;
        if (*names == ',') {
            json_text(json, ",");
            names++;
        }
    }
    json_text(json, "],\"to_server\":");
    json_text(json, to_server ? "true" : "false");
    json_text(json, ",\"trigger\":0}]");
}

bool aubo_publish(struct aubo *aubo, unsigned channel, const char *const *values, size_t count, struct json *json)
{
    const char *names = aubo->published[channel];
    json_text(json, "[");
    json_integer(json, channel);
    for (size_t i = 0; i < count; i++) {
        size_t length = names ? strcspn(names, ",") : 0;
        if (length == 0 || !topics_write(&aubo->topics, names, length, strtod(values[i], NULL)))
            return false;
        json_text(json, ",");
        json_text(json, values[i]);
        names += length;
        names += *names == ',';
    }
    json_text(json, "]");
    return names && !*names;
}

void aubo_data(const struct aubo *aubo, unsigned channel, struct json *json)
{
    const char *names = aubo->subscriptions[channel].names;
    json_text(json, "[");
    json_integer(json, channel);
    while (*names) {
        size_t length = strcspn(names, ",");
        json_text(json, ",");
        topics_put(&aubo->topics, names, length, json);
        names += length;
        names += *names == ',';
    }
    json_text(json, "]");
}
