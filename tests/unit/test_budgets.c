/* What a hostile peer may cost. Work is counted, never timed: records, values, notes, bytes that come out. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "note.h"

/* ---- what comes out ---- */

struct tally {
    size_t records, opaque, recipes, fields, notes, note_bytes, hostile;
    size_t lacking; /* values of recipes that their records lack */
    char last[512]; /* hostile note */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct tally *tally = user;
    tally->records++;
    tally->opaque += record->recipe == NULL;
    if (record->recipe && armtap_recipe_count(record->recipe) > record->frame_length)
        tally->lacking += armtap_recipe_count(record->recipe) - record->frame_length;
    return 0;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct tally *tally = user;
    tally->recipes++;
    tally->fields += armtap_recipe_count(event->recipe);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct tally *tally = user;
    if (strcmp(note->kind->id, "input.hostile") == 0) {
        tally->hostile++;
        snprintf(tally->last, sizeof tally->last, "%s", note->text);
    } else {
        tally->notes++;
        tally->note_bytes += strlen(note->text);
    }
    return 0;
}

static struct armtap_conn *connect_to(struct tally *tally)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_recipe = on_recipe, .on_note = on_note};
    struct armtap_conn *conn;
    memset(tally, 0, sizeof *tally);
    assert_int_equal(armtap_conn_new(NULL, &sink, tally, &conn), ARMTAP_OK);
    return conn;
}

static void push(struct armtap_conn *conn, enum armtap_direction direction, const struct bytes *bytes)
{
    assert_int_equal(armtap_conn_push(conn, direction, bytes->at, bytes->length, NULL), ARMTAP_OK);
}

/* ---- the table, and an account ---- */

static void test_table(void **state)
{
    (void)state;
    char number[32];
    assert_int_equal(armtap_budget_count(), ARMTAP_BUDGET_COUNT);
    assert_null(armtap_budget_at(ARMTAP_BUDGET_COUNT));
    assert_null(armtap_budget_find("no such row"));
    for (size_t i = 0; i < armtap_budget_count(); i++) {
        const struct armtap_budget *row = armtap_budget_at(i);
        assert_ptr_equal(armtap_budget_find(row->name), row);
        assert_int_equal(row->each > 0, i < ARMTAP_ACCOUNTS);
        snprintf(number, sizeof number, " %lu ", (unsigned long)(row->each > 0 ? row->each : row->once));
        assert_non_null(strstr(row->text, number)); /* the note says the number that is in force */
        assert_non_null(strstr(row->text, row->cut));
        assert_true(strlen(row->text) < sizeof(struct armtap_line) - 64);
    }
}

static void test_account(void **state)
{
    (void)state;
    const uint64_t each = armtap_budget_at(ARMTAP_BUDGET_notes)->each,
                   once = armtap_budget_at(ARMTAP_BUDGET_notes)->once;
    struct armtap_reserve reserve;
    struct armtap_account one = {.noted = 0}, other = {.noted = 0};
    armtap_reserve_init(&reserve);
    assert_true(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, 100 * each));
    assert_int_equal(reserve.left[ARMTAP_BUDGET_notes], once); /* its own bytes paid */
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, once + 1));
    assert_true(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, once));
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, 1));
    /* the reserve is everybody's; what one earns is its own */
    assert_false(armtap_account_spend(&other, &reserve, ARMTAP_BUDGET_notes, 10, 10 * each + 1));
    assert_true(armtap_account_spend(&other, &reserve, ARMTAP_BUDGET_notes, 10, 10 * each));
    assert_true(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 101, each));
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 101, 1));
}

/* ---- notes ---- */

/* Text messages of protocol 1, each of which is a note. */
static void push_texts(struct armtap_conn *conn, size_t count, const char *text)
{
    struct bytes one = {0}, many = {0};
    bytes_list(&one, 'M', "03", text);
    for (size_t i = 0; i < 1000; i++)
        bytes_add(&many, one.at, one.length);
    for (size_t i = 0; i < count; i += 1000)
        push(conn, ARMTAP_FROM_ROBOT, &many);
    bytes_free(&one);
    bytes_free(&many);
}

static void test_notes(void **state)
{
    (void)state;
    const struct armtap_budget *row = armtap_budget_at(ARMTAP_BUDGET_notes);
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    push_texts(conn, 400000, "x");
    uint64_t bytes = 400000 * 5, most = bytes * row->each + row->once;
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, row->text);
    assert_true(64 * tally.notes + tally.note_bytes <= most);
    assert_true(66 * (tally.notes + 2) > most); /* and no fewer than they may be */
    armtap_conn_free(conn);
    conn = connect_to(&tally); /* honest: long texts, however many */
    push_texts(conn, 100000, "Robot is in protective stop, position deviates from path, joint 3, C153A0");
    assert_int_equal(tally.hostile, 0);
    assert_int_equal(tally.notes, 100000);
    armtap_conn_free(conn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
