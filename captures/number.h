/* Numbers that are the same on every machine: a random generator, and the few functions that libm implementations round
 * differently. They use only + - * / of doubles; include this wherever such numbers are computed. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

/* Forbid fused multiply-add. gcc does not fuse under -std=c11 anyway, and does not know the pragma. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define NUMBER_PI 3.14159265358979323846

struct prng {
    uint64_t state;
};
/* The next 64 random bits. */
uint64_t prng_next(struct prng *prng);
/* Uniformly distributed in low <= x < high. */
double prng_between(struct prng *prng, double low, double high);
/* Bell-shaped around 0 with standard deviation `sigma`, never beyond 3.5 of it. */
double prng_noise(struct prng *prng, double sigma);
/* True once in `n` times on average. */
int prng_one_in(struct prng *prng, unsigned n);

/* Angles in rad, up to some thousand turns. */
double number_sin(double x);
double number_cos(double x);
/* 0 to pi for y >= 0, below 0 for y < 0 */
double number_atan2(double y, double x);
/* For 0 and 1e-100 ... 1e100. */
double number_sqrt(double x);
/* The nearest whole multiple of `step`; never -0. */
double number_round_to(double x, double step);
double number_abs(double x);

#endif
