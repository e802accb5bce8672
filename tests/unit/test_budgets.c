/* What a hostile peer may cost. Work is counted, never timed: records, values, notes, bytes of output. */
#include "aubo_scans.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "../../decoders/aubo_text.h"
#include "../../decoders/rtde_package.h"
#include "protocol/budget.h"
#include "connection/conn.h"
#include "protocol/note.h"
#include "connection/connection.h"
#include "tcp/queue.h"
#include "inside.h"

/* ---- counting ---- */

struct tally {
    size_t records, opaque, recipes, fields, notes, note_bytes, hostile, inflated;
    size_t lacking;    /* values of recipes that their records lack */
    char last[512];    /* hostile note */
    char missing[512]; /* note of a recipe */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct tally *tally = user;
    tally->records++;
    tally->opaque += !record->recipe;
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
        if (strcmp(note->kind->id, "rtde.recipe.missing") == 0)
            snprintf(tally->missing, sizeof tally->missing, "%s", note->text);
        tally->notes++;
        tally->note_bytes += strlen(note->text);
    }
    return 0;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct tally *tally = user;
    tally->inflated += message->content ? message->content_length : 0;
    return 0;
}

/* Counts look-ups in the dictionary: the linker redirects each of them to these functions. */
static size_t names_found, names_guessed;
const struct armtap_field *__real_armtap_field_find(const char *name, size_t length);
const struct armtap_field *__wrap_armtap_field_find(const char *name, size_t length);
const struct armtap_field *__wrap_armtap_field_find(const char *name, size_t length)
{
    names_found++;
    return __real_armtap_field_find(name, length);
}

const struct armtap_field *__real_armtap_field_nearest(const char *name, size_t length,
                                                       enum armtap_field_direction direction);
const struct armtap_field *__wrap_armtap_field_nearest(const char *name, size_t length,
                                                       enum armtap_field_direction direction);
const struct armtap_field *__wrap_armtap_field_nearest(const char *name, size_t length,
                                                       enum armtap_field_direction direction)
{
    names_guessed++;
    return __real_armtap_field_nearest(name, length, direction);
}

/* Bytes that a search examines, and how often it restarts when more bytes come. */
static size_t text_read, parses, seeks;
size_t __real_armtap_aubo_blanks(const uint8_t *bytes, size_t length)
    __attribute__((weak)); /* a build without AUBO lacks it */
size_t __wrap_armtap_aubo_blanks(const uint8_t *bytes, size_t length);
size_t __wrap_armtap_aubo_blanks(const uint8_t *bytes, size_t length)
{
    size_t blanks = __real_armtap_aubo_blanks(bytes, length);
    aubo_scans.bytes += blanks;
    return blanks;
}

size_t __real_armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                          bool *found);
size_t __wrap_armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                          bool *found);
size_t __wrap_armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                          bool *found)
{
    seeks++;
    return __real_armtap_seek(conn, direction, span, found);
}

bool __real_armtap_rtde_is_text(const char *text, size_t length, size_t most);
bool __wrap_armtap_rtde_is_text(const char *text, size_t length, size_t most);
bool __wrap_armtap_rtde_is_text(const char *text, size_t length, size_t most)
{
    text_read += length;
    return __real_armtap_rtde_is_text(text, length, most);
}

int __real_armtap_rtde_parse(const void *bytes, size_t length, enum armtap_direction direction, int protocol,
                             struct armtap_rtde_package *package);
int __wrap_armtap_rtde_parse(const void *bytes, size_t length, enum armtap_direction direction, int protocol,
                             struct armtap_rtde_package *package);
int __wrap_armtap_rtde_parse(const void *bytes, size_t length, enum armtap_direction direction, int protocol,
                             struct armtap_rtde_package *package)
{
    parses++;
    return __real_armtap_rtde_parse(bytes, length, direction, protocol, package);
}

static struct armtap_conn *connect_to(struct tally *tally)
{
    struct armtap_sink sink = {.size = sizeof sink,
                               .on_record = on_record,
                               .on_recipe = on_recipe,
                               .on_note = on_note,
                               .on_message = on_message};
    struct armtap_conn *conn;
    memset(tally, 0, sizeof *tally);
    assert_int_equal(armtap_conn_new(NULL, &sink, tally, &conn), ARMTAP_OK);
    return conn;
}

