/* Whether a connection is the rest of one that was given up because there were more at once than armtap tracks. */
#ifndef ARMTAP_REST_H
#define ARMTAP_REST_H

enum armtap_rest {
    ARMTAP_REST_NOT,
    ARMTAP_REST_PERHAPS, /* such connections were forgotten */
    ARMTAP_REST_SURELY
};

#endif
