/* Messages of ROS 2, byte by byte. What is expected comes from other programs: see each test. */
#include "support.h"

#include <stdlib.h>

#include "ros/cdr.h"

static void expect_hex(const struct buffer *got, const char *hex)
{
    struct bytes wanted = {0};
    bytes_hex(&wanted, hex);
    assert_false(got->failed);
    assert_int_equal(got->length, wanted.length);
    assert_memory_equal(got->data, wanted.at, wanted.length);
    bytes_free(&wanted);
}

/* ---- CDR --------------------------------------------------------------------------------------------------------- */

/* Made by @foxglove/rosmsg2-serialization: a JointState with stamp 1.000000002, frame "", names a and bcd, positions
 * 1.5 and -2, no velocities, efforts 3 and 4. It begins at an odd place of the buffer, which must not matter. */
static void joint_state(void **state)
{
    static const double positions[] = {1.5, -2}, efforts[] = {3, 4};
    struct buffer out = {0};
    (void)state;
    buffer_string(&out, "abc");
    struct cdr cdr = cdr_begin(&out);
    cdr_i32(&cdr, 1);
    cdr_u32(&cdr, 2);
    cdr_string(&cdr, "");
    cdr_count(&cdr, 2);
    cdr_string(&cdr, "a");
    cdr_text(&cdr, "bcdef", 3);
    cdr_count(&cdr, 2);
    cdr_f64s(&cdr, positions, 2);
    cdr_count(&cdr, 0);
    cdr_f64s(&cdr, NULL, 0);
    cdr_count(&cdr, 2);
    cdr_f64s(&cdr, efforts, 2);
    expect_hex(&out, "616263"
                     "0001000001000000020000000100000000000000020000000200000061000000040000006263640002000000"
                     "000000000000f83f00000000000000c0000000000200000000000000000008400000000000001040");
    free(out.data);
}

/* Made by the same: IOStates with input 3 on, nothing else but analog input 1 at 1.5 V. */
static void io_states(void **state)
{
    struct buffer out = {0};
    (void)state;
    struct cdr cdr = cdr_begin(&out);
    cdr_count(&cdr, 1);
    cdr_u8(&cdr, 3);
    cdr_bool(&cdr, true);
    cdr_count(&cdr, 0);
    cdr_count(&cdr, 0);
    cdr_count(&cdr, 1);
    cdr_u8(&cdr, 1);
    cdr_u8(&cdr, 1);
    cdr_f32(&cdr, 1.5f);
    cdr_count(&cdr, 0);
    expect_hex(&out, "000100000100000003010000000000000000000001000000010100000000c03f00000000");
    free(out.data);
}

/* The rest, worked out by hand: 8-byte numbers are aligned to 8, bytes not at all. */
static void numbers(void **state)
{
    struct buffer out = {0};
    (void)state;
    struct cdr cdr = cdr_begin(&out);
    cdr_i8(&cdr, -2);
    cdr_u64(&cdr, 0x0102030405060708);
    cdr_bool(&cdr, false);
    cdr_i32(&cdr, -2);
    cdr_i64(&cdr, -3);
    cdr_bytes(&cdr, "\1\2\3", 3);
    cdr_f64(&cdr, 0.5);
    expect_hex(&out, "00010000 fe 00000000000000 0807060504030201 00 000000 feffffff fdffffffffffffff"
                     "03000000 010203 00 000000000000e03f");
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_state),
        cmocka_unit_test(io_states),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