static void push(struct armtap_conn *conn, enum armtap_direction direction, const struct bytes *bytes)
{
    assert_int_equal(armtap_conn_push(conn, direction, bytes->at, bytes->length, NULL), ARMTAP_OK);
}

/* A connection after a request and its reply, in hex, and a gap in the robot's data. */
static struct armtap_conn *behind_a_gap(struct tally *tally, const char *request, const char *reply)
{
    struct armtap_conn *conn = connect_to(tally);
    struct bytes bytes = {0};
    bytes_hex(&bytes, request);
    push(conn, ARMTAP_TO_ROBOT, &bytes);
    bytes.length = 0;
    bytes_hex(&bytes, reply);
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    assert_int_equal(armtap_conn_gap(conn, ARMTAP_FROM_ROBOT, 7, NULL), ARMTAP_OK);
    bytes_free(&bytes);
    return conn;
}

/* ---- the table, and an account ---- */

static void test_table(void **state)
{
    (void)state;
    char number[32];
    assert_null(armtap_budget_at(ARMTAP_BUDGET_COUNT));
    assert_null(armtap_budget_find("no such row"));
    for (size_t i = 0; i < ARMTAP_BUDGET_COUNT; i++) {
        const struct armtap_budget *row = armtap_budget_at(i);
        assert_ptr_equal(armtap_budget_find(row->name), row);
        assert_int_equal(row->each > 0, i < ARMTAP_ACCOUNTS);
        snprintf(number, sizeof number, " %lu ", (unsigned long)(row->each > 0 ? row->each : row->once));
        assert_non_null(strstr(row->text, number)); /* the note names the number in force */
        assert_non_null(strstr(row->text, row->cut));
        assert_true(strlen(row->text) < sizeof(struct armtap_line) - 64);
    }
}

/* A complete record costs no text beyond its values in any format: gnuplot writes "NaN " for an absent column, and
 * looks at each. */
static void test_a_row_covers_all_columns(void **state)
{
    unsigned bytes = 5 * armtap_layout_columns(ARMTAP_GENERATION_CB3E);
    (void)state;
    if (bytes > armtap_budget_find("row")->once)
        fail_msg("a row of gnuplot takes %u bytes: raise `row` in lib/protocol/budgets.def and lib/libarmtap.3.in",
                 bytes);
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
    assert_int_equal(reserve.left[ARMTAP_BUDGET_notes], once); /* its own bytes paid for it */
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, once + 1));
    assert_true(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, once));
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 100, 1));
    /* all connections share the reserve; what one earns is its own */
    assert_false(armtap_account_spend(&other, &reserve, ARMTAP_BUDGET_notes, 10, 10 * each + 1));
    assert_true(armtap_account_spend(&other, &reserve, ARMTAP_BUDGET_notes, 10, 10 * each));
    assert_true(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 101, each));
    assert_false(armtap_account_spend(&one, &reserve, ARMTAP_BUDGET_notes, 101, 1));
}

/* ---- notes ---- */

/* Text messages of protocol 1, each of which raises a note. */
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
    assert_true(68 * (tally.notes + 2) > most); /* and no fewer than allowed */
    armtap_conn_free(conn);
    conn = connect_to(&tally); /* honest: long texts, however many */
    push_texts(conn, 100000, "Robot is in protective stop, position deviates from path, joint 3, C153A0");
    assert_int_equal(tally.hostile, 0);
    assert_int_equal(tally.notes, 100000);
    armtap_conn_free(conn);
}

/* ---- recipes and their data ---- */

/* "NAME,NAME,...", `count` times. */
static char *list_of(const char *name, size_t count)
{
    size_t length = strlen(name);
    char *list = malloc(count * (length + 1) + 1), *at = list;
    assert_non_null(list);
    for (size_t i = 0; i < count; i++, at += length + 1) {
        memcpy(at, name, length);
        at[length] = ',';
    }
    *at = '\0';
    return list;
}

/* A set-up package: `head` in hex, then the list. */
static void push_list(struct armtap_conn *conn, enum armtap_direction direction, char type, const char *head,
                      const char *item, size_t count)
{
    struct bytes bytes = {0};
    char *list = list_of(item, count);
    bytes_list(&bytes, type, head, list);
    push(conn, direction, &bytes);
    bytes_free(&bytes);
    free(list);
}

#define HERTZ "40 5f 40 00 00 00 00 00"

