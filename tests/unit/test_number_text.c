/* Numbers as text, compared with Python's repr and with strtod. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../share.h"
#include "base/numbers/number_text.h"

/* Bits of a double and the text of Python 3.11: repr(struct.unpack("<d", struct.pack("<Q", bits))[0]). */
static const struct pair {
    uint64_t bits;
    const char *text;
} pairs[] = {
    /* clang-format off */
    {UINT64_C(0x0000000000000000), "0.0"},
    {UINT64_C(0x8000000000000000), "-0.0"},
    {UINT64_C(0x3ff0000000000000), "1.0"},
    {UINT64_C(0xbff0000000000000), "-1.0"},
    {UINT64_C(0x3fb999999999999a), "0.1"},
    {UINT64_C(0xbfb999999999999a), "-0.1"},
    {UINT64_C(0x3fe0000000000000), "0.5"},
    {UINT64_C(0x3fe5555555555555), "0.6666666666666666"},
    {UINT64_C(0x3fd5555555555555), "0.3333333333333333"},
    {UINT64_C(0x400921fb54442d18), "3.141592653589793"},
    {UINT64_C(0xc00921fb54442d18), "-3.141592653589793"},
    {UINT64_C(0x4005bf0a8b145769), "2.718281828459045"},
    {UINT64_C(0x4059000000000000), "100.0"},
    {UINT64_C(0x412e848000000000), "1000000.0"},
    {UINT64_C(0x40fe240c9fbe76c9), "123456.789"},
    {UINT64_C(0x7ff0000000000000), "inf"},
    {UINT64_C(0xfff0000000000000), "-inf"},
    {UINT64_C(0x7ff8000000000000), "nan"},
    {UINT64_C(0x0000000000000001), "5e-324"},
    {UINT64_C(0x0000000000000002), "1e-323"},
    {UINT64_C(0x0010000000000000), "2.2250738585072014e-308"},
    {UINT64_C(0x000fffffffffffff), "2.225073858507201e-308"},
    {UINT64_C(0x0010000000000001), "2.225073858507202e-308"},
    {UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308"},
    {UINT64_C(0xffefffffffffffff), "-1.7976931348623157e+308"},
    {UINT64_C(0x3ee4f8b588e368f1), "1e-05"},
    {UINT64_C(0x3ee4f8b588e368f0), "9.999999999999999e-06"},
    {UINT64_C(0x3f1a36e2eb1c432d), "0.0001"},
    {UINT64_C(0x3f1a36e2eb1c432c), "9.999999999999999e-05"},
    {UINT64_C(0x3f1a36e2eb1c432e), "0.00010000000000000002"},
    {UINT64_C(0x3f50624dd2f1a9fc), "0.001"},
    {UINT64_C(0x3f8930be0ded288d), "0.0123"},
    {UINT64_C(0x430c6bf526340000), "1000000000000000.0"},
    {UINT64_C(0x4341c37937e08000), "1e+16"},
    {UINT64_C(0x4376345785d8a000), "1e+17"},
    {UINT64_C(0x4341c37937e07fff), "9999999999999998.0"},
    {UINT64_C(0x4341c37937e07ffe), "9999999999999996.0"},
    {UINT64_C(0x4341c37937e08001), "1.0000000000000002e+16"},
    {UINT64_C(0x430c6bf52633ffff), "999999999999999.9"},
    {UINT64_C(0x444b1ae4d6e2ef50), "1e+21"},
    {UINT64_C(0x4480f0cf064dd592), "1e+22"},
    {UINT64_C(0x44b52d02c7e14af6), "1e+23"},
    {UINT64_C(0x4340e0198eaee000), "9500000000000000.0"},
    {UINT64_C(0x4345ee2a2eb5a5c4), "1.2345678901234568e+16"},
    {UINT64_C(0x437b69b4ba630f35), "1.2345678901234568e+17"},
    {UINT64_C(0x433fffffffffffff), "9007199254740991.0"},
    {UINT64_C(0x4340000000000000), "9007199254740992.0"},
    {UINT64_C(0x4340000000000001), "9007199254740994.0"},
    {UINT64_C(0x4330000000000000), "4503599627370496.0"},
    {UINT64_C(0x432fffffffffffff), "4503599627370495.5"},
    {UINT64_C(0x4320000000000000), "2251799813685248.0"},
    {UINT64_C(0x54b249ad2594c37d), "1e+100"},
    {UINT64_C(0x2b2bff2ee48e0530), "1e-100"},
    {UINT64_C(0x547d42aea2879f2e), "1e+99"},
    {UINT64_C(0x54b249354bbf381a), "9.999e+99"},
    {UINT64_C(0x7fe1ccf385ebc8a0), "1e+308"},
    {UINT64_C(0x0031fa182c40c60d), "1e-307"},
    {UINT64_C(0x3e112e0be826d695), "1e-09"},
    {UINT64_C(0x3ddb7cdfd9d7bdbb), "1e-10"},
    {UINT64_C(0x41cdcd6500000000), "1000000000.0"},
    {UINT64_C(0x4202a05f20000000), "10000000000.0"},
    {UINT64_C(0x3eb0000000000000), "9.5367431640625e-07"},
    {UINT64_C(0x3e40000000000000), "7.450580596923828e-09"},
    {UINT64_C(0x3bf0000000000000), "5.421010862427522e-20"},
    {UINT64_C(0x0000000000000003), "1.5e-323"},
    {UINT64_C(0x7fe0000000000000), "8.98846567431158e+307"},
    {UINT64_C(0x43e0000000000000), "9.223372036854776e+18"},
    {UINT64_C(0x43f0000000000000), "1.8446744073709552e+19"},
    {UINT64_C(0xc3e0000000000000), "-9.223372036854776e+18"},
    {UINT64_C(0x3ff3c0ca428c59fb), "1.2345678901234567"},
    {UINT64_C(0x3fd3333333333334), "0.30000000000000004"},
    {UINT64_C(0x3ff199999999999a), "1.1"},
    {UINT64_C(0x400199999999999a), "2.2"},
    {UINT64_C(0x400a666666666667), "3.3000000000000003"},
    {UINT64_C(0x4011666666666666), "4.35"},
    {UINT64_C(0x3f202e85be111841), "0.000123456789"},
    {UINT64_C(0x447c7e83209e90b2), "8.41e+21"},
    {UINT64_C(0x43f2250fa08398d4), "2.0919495182368195e+19"},
    {UINT64_C(0x43f6af2fe0065ebf), "2.6153245263757308e+19"},
    {UINT64_C(0x4396fe1102d75464), "4.1419510420479e+17"},
    {UINT64_C(0x43d27263fb6d773d), "5.316939086208759e+18"},
    {UINT64_C(0x43e052961c6f8000), "9.409340012568248e+18"},
    {UINT64_C(0x3e12ae95fe9842ce), "1.0874341378571176e-09"},
    {UINT64_C(0x41b1de784a000000), "299792458.0"},
    {UINT64_C(0x44dfe185ca57c517), "6.02214076e+23"},
    {UINT64_C(0x390b860bde023111), "6.62607015e-34"},
    {UINT64_C(0xbff921fb54442d18), "-1.5707963267948966"},
    {UINT64_C(0xc000c152382d7365), "-2.0943951023931953"},
    {UINT64_C(0x3f80624dd2f1a9fc), "0.008"},
    {UINT64_C(0x3f90624dd2f1a9fc), "0.016"},
    {UINT64_C(0x4080df9db22d0e56), "539.952"},
    {UINT64_C(0x40963624dd2f1aa0), "1421.536"},
    {UINT64_C(0x406fa00000000000), "253.0"},
    {UINT64_C(0x4020000000000000), "8.0"},
    {UINT64_C(0x3f9a36e2eb1c432d), "0.0256"},
    {UINT64_C(0x4038000000000000), "24.0"},
    {UINT64_C(0x40480ccccccccccd), "48.1"},
    {UINT64_C(0xc0239eb851eb851f), "-9.81"},
    {UINT64_C(0x3a88c240c4aecb14), "1e-26"},
    {UINT64_C(0x3b282db34012b251), "1e-23"},
    {UINT64_C(0x3bc79ca10c924223), "1e-20"},
    {UINT64_C(0x3c670ef54646d497), "1e-17"},
    {UINT64_C(0x3d06849b86a12b9b), "1e-14"},
    {UINT64_C(0x3da5fd7fe1796495), "1e-11"},
    {UINT64_C(0x3e45798ee2308c3a), "1e-08"},
    {UINT64_C(0x3f847ae147ae147b), "0.01"},
    {UINT64_C(0x4024000000000000), "10.0"},
    {UINT64_C(0x40c3880000000000), "10000.0"},
    {UINT64_C(0x416312d000000000), "10000000.0"},
    {UINT64_C(0x42a2309ce5400000), "10000000000000.0"},
    {UINT64_C(0x43e158e460913d00), "1e+19"},
    {UINT64_C(0x0170000000000000), "9.332636185032189e-302"},
    {UINT64_C(0x0940000000000000), "3.9696644133184383e-264"},
    {UINT64_C(0x1110000000000000), "1.688508503057271e-226"},
    {UINT64_C(0x18e0000000000000), "7.182120874830735e-189"},
    {UINT64_C(0x20b0000000000000), "3.054936363499605e-151"},
    {UINT64_C(0x2880000000000000), "1.2994262207056124e-113"},
    {UINT64_C(0x3050000000000000), "5.527147875260445e-76"},
    {UINT64_C(0x3820000000000000), "2.350988701644575e-38"},
    {UINT64_C(0x47c0000000000000), "4.253529586511731e+37"},
    {UINT64_C(0x4f90000000000000), "1.8092513943330656e+75"},
    {UINT64_C(0x5760000000000000), "7.695704335233297e+112"},
    {UINT64_C(0x5f30000000000000), "3.273390607896142e+150"},
    {UINT64_C(0x6700000000000000), "1.392346379889586e+188"},
    {UINT64_C(0x6ed0000000000000), "5.922386521532856e+225"},
    {UINT64_C(0x76a0000000000000), "2.5191046292098296e+263"},
    {UINT64_C(0xa5bcd7916f1acda0), "-6.6574537504677746e-127"},
    {UINT64_C(0x8f36c4874e752da9), "-2.2377025747244433e-235"},
    {UINT64_C(0xab3f753f7a978802), "-2.247256074737924e-100"},
    {UINT64_C(0x3868b7947f240988), "5.810964547499931e-37"},
    {UINT64_C(0x4e42cb6dec0c41a0), "1.0134053090618568e+69"},
    {UINT64_C(0x0e83ed773c224883), "9.563314935563038e-239"},
    {UINT64_C(0x35cf80ea08ef692e), "1.6840326609829576e-49"},
    {UINT64_C(0x022948c5525dcbfb), "3.02040074370407e-298"},
    {UINT64_C(0x3636a9020013b100), "1.5504728967356147e-47"},
    {UINT64_C(0x889dbff14ab39308), "-3.6040229915554874e-267"},
    {UINT64_C(0x86bdd011379eb779), "-3.3636144738394546e-276"},
    {UINT64_C(0x09f5c69a440fa39b), "1.1064650781850237e-260"},
    {UINT64_C(0xfb08f0cb738b0bc5), "-4.635887560226701e+284"},
    {UINT64_C(0xdb10d1737623742a), "-4.663122486936786e+130"},
    {UINT64_C(0x7fbc49997a706039), "1.986415672401812e+307"},
    {UINT64_C(0x9a39dd99cfe66d3d), "-2.4349254418203143e-182"},
    {UINT64_C(0xd0611e750cf708da), "-1.585793370463558e+79"},
    {UINT64_C(0xe7a7c00a7ff97cde), "-2.1163807742863044e+191"},
    {UINT64_C(0x16e54485bc5e2c89), "2.2227606008378232e-198"},
    {UINT64_C(0x9563c77372d9e1ec), "-1.232138744034694e-205"},
    {UINT64_C(0x0f71b1e8b49ebd9d), "2.782613546434921e-234"},
    {UINT64_C(0xc1a1cf76063c2d2c), "-149404419.11753213"},
    {UINT64_C(0xfa822f268c613a86), "-1.3203215834169262e+282"},
    {UINT64_C(0xfb7b822d1b9ff751), "-6.54489692875117e+286"},
    {UINT64_C(0x501fbe34eab62e20), "9.18896925888801e+77"},
    {UINT64_C(0xd72e9066aa95d932), "-9.187969514069941e+111"},
    {UINT64_C(0xd033931fbe596c8f), "-2.2665957702524297e+78"},
    {UINT64_C(0x3ac76f8fd35188b0), "1.514502325390703e-25"},
    {UINT64_C(0x7da5482e1126ecdf), "1.7397915450001894e+297"},
    {UINT64_C(0x20fdd7050a3cb17c), "9.115905869022332e-150"},
    {UINT64_C(0xc344d050ae84e66d), "-1.1717088956239066e+16"},
    {UINT64_C(0xc93d63502353c548), "-6.5537299661192784e+44"},
    {UINT64_C(0xd5d6c046b37d7ab4), "-3.261222985716182e+105"},
    {UINT64_C(0x7e11019446e490a3), "1.77951720889578e+299"},
    {UINT64_C(0x91e929445a74d33c), "-2.175226821766838e-222"},
    {UINT64_C(0x0f823d06d8a8d993), "5.736140415929932e-234"},
    {UINT64_C(0xac338dd76a91886d), "-9.154581892485484e-96"},
    {UINT64_C(0x9c8a0f3b48451efe), "-3.3716192650442323e-171"},
    {UINT64_C(0x462c959615547409), "1.132341628231654e+30"},
    {UINT64_C(0xd45d47868e620866), "-2.501616489151265e+98"},
    {UINT64_C(0x3fd75fd3d3990d80), "0.3652238432298063"},
    {UINT64_C(0xbfec0285bbf2c758), "-0.8753079100481314"},
    {UINT64_C(0xc000be56d41d99a0), "-2.0929390498669846"},
    {UINT64_C(0x3ff91698c4e70dc0), "1.5680167857652663"},
    {UINT64_C(0xbff43ad268549628), "-1.2643608165175326"},
    {UINT64_C(0xc001fc834a33a95c), "-2.248297290517412"},
    {UINT64_C(0x3ffbdca22e266720), "1.7413656046614463"},
    {UINT64_C(0x3fdee3b79c7e7830), "0.4826487568151405"},
    {UINT64_C(0x4014a94270a59530), "5.16529251108777"},
    {UINT64_C(0xc0025e02eca350ee), "-2.2959040152874115"},
    {UINT64_C(0xbffe5a04cfad33a0), "-1.8969772446027733"},
    {UINT64_C(0xc0041fe22735df66), "-2.5155680716815594"},
    {UINT64_C(0xbfe3e492688df680), "-0.6216518442231092"},
    {UINT64_C(0x401109dda17d4d94), "4.259634516976252"},
    {UINT64_C(0x3ffc816b82627e10), "1.7815966694978478"},
    {UINT64_C(0x40152dc888890fa0), "5.29471028648905"},
    {UINT64_C(0xbffecf86984a1b0c), "-1.925665469055903"},
    {UINT64_C(0x3ffceac90ec53398), "1.807320649811322"},
    {UINT64_C(0x4010d4ea41e12e68), "4.207924870842909"},
    {UINT64_C(0x401bca190175629c), "6.947361014165519"},
    {UINT64_C(0x40182c815275abee), "6.043462074691872"},
    {UINT64_C(0xc01600b4c8274636), "-5.500689628026114"},
    {UINT64_C(0x3fce6e535cfec520), "0.2377418712690451"},
    {UINT64_C(0xc01192e2105835c6), "-4.393440490135111"},
    {UINT64_C(0x400edde0b184dbec), "3.8583387249632235"},
    {UINT64_C(0xc016a09f2f16c128), "-5.656857238544298"},
    {UINT64_C(0xc015adbf690fb022), "-5.419675485212823"},
    {UINT64_C(0xc00272ef9c62167a), "-2.306121083968546"},
    {UINT64_C(0x40091e35fea021f8), "3.1397514240854854"},
    {UINT64_C(0x401b73c22a38a5fe), "6.863045367915673"},
    {UINT64_C(0x407002e978d4fdf4), "256.182"},
    {UINT64_C(0x405490a3d70a3d71), "82.26"},
    {UINT64_C(0x405c39999999999a), "112.9"},
    {UINT64_C(0x4078676612839043), "390.46242"},
    {UINT64_C(0x406feccccccccccd), "255.4"},
    {UINT64_C(0xc0524851eb851eb8), "-73.13"},
    {UINT64_C(0x405c81eb851eb852), "114.03"},
    {UINT64_C(0x407eaba64c2f837b), "490.7281"},
    {UINT64_C(0xc079b1c28f5c28f6), "-411.11"},
    {UINT64_C(0x406245c28f5c28f6), "146.18"},
    {UINT64_C(0x40795aac710cb296), "405.6671"},
    {UINT64_C(0x4016b33333333333), "5.675"},
    {UINT64_C(0xc064693f7ced9168), "-163.289"},
    {UINT64_C(0xc077db3333333333), "-381.7"},
    {UINT64_C(0x406329999999999a), "153.3"},
    {UINT64_C(0x7ff0000000000001), "nan"},
    {UINT64_C(0xfff8000000000000), "nan"},
    {UINT64_C(0xffffffffffffffff), "nan"},
    /* clang-format on */
};

static double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The text with a NUL; fails if more was written than NUMBER_MAX. */
static const char *text_of(uint64_t bits, char text[NUMBER_MAX + 1])
{
    char out[NUMBER_MAX + 8];
    memset(out, '#', sizeof out);
    size_t length = number_repr(double_of(bits), out);
    assert_in_range(length, 1, NUMBER_MAX);
    assert_memory_equal(out + NUMBER_MAX, "########", 8);
    memcpy(text, out, length);
    text[length] = '\0';
    return text;
}

static void repr_is_pythons(void **state)
{
    char text[NUMBER_MAX + 1];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(text_of(pairs[i].bits, text), pairs[i].text);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* No shorter text reads back: rounding to one digit less must give another number. */
static void assert_shortest(double number, const char *text)
{
    char fewer[64];
    int digits = 0;
    const char *first = text + strspn(text, "-0.");
    for (const char *c = first; *c != '\0' && *c != 'e'; c++)
        digits += *c >= '0' && *c <= '9';
    const char *end = strchr(text, 'e');
    for (const char *c = end ? end : text + strlen(text); c > first && (c[-1] == '0' || c[-1] == '.'); c--)
        digits -= c[-1] == '0';
    assert_in_range(digits, 1, 17);
    if (digits == 1)
        return;
    snprintf(fewer, sizeof fewer, "%.*e", digits - 2, number);
    assert_true(bits_of(strtod(fewer, NULL)) != bits_of(number));
}

static void any_bits_read_back(void **state)
{
    char text[NUMBER_MAX + 1];
    uint64_t seed = UINT64_C(88172645463325252);
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed);
        if ((bits >> 52 & 0x7FF) == 0x7FF)
            continue;
        /* Half of them have magnitudes that a robot sends. */
        if (i % 2 == 0)
            bits = (bits & ~(UINT64_C(0x7FF) << 52)) | (UINT64_C(1000) + bits % 50) << 52;
        char *end;
        double back = strtod(text_of(bits, text), &end);
        assert_string_equal(end, "");
        if (bits_of(back) != bits)
            fail_msg("%016llx reads back as %016llx: %s", (unsigned long long)bits, (unsigned long long)bits_of(back),
                     text);
        assert_shortest(double_of(bits), text);
    }
}

