/* spool: what was set aside comes back, from memory and from the file, which leaves no name. */
#include "support.h"

#include <string.h>

#include "base/bytes/spool.h"

#define FOLDER "test_spool.tmp"

/* Pieces of 1 to 1000 bytes, read back in another order, also between puts. */
static void pieces_come_back(void **state)
{
    enum { PIECES = 500 };
    static const size_t sizes[] = {0, 1, 999, 5000, 1 << 20};
    uint64_t places[PIECES];
    char piece[1000], back[1000];
    (void)state;
    assert_int_equal(make_folder(FOLDER), 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct spool *spool = spool_new(FOLDER, sizes[s]);
        for (size_t i = 0; i < PIECES; i++) {
            memset(piece, (int)(i & 0xff), sizeof piece);
            assert_int_equal(spool_put(spool, piece, 1 + i * 7 % 1000, &places[i]), 0);
            size_t old = i * 3 / 4;
            assert_int_equal(spool_get(spool, places[old], back, 1 + old * 7 % 1000), 0);
            memset(piece, (int)(old & 0xff), sizeof piece);
            assert_memory_equal(back, piece, 1 + old * 7 % 1000);
        }
        for (size_t k = 0; k < PIECES; k++) {
            size_t i = k * 77 % PIECES;
            assert_int_equal(spool_get(spool, places[i], back, 1 + i * 7 % 1000), 0);
            memset(piece, (int)(i & 0xff), sizeof piece);
            assert_memory_equal(back, piece, 1 + i * 7 % 1000);
        }
        spool_free(spool);
        assert_int_equal(count_names(FOLDER), 0);
    }
    assert_int_equal(remove_folder(FOLDER), 0);
}

static void a_folder_that_is_missing(void **state)
{
    uint64_t place;
    struct spool *spool = spool_new("test_spool.missing", 3);
    (void)state;
    assert_int_equal(spool_put(spool, "abc", 3, &place), 0);
    assert_int_equal(spool_put(spool, "d", 1, &place), -1);
    spool_free(spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_back),
        cmocka_unit_test(a_folder_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