static void negotiate(struct armtap_conn *conn)
{
    push_list(conn, ARMTAP_TO_ROBOT, 'V', "00 02", "", 0);
    push_list(conn, ARMTAP_FROM_ROBOT, 'V', "01", "", 0);
}

static void set_up(struct armtap_conn *conn, const char *name, const char *type, size_t count)
{
    push_list(conn, ARMTAP_TO_ROBOT, 'O', HERTZ, name, count);
    push_list(conn, ARMTAP_FROM_ROBOT, 'O', "01", type, count);
}

/* `count` data packages with `length` bytes of values each. */
static void push_data(struct armtap_conn *conn, size_t length, size_t count)
{
    struct bytes payload = {0}, one = {0}, many = {0};
    bytes_number(&payload, 1, 1);
    for (size_t i = 0; i < length; i++)
        bytes_number(&payload, 0, 1);
    bytes_package(&one, 'U', &payload);
    for (size_t i = 0; i < 500 && i < count; i++)
        bytes_add(&many, one.at, one.length);
    for (size_t i = 0; i < count; i += 500)
        push(conn, ARMTAP_FROM_ROBOT, &many);
    bytes_free(&payload);
    bytes_free(&one);
    bytes_free(&many);
}

static void test_values(void **state)
{
    (void)state;
    enum { FIELDS = 8000, SHORT = 4000 };
    const struct armtap_budget *row = armtap_budget_at(ARMTAP_BUDGET_values);
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    set_up(conn, "a", "BOOL", FIELDS);
    push_data(conn, FIELDS, 500);
    assert_int_equal(tally.hostile, 0); /* whole packages, however large */
    uint64_t left = armtap_conn_stream(conn)->bytes_decoded[0] * row->each + row->once;
    push_data(conn, 0, SHORT);
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, row->text);
    assert_int_equal(tally.records, 500 + SHORT);
    assert_in_range(tally.lacking, left - 2 * FIELDS, left + SHORT * 4 * row->each + 2 * FIELDS * row->each);
    assert_in_range(tally.opaque, 1, SHORT - 1);
    size_t opaque = tally.opaque;
    push_data(conn, FIELDS, 500); /* whole packages are decoded again */
    assert_int_equal(tally.opaque, opaque);
    armtap_conn_free(conn);
}

/* Data of two lengths after a set-up without a reply: its names are looked up once. */
static void test_names_are_looked_up_once(void **state)
{
    (void)state;
    enum { NAMES = 2000 };
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    push_list(conn, ARMTAP_TO_ROBOT, 'O', HERTZ, "output_double_register_23", NAMES);
    push_list(conn, ARMTAP_TO_ROBOT, 'S', "", "", 0);
    push_list(conn, ARMTAP_FROM_ROBOT, 'S', "01", "", 0);
    names_found = 0;
    for (unsigned i = 0; i < 1000; i++) {
        push_data(conn, 0, 1);
        push_data(conn, 1, 1);
    }
    assert_in_range(tally.opaque, 1999, 2000); /* the last one may wait for what follows */
    assert_int_equal(names_found, NAMES);
    armtap_conn_free(conn);
}

static void test_spelling(void **state)
{
    (void)state;
    enum { NAMES = 32, TIMES = 800 };
    const struct armtap_budget *row = armtap_budget_at(ARMTAP_BUDGET_spelling);
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    names_guessed = 0;
    set_up(conn, "actual_TCP_spead", "NOT_FOUND", NAMES);
    assert_int_equal(names_guessed, NAMES);
    for (unsigned i = 1; i < TIMES; i++)
        set_up(conn, "actual_TCP_spead", "NOT_FOUND", NAMES);
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    uint64_t most = (stream->bytes_decoded[0] + stream->bytes_decoded[1]) * row->each + row->once;
    assert_true(names_guessed * armtap_field_count() <= most);
    assert_true(names_guessed < NAMES * TIMES);
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, row->text);
    armtap_conn_free(conn);
}

static void test_requests(void **state)
{
    (void)state;
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    for (unsigned i = 0; i < ARMTAP_LIMIT_asked; i++)
        push_list(conn, ARMTAP_TO_ROBOT, 'I', "", "a", 1);
    assert_int_equal(tally.hostile, 0);
    push_list(conn, ARMTAP_TO_ROBOT, 'I', "", "a", 1);
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, armtap_budget_at(ARMTAP_BUDGET_asked)->text);
    armtap_conn_free(conn);
    conn = connect_to(&tally);
    negotiate(conn);
    for (unsigned i = 0; i < 6; i++)
        push_list(conn, ARMTAP_TO_ROBOT, 'I', "", "a", 32000);
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, armtap_budget_at(ARMTAP_BUDGET_requests)->text);
    armtap_conn_free(conn);
}

