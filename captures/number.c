#include "number.h"

/* splitmix64 */
uint64_t prng_next(struct prng *prng)
{
    uint64_t z = prng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double prng_between(struct prng *prng, double low, double high)
{
    return low + (high - low) * ((double)(prng_next(prng) >> 11) * 0x1p-53);
}

double prng_noise(struct prng *prng, double sigma)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += prng_between(prng, -1, 1);
    return sum * 0.8660254037844386 * sigma;
}

int prng_one_in(struct prng *prng, unsigned n)
{
    return prng_next(prng) % n == 0;
}

double number_abs(double x)
{
    return x < 0 ? -x : x;
}

double number_round_to(double x, double step)
{
    double steps = x / step;
    return (double)(int64_t)(steps < 0 ? steps - 0.5 : steps + 0.5) * step + 0.0;
}

/* Sine for phase 0, cosine for phase 1, by Taylor's series on an eighth of a turn around the next quarter. */
static double sine_of_quarter(double x, int phase)
{
    int64_t quarter = (int64_t)(x * (2 / NUMBER_PI) + (x < 0 ? -0.5 : 0.5));
    double r = (x - (double)quarter * 0x1.921fb544p+0) - (double)quarter * 0x1.0b4611a626331p-34;
    unsigned turn = (unsigned)(quarter + phase) & 3;
    int even = turn & 1;
    double term = even ? 1 : r;
    double sum = term;
    for (int n = even ? 1 : 2; n < 20; n += 2) {
        term = -term * r * r / (double)(n * (n + 1));
        sum += term;
    }
    return turn & 2 ? -sum : sum;
}

double number_sin(double x)
{
    return sine_of_quarter(x, 0);
}

double number_cos(double x)
{
    return sine_of_quarter(x, 1);
}

/* For 0 <= t <= 1. */
static double atan_of_ratio(double t)
{
    double base = 0;
    if (t > 0.4142135623730951) {
        base = NUMBER_PI / 4;
        t = (t - 1) / (t + 1);
    }
    double power = t;
    double sum = t;
    for (int n = 3; n < 48; n += 2) {
        power = -power * t * t;
        sum += power / (double)n;
    }
    return base + sum;
}

double number_atan2(double y, double x)
{
    double ay = number_abs(y);
    double ax = number_abs(x);
    if (ax == 0 && ay == 0)
        return 0;
    double angle = ay <= ax ? atan_of_ratio(ay / ax) : NUMBER_PI / 2 - atan_of_ratio(ax / ay);
    if (x < 0)
        angle = NUMBER_PI - angle;
    return y < 0 ? -angle : angle;
}

double number_sqrt(double x)
{
    if (!(x > 0))
        return 0;
    /* Newton's steps approach from above and end where rounding stops them. */
    double root = x > 1 ? x : 1;
    for (double next = 0.5 * (root + x / root); next < root; next = 0.5 * (root + x / root))
        root = next;
    return root;
}
