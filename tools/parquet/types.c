#include "types.h"

static const struct parquet_type_row rows[PARQUET_TYPES] = {
#define PARQUET_TYPE(id, physical, width, converted, logical)                                                          \
    [PARQUET_##id] = {PARQUET_PHYSICAL_##physical, (width), (converted), PARQUET_LOGICAL_##logical},
#include "types.def"
#undef PARQUET_TYPE
};

const struct parquet_type_row *parquet_type_row(enum parquet_type type)
{
    return &rows[type];
}