/* A reply whose names were forgotten is not reported as lacking a request. */
static void test_forgotten_requests(void **state)
{
    (void)state;
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    push_list(conn, ARMTAP_TO_ROBOT, 'O', HERTZ, "a", 1);
    for (unsigned i = 0; i < ARMTAP_LIMIT_asked; i++)
        push_list(conn, ARMTAP_TO_ROBOT, 'I', "", "a", 1);
    push_list(conn, ARMTAP_FROM_ROBOT, 'O', "01", "BOOL", 1);
    push_data(conn, 1, 2);
    assert_string_equal(tally.missing, "the types of 1 fields were captured, but armtap dropped their names: more than "
                                       "64 requests for a connection that waits for replies");
    armtap_conn_free(conn);
}

/* A reply to a forgotten request does not give its types to a later request's names. */
static void test_replies_to_forgotten_requests(void **state)
{
    (void)state;
    struct tally tally;
    struct armtap_conn *conn = connect_to(&tally);
    negotiate(conn);
    push_list(conn, ARMTAP_TO_ROBOT, 'O', HERTZ, "a", 1);
    push_list(conn, ARMTAP_TO_ROBOT, 'O', HERTZ, "b", 1);
    for (unsigned i = 0; i + 1 < ARMTAP_LIMIT_asked; i++)
        push_list(conn, ARMTAP_TO_ROBOT, 'I', "", "a", 1);
    push_list(conn, ARMTAP_FROM_ROBOT, 'O', "01", "BOOL", 1);
    push_data(conn, 1, 2);
    assert_string_equal(tally.missing, "the types of 1 fields were captured, but armtap dropped their names: more than "
                                       "64 requests for a connection that waits for replies");
    *tally.missing = '\0';
    push_list(conn, ARMTAP_FROM_ROBOT, 'O', "01", "BOOL", 1);
    push_data(conn, 1, 2);
    assert_string_equal(tally.missing, "");
    armtap_conn_free(conn);
}

/* What many connections keep together, and release. */
static void test_kept(void **state)
{
    (void)state;
    enum { CONNECTIONS = 40, FIELDS = 8000 };
    struct armtap_reserve reserve;
    struct tally tally = {0};
    struct armtap_sink sink = {.size = sizeof sink, .on_recipe = on_recipe, .on_note = on_note};
    struct armtap_conn *conns[CONNECTIONS];
    armtap_reserve_init(&reserve);
    for (unsigned round = 0; round < 2; round++) {
        tally = (struct tally){0};
        for (size_t i = 0; i < CONNECTIONS; i++) {
            struct armtap_conn_setup setup = {.reserve = &reserve, .connection = i};
            assert_int_equal(armtap_conn_create(&setup, &sink, &tally, &conns[i]), ARMTAP_OK);
            negotiate(conns[i]);
            set_up(conns[i], "a", "BOOL", FIELDS);
            assert_in_range(reserve.held, 1, ARMTAP_LIMIT_held);
        }
        assert_in_range(tally.recipes, 10, CONNECTIONS - 1);
        assert_int_equal(tally.hostile, CONNECTIONS - tally.recipes); /* each connection reports it itself */
        assert_string_equal(tally.last, armtap_budget_at(ARMTAP_BUDGET_held)->text);
        for (size_t i = 0; i < CONNECTIONS; i++)
            armtap_conn_free(conns[i]);
        assert_int_equal(reserve.held, 0);
    }
}

/* ---- compressed messages ---- */

/* A text frame from the robot, compressed in the context of the previous ones. */
static void add_packed(struct bytes *bytes, z_stream *z, const char *text)
{
    uint8_t room[70000];
    z->next_in = (Bytef *)(uintptr_t)text;
    z->avail_in = (uInt)strlen(text);
    z->next_out = room;
    z->avail_out = sizeof room;
    assert_int_equal(deflate(z, Z_SYNC_FLUSH), Z_OK);
    size_t length = sizeof room - z->avail_out - 4; /* a sender omits the end of the flush */
    bytes_number(bytes, 0xc1, 1);
    bytes_number(bytes, length < 126 ? length : 126, 1);
    if (length >= 126)
        bytes_number(bytes, length, 2);
    bytes_add(bytes, room, length);
}