/* Bits of all kinds: any; magnitudes that a robot sends; few bits set; decimals; floats; beside powers of two. */
static uint64_t varied_bits(unsigned kind, uint64_t *seed)
{
    static const double scales[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7};
    const uint64_t exponent = UINT64_C(0x7FF) << 52;
    uint64_t bits = next_random(seed);
    switch (kind) {
    case 0:
        return (bits & ~exponent) | (UINT64_C(1000) + (bits >> 3) % 50) << 52;
    case 1:
        return bits & ~UINT64_C(0) << next_random(seed) % 53;
    case 2:
        return bits_of((double)(int64_t)(bits % 100000000) / scales[next_random(seed) % 8]);
    case 3:
        return bits_of((float)((double)(int64_t)bits / 1e18));
    case 4:
        return (bits & ~(exponent >> 11)) + bits % 64 - (bits >> 6 & 1 ? 0 : 64);
    default:
        return bits;
    }
}

static void fast_way_is_the_plain_one(void **state)
{
    char fast[NUMBER_MAX + 1], plain[NUMBER_MAX + 1];
    uint64_t seed = UINT64_C(2463534242);
    (void)state;
    unsigned count = (unsigned)share_of(3000000, 200000, "random numbers");
    for (unsigned i = 0; i < count; i++) {
        uint64_t bits = varied_bits(i % 6, &seed);
        size_t length = number_repr(double_of(bits), fast);
        if (length != number_repr_plain(double_of(bits), plain) || memcmp(fast, plain, length) != 0)
            fail_msg("%016llx: %.*s", (unsigned long long)bits, (int)length, fast);
    }
}

