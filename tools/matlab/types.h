/* What columns and variables hold. */
#ifndef MATLAB_TYPES_H
#define MATLAB_TYPES_H

#include "matlab.h"

enum matlab_class {
#define MATLAB_CLASS(id, name, width) MATLAB_CLASS_##id,
#include "classes.def"
#undef MATLAB_CLASS
    MATLAB_CLASSES
};

struct matlab_class_row {
    const char *name;
    size_t width; /* bytes of a value */
};

struct matlab_type_row {
    unsigned width; /* bytes of a value; 0: texts */
    enum matlab_class class;
};

const struct matlab_class_row *matlab_class_row(enum matlab_class class);
const struct matlab_type_row *matlab_type_row(enum matlab_type type);

static inline bool matlab_type_is_text(enum matlab_type type)
{
    return matlab_type_row(type)->width == 0;
}

#endif