static const char upgrade[] = "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                  answer[] = "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                  subscription[] = "[100,{\"chanel\":0,\"segments\":[\"line\"]}]";

static struct armtap_conn *open_web(struct tally *tally)
{
    struct armtap_conn *conn = connect_to(tally);
    struct bytes bytes = {0};
    bytes_add(&bytes, upgrade, sizeof upgrade - 1);
    bytes_number(&bytes, 0x8180 + sizeof subscription - 1, 2);
    bytes_number(&bytes, 0, 4);
    bytes_add(&bytes, subscription, sizeof subscription - 1);
    push(conn, ARMTAP_TO_ROBOT, &bytes);
    bytes.length = 0;
    bytes_add(&bytes, answer, sizeof answer - 1);
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    bytes_free(&bytes);
    return conn;
}

static void test_inflated(void **state)
{
    (void)state;
    need_aubo();
    const struct armtap_budget *row = armtap_budget_at(ARMTAP_BUDGET_inflated);
    struct tally tally;
    struct armtap_conn *conn = open_web(&tally);
    struct bytes bytes = {0};
    z_stream z = {0};
    char *ones = list_of("1", 32000), *text = malloc(70000);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
    snprintf(text, 70000, "[0,\"%s\"]", ones);
    for (unsigned i = 0; i < 400; i++)
        add_packed(&bytes, &z, text);
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    assert_int_equal(tally.hostile, 1);
    assert_string_equal(tally.last, row->text);
    assert_in_range(tally.inflated, row->once - 70000, bytes.length * row->each + row->once + 1000 * row->each);
    size_t records = tally.records;
    push(conn, ARMTAP_FROM_ROBOT, &bytes); /* the direction stays undecoded */
    assert_int_equal(tally.records, records);
    armtap_conn_free(conn);
    conn = open_web(&tally); /* honest: twelve times as much, for longer than the reserve lasts */
    bytes.length = 0;
    deflateReset(&z);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(text, 70000, "[0,\"%u %u %.200s\"]", i * 2654435761u, i, ones);
        add_packed(&bytes, &z, text);
    }
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    assert_true(tally.inflated > row->once);
    assert_int_equal(tally.hostile, 0);
    assert_int_equal(tally.records, 20000);
    armtap_conn_free(conn);
    deflateEnd(&z);
    bytes_free(&bytes);
    free(ones);
    free(text);
}

/* ---- searching ---- */

#define SEARCHED 280000 /* bytes */

/* Bytes that AUBO's decoder reads per byte to resynchronise in a repeated `piece` after a loss. */
static size_t scanned_per_byte(const char *piece, size_t chunk)
{
    struct tally tally;
    struct bytes bytes = {0};
    struct armtap_conn *conn = connect_to(&tally);
    bytes_text(&bytes, "[100,{\"chanel\":0,\"frequency\":50.0,\"segments\":[\"R1_actual_q\"],"
                       "\"to_server\":false,\"trigger\":0}]");
    push(conn, ARMTAP_TO_ROBOT, &bytes);
    bytes.length = 0;
    bytes_text(&bytes, "[0,1][0,1][0,1]");
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    assert_int_equal(armtap_conn_gap(conn, ARMTAP_FROM_ROBOT, 50, NULL), ARMTAP_OK);
    bytes.length = 0;
    while (bytes.length < SEARCHED)
        bytes_text(&bytes, piece);
    aubo_scans.bytes = 0;
    for (size_t at = 0; at < bytes.length; at += chunk) {
        size_t left = bytes.length - at;
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes.at + at, left < chunk ? left : chunk, NULL),
                         ARMTAP_OK);
    }
    armtap_conn_free(conn);
    bytes_free(&bytes);
    return aubo_scans.bytes / SEARCHED;
}

/* Each bracket may begin a message: every open candidate reads each byte, and again if it needs one more. */
static void test_search_of_nested_lists(void **state)
{
    (void)state;
    need_aubo();
    static const char *const pieces[] = {"[0,", "[0,[0],", "[0,1,", "[0,\"[0,\",", "[0,[0,1],[0,[0,1,2,3,4,5,6,7],"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t bulk = scanned_per_byte(pieces[i], SEARCHED), bytewise = scanned_per_byte(pieces[i], 1);
        print_message("%-32s %zu, byte by byte %zu bytes read for each\n", pieces[i], bulk, bytewise);
        assert_in_range(bulk, 1, 16);
        assert_in_range(bytewise, 1, 20);
    }
}

