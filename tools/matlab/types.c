#include "types.h"

const struct matlab_class_row *matlab_class_row(enum matlab_class class)
{
    static const struct matlab_class_row rows[MATLAB_CLASSES] = {
#define MATLAB_CLASS(id, name, width) [MATLAB_CLASS_##id] = {(name), (width)},
#include "classes.def"
#undef MATLAB_CLASS
    };
    return &rows[class];
}

const struct matlab_type_row *matlab_type_row(enum matlab_type type)
{
    static const struct matlab_type_row rows[MATLAB_TYPES] = {
#define MATLAB_TYPE(id, width, class) [MATLAB_##id] = {(width), MATLAB_CLASS_##class},
#include "types.def"
#undef MATLAB_TYPE
    };
    return &rows[type];
}