/* Every binary exponent has its own power of ten: each power of two, its neighbours, and between. */
static void every_exponent(void **state)
{
    char fast[NUMBER_MAX + 1], plain[NUMBER_MAX + 1];
    (void)state;
    for (uint64_t exponent = 0; exponent < 2048; exponent++)
        for (unsigned bit = 0; bit < 52; bit++)
            for (unsigned way = 0; way < 4; way++) {
                uint64_t mantissa = way < 2 ? UINT64_C(1) << bit : (UINT64_C(1) << 52) - (UINT64_C(1) << bit);
                uint64_t bits = (exponent << 52 | mantissa) - way % 2;
                size_t length = number_repr(double_of(bits), fast);
                assert_int_equal(length, number_repr_plain(double_of(bits), plain));
                assert_memory_equal(fast, plain, length);
            }
}

/* ---- cells of rows ----------------------------------------------------------------------------------------------- */

#define CELLS 90 /* more than a queue takes */

/* Rows whose numbers move or stand still, with and without a queue, in runs of any length. */
struct rows {
    uint8_t wire[CELLS * 8];
    struct number_cell cells[CELLS];
    uint64_t seed;
    size_t converted; /* by queues */
};

static uint64_t wire_bits(const struct rows *rows, size_t cell)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++)
        bits = bits << 8 | rows->wire[cell * 8 + i];
    return bits;
}