/* White space is not read again for each place where a message may begin. */
static void test_search_of_blanks(void **state)
{
    (void)state;
    char piece[2300], blanks[301];
    memset(blanks, ' ', 300);
    blanks[300] = '\0';
    snprintf(piece, sizeof piece, "%.255s[0,\"%.2000d\x01", blanks, 0);
    size_t before_bad = scanned_per_byte(piece, 1460), many = scanned_per_byte(blanks, 1460);
    snprintf(piece, sizeof piece, "%sx", blanks);
    size_t more = scanned_per_byte(piece, 1460);
    print_message("%zu, %zu and %zu bytes read for each\n", before_bad, many, more);
    assert_true(before_bad <= 4 && many <= 4 && more <= 8);
}

/* Bytes without a message, in segments: every restart of the search reads each byte once more. */
static size_t seeks_per_segment(const char *set_up, const char *first)
{
    enum { SEGMENT = 1460 };
    struct tally tally;
    struct bytes bytes = {0};
    struct armtap_conn *conn = behind_a_gap(&tally, set_up, first);
    uint64_t seed = 11;
    while (bytes.length < SEGMENT)
        bytes_number(&bytes, 0x80 | random_bits(&seed), 1);
    seeks = 0;
    for (unsigned i = 0; i < 100; i++)
        push(conn, ARMTAP_FROM_ROBOT, &bytes);
    armtap_conn_free(conn);
    bytes_free(&bytes);
    return seeks / 100;
}

static void test_search_takes_many_bytes_at_once(void **state)
{
    (void)state;
    size_t rtde = seeks_per_segment("000556 0002", "000456 01");
    print_message("%zu searches for each segment\n", rtde);
    assert_in_range(rtde, 1, 2);
}

/* A message of unknown length, in segments: it is not examined again with each byte. */
static void test_messages_take_many_bytes_at_once(void **state)
{
    (void)state;
    need_aubo();
    enum { SEGMENT = 1460, SEGMENTS = 40 };
    struct tally tally;
    struct bytes bytes = {0};
    struct armtap_conn *conn = connect_to(&tally);
    bytes_text(&bytes, subscription);
    push(conn, ARMTAP_TO_ROBOT, &bytes);
    bytes.length = 0;
    bytes_text(&bytes, "[0,\"");
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    bytes.length = 0;
    while (bytes.length < SEGMENT)
        bytes_text(&bytes, "x");
    aubo_scans.count = 0;
    for (unsigned i = 0; i < SEGMENTS; i++)
        push(conn, ARMTAP_FROM_ROBOT, &bytes);
    bytes.length = 0;
    bytes_text(&bytes, "\"]");
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    print_message("%zu scans of %u segments\n", aubo_scans.count, SEGMENTS);
    assert_int_equal(tally.records, 1);
    assert_in_range(aubo_scans.count, 1, 2 * SEGMENTS);
    armtap_conn_free(conn);
    bytes_free(&bytes);
}

/* Every 4 bytes a header of a text message of 19,536 bytes; one character in 512 makes all of them invalid. */
static void test_search_of_texts(void **state)
{
    (void)state;
    struct tally tally;
    struct bytes bytes = {0};
    struct armtap_conn *conn = behind_a_gap(&tally, "000556 0002", "000456 01");
    while (bytes.length < SEARCHED)
        bytes_hex(&bytes, bytes.length % 19536 < 19532 ? "4c504d00" : "4c504d03");
    text_read = 0;
    push(conn, ARMTAP_FROM_ROBOT, &bytes);
    print_message("%zu characters read for each byte\n", text_read / SEARCHED);
    assert_in_range(text_read / SEARCHED, 1, 64);
    armtap_conn_free(conn);
    bytes_free(&bytes);
}

/* A header at each byte: of lists with an invalid character after 255 good ones, of texts and properties whose lengths
 * do not add up. Hardly any is parsed. */
