/* TRY(call): returns the call's error, if it is one. */
#ifndef ARMTAP_TRY_H
#define ARMTAP_TRY_H

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int try_error = (call);                                                                                        \
        if (try_error)                                                                                                 \
            return try_error;                                                                                          \
    } while (0)

#endif