static void move_some(struct rows *rows, unsigned kind)
{
    for (size_t cell = 0; cell < CELLS; cell++) {
        uint64_t bits = varied_bits(kind < 6 ? kind : (unsigned)(next_random(&rows->seed) % 6), &rows->seed);
        for (size_t i = 0; i < 8 && rows->seed % 4 != 0; i++)
            rows->wire[cell * 8 + i] = (uint8_t)(bits >> (56 - 8 * i));
    }
}

static void queue_all(struct rows *rows)
{
    struct number_queue queue = {.count = 0};
    for (unsigned from = 0, count; from < CELLS; from += count) {
        count = 1 + (unsigned)(next_random(&rows->seed) % 20);
        count = count < CELLS - from ? count : CELLS - from;
        number_queue_add(&queue, rows->wire + from * 8, count, rows->cells + from);
    }
    number_queue_convert(&queue);
    assert_int_equal(queue.count, 0);
    for (size_t cell = 0; cell < CELLS; cell++)
        rows->converted += rows->cells[cell].length > 0 && rows->cells[cell].bits == wire_bits(rows, cell);
}

/* Each cell has its own number's text by dragonbox. */
static void check_row(struct rows *rows)
{
    static const struct number_words words = {.separator = ';', .nan = "nan", .infinite = NULL};
    char text[CELLS * (NUMBER_MAX + 1) + 8], plain[NUMBER_MAX];
    memset(text, '#', sizeof text);
    const char *end = number_cells_wire(rows->wire, CELLS, &words, rows->cells, text), *at = text;
    for (size_t cell = 0; cell < CELLS; cell++) {
        uint64_t bits = wire_bits(rows, cell);
        size_t length = number_repr_plain(double_of(bits), plain);
        if (memcmp(at, plain, length) != 0)
            fail_msg("%016llx: %.*s", (unsigned long long)bits, (int)length, at);
        at += length;
        assert_true(cell == CELLS - 1 || *at == ';');
        at += cell < CELLS - 1;
    }
    assert_ptr_equal(at, end);
    assert_memory_equal(text + sizeof text - 8, "########", 8);
}