static void test_search_of_headers(void **state)
{
    (void)state;
    static const char letters[] = {'I', 'O', 'M', 'R'};
    for (size_t i = 0; i < sizeof letters; i++) {
        struct tally tally;
        struct bytes bytes = {0};
        struct armtap_conn *conn = behind_a_gap(&tally, "000556 0002", "000456 01");
        while (bytes.length < SEARCHED)
            bytes_number(&bytes, bytes.length % 256 < 255 ? (uint64_t)letters[i] : 1, 1);
        parses = 0;
        push(conn, ARMTAP_FROM_ROBOT, &bytes);
        print_message("%c: %zu packages parsed in %u bytes\n", letters[i], parses, SEARCHED);
        assert_in_range(parses, 0, SEARCHED / 4);
        armtap_conn_free(conn);
        bytes_free(&bytes);
    }
}

/* While the protocol is unknown, each byte may begin a chain: of false data packages of 1365 bytes, of lists with 255
 * good characters, of lists within lists. */
static void test_recognition(void **state)
{
    (void)state;
    static const struct {
        enum armtap_protocol protocol;
        const char *hex;
        size_t times;
        bool is_cut;
    } cases[] = {
        {ARMTAP_RTDE, "05555540 40", 1, true},   {ARMTAP_RTDE, "49", 255, true},
        {ARMTAP_RTDE, "00", 1, false},           {ARMTAP_AUBO, "5b302c", 1, false},
        {ARMTAP_AUBO, "5b305d5b315d", 1, false}, {ARMTAP_RTDE, "414243", 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tally tally;
        struct bytes bytes = {0};
        struct armtap_conn *conn;
        struct armtap_sink sink = {.size = sizeof sink, .on_note = on_note};
        struct armtap_conn_setup setup = {.protocol = cases[i].protocol, .midstream = true};
        memset(&tally, 0, sizeof tally);
        assert_int_equal(armtap_conn_create(&setup, &sink, &tally, &conn), ARMTAP_OK);
        while (bytes.length < 16384) {
            for (size_t k = 0; k < cases[i].times; k++)
                bytes_hex(&bytes, cases[i].hex);
            if (cases[i].times > 1)
                bytes_number(&bytes, 1, 1);
        }
        aubo_scans.bytes = 0;
        for (size_t at = 0; at < bytes.length; at += 1024)
            assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes.at + at,
                                              bytes.length - at < 1024 ? bytes.length - at : 1024, NULL),
                             ARMTAP_OK);
        print_message("%s: %zu bytes of JSON read for each, %zu notes\n", cases[i].hex, aubo_scans.bytes / 16384,
                      tally.hostile);
        assert_int_equal(tally.hostile, cases[i].is_cut);
        if (cases[i].is_cut)
            assert_string_equal(tally.last, armtap_budget_at(ARMTAP_BUDGET_searched)->text);
        assert_in_range(aubo_scans.bytes / 16384, 0, 32);
        armtap_conn_free(conn);
        bytes_free(&bytes);
    }
}

/* ---- segments that wait ---- */

static void test_queue(void **unused)
{
    (void)unused;
    struct armtap_pool pool;
    struct armtap_queue queue;
    struct armtap_sent sent = {.again = false};
    uint64_t seed = 5;
    armtap_pool_init(&pool, SIZE_MAX);
    armtap_queue_init(&queue, &pool, NULL, ARMTAP_FROM_ROBOT);
    for (unsigned i = 0; i < 3000; i++) {
        struct armtap_overlap overlap = {0, false};
        uint64_t at = 1000 + random_bits(&seed) % 20000;
        assert_int_equal(armtap_queue_insert(&queue, at, (const uint8_t *)"abcdefgh", 8, &sent, &overlap), ARMTAP_OK);
        if (i % 3 == 0)
            free(armtap_queue_take(&queue));
        uint64_t wanted = 1000 + random_bits(&seed) % 20000;
        const struct armtap_chunk *walked = queue.tail;
        while (walked && walked->start > wanted)
            walked = walked->before;
        assert_ptr_equal(armtap_queue_find(&queue, wanted), walked);
    }
    armtap_queue_clear(&queue);
    assert_int_equal(pool.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_a_row_covers_all_columns),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_names_are_looked_up_once),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_forgotten_requests),
        cmocka_unit_test(test_replies_to_forgotten_requests),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_inflated),
        cmocka_unit_test(test_search_of_nested_lists),
        cmocka_unit_test(test_search_of_blanks),
        cmocka_unit_test(test_search_takes_many_bytes_at_once),
        cmocka_unit_test(test_messages_take_many_bytes_at_once),
        cmocka_unit_test(test_search_of_texts),
        cmocka_unit_test(test_search_of_headers),
        cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
