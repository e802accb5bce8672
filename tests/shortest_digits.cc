/* Doubles of standard input as digits and an exponent of ten, a line each, by every way that number_shortest.h has
 * here: "1234 -3 1234 -3 1234 -3". Its first line names them. For number-check.py. */
#include "base/numbers/number_shortest.h"

#include <cinttypes>
#include <cstdio>

namespace
{

const struct {
    const char *name;
    number_shortest::decimal (*of)(double);
} ways[] = {
#ifdef ARMTAP_WITH_DRAGONBOX
    {"dragonbox", number_shortest::by_dragonbox},
#endif
#ifdef __cpp_lib_to_chars
    {"to_chars", number_shortest::by_to_chars},
#endif
    {"printf", number_shortest::by_printf},
};

} // namespace

int main()
{
    double number;
    for (const auto &way : ways)
        std::printf("%s ", way.name);
    std::printf("\n");
    while (std::fread(&number, sizeof number, 1, stdin) == 1) {
        for (const auto &way : ways) {
            const number_shortest::decimal decimal = way.of(number);
            std::printf("%" PRIu64 " %d ", decimal.significand, decimal.exponent);
        }
        std::printf("\n");
    }
    return 0;
}