static void queued_cells_are_the_plain_ones(void **state)
{
    struct rows *rows = calloc(1, sizeof *rows);
    (void)state;
    assert_non_null(rows);
    rows->seed = UINT64_C(362436069);
    for (unsigned i = 0; i < 8000; i++) {
        move_some(rows, i % 8);
        if (i % 3 != 0)
            queue_all(rows);
        check_row(rows);
    }
    /* At least half of the numbers are usual. */
    if (number_queue_is_fast())
        assert_in_range(rows->converted, (size_t)4000 * CELLS * 2 / 3, (size_t)8000 * CELLS);
    free(rows);
}

/* Each power of two, its neighbours, and between, eight of one exponent at once. */
static void queued_exponents(void **state)
{
    struct rows *rows = calloc(1, sizeof *rows);
    unsigned powers = 0;
    (void)state;
    assert_non_null(rows);
    rows->seed = 1;
    for (uint64_t exponent = 0; exponent < 2048; exponent++) {
        for (size_t cell = 0; cell < CELLS; cell++) {
            uint64_t bits = exponent << 52 | UINT64_C(1) << cell % 52;
            bits = cell % 3 == 0 ? bits : cell % 3 == 1 ? bits - 1 : bits ^ UINT64_C(1) << 63;
            bits = cell < 2 ? exponent << 52 | (uint64_t)cell << 63 : bits;
            for (size_t i = 0; i < 8; i++)
                rows->wire[cell * 8 + i] = (uint8_t)(bits >> (56 - 8 * i));
        }
        queue_all(rows);
        powers += rows->cells[0].length > 0 && rows->cells[0].bits == wire_bits(rows, 0);
        check_row(rows);
    }
    if (number_queue_is_fast())
        assert_int_equal(powers, 67); /* 2^-13 to 2^53, which have no exponent in their text */
    free(rows);
}

static void integers(void **state)
{
    char text[NUMBER_MAX + 1];
    char expected[NUMBER_MAX + 1];
    uint64_t seed = 42;
    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t number = i < 2000 ? i : next_random(&seed) >> (i % 64);
        text[number_unsigned(number, text)] = '\0';
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)number);
        assert_string_equal(text, expected);
        text[number_signed((int64_t)number, text)] = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)number);
        assert_string_equal(text, expected);
        text[number_signed(-(int64_t)(number >> 1), text)] = '\0';
        snprintf(expected, sizeof expected, "%lld", -(long long)(number >> 1));
        assert_string_equal(text, expected);
    }
    text[number_signed(INT64_MIN, text)] = '\0';
    assert_string_equal(text, "-9223372036854775808");
    text[number_unsigned(UINT64_MAX, text)] = '\0';
    assert_string_equal(text, "18446744073709551615");
}

static void seconds(void **state)
{
    static const struct {
        int64_t nanoseconds;
        const char *text;
    } times[] = {
        {0, "0.000000000"},
        {1, "0.000000001"},
        {-1, "-0.000000001"},
        {999999999, "0.999999999"},
        {1000000000, "1.000000000"},
        {-1500000000, "-1.500000000"},
        {INT64_C(1769860800123456789), "1769860800.123456789"},
        {INT64_C(1769860800000000010), "1769860800.000000010"},
        {INT64_MAX, "9223372036.854775807"},
        {INT64_MIN, "-9223372036.854775808"},
    };
    char text[NUMBER_MAX + 1];
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        text[number_seconds(times[i].nanoseconds, text)] = '\0';
        assert_string_equal(text, times[i].text);
    }
    uint64_t seed = 7;
    for (unsigned i = 0; i < 100000; i++) {
        char expected[NUMBER_MAX + 1];
        int64_t time = (int64_t)(next_random(&seed) >> (1 + i % 63));
        text[number_seconds(time, text)] = '\0';
        snprintf(expected, sizeof expected, "%lld.%09lld", (long long)(time / 1000000000),
                 (long long)(time % 1000000000));
        assert_string_equal(text, expected);
    }
}

static void is_as_printed(double number)
{
    char text[NUMBER_MAX + 1], expected[DBL_MAX_10_EXP + 16];
    for (int decimals = 0; decimals <= 6; decimals++) {
        text[number_fixed(number, decimals, text)] = '\0';
        snprintf(expected, sizeof expected, "%.*f", decimals, number);
        expected[NUMBER_MAX - 1] = '\0';
        assert_string_equal(text, expected);
    }
}

/* Numbers of all sizes, those in the middle between two texts, and their neighbours. */
static void fixed_is_printfs(void **state)
{
    uint64_t noise = 1;
    (void)state;
    int count = (int)share_of(300000, 20000, "fixed numbers");
    for (int i = 0; i < count; i++) {
        noise = noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double any, middle = (double)(noise >> 40) / 2 / (i % 7 == 0 ? 1e6 : i % 7 == 1 ? 1 : 1e3), beside[2];
        memcpy(&any, &noise, sizeof any);
        uint64_t bits = bits_of(middle);
        for (int k = 0; k < 2; k++) {
            uint64_t other = bits + (k == 0 ? 1 : UINT64_MAX);
            memcpy(&beside[k], &other, sizeof other);
            is_as_printed(bits == 0 ? 0 : beside[k]);
        }
        is_as_printed(any);
        is_as_printed(i % 2 ? middle : -middle);
    }
    is_as_printed(0.0625);
    is_as_printed(-0.0);
    is_as_printed(-0.0004);
    is_as_printed(999999999.9999999);
    is_as_printed(1e300);
}

/* For tests/number-check.py: the text of each double on standard input, a line each. */
static int print_texts(void)
{
    char text[NUMBER_MAX + 1];
    double number;
    while (fread(&number, sizeof number, 1, stdin) == 1)
        puts(text_of(bits_of(number), text));
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repr_is_pythons),
        cmocka_unit_test(any_bits_read_back),
        cmocka_unit_test(fast_way_is_the_plain_one),
        cmocka_unit_test(every_exponent),
        cmocka_unit_test(queued_cells_are_the_plain_ones),
        cmocka_unit_test(queued_exponents),
        cmocka_unit_test(integers),
        cmocka_unit_test(seconds),
        cmocka_unit_test(fixed_is_printfs),
    };
    if (argc == 2 && strcmp(argv[1], "--texts") == 0)
        return print_texts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
