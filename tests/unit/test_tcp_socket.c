/* Addresses as text, and connections over the loopback interface. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <errno.h>
#include <string.h>

#include "base/os/system_address.h"
#include "base/os/tcp_socket.h"
#include "base/os/wait.h"
#include "nanoseconds.h"

#define PATIENCE (20 * SECOND)

/* Windows tells no times, and of a reset on each call; Wine's first read tells of an end in its place. */
#ifdef _WIN32
#define TELLS_TIMES false
#define AFTER_RESET ECONNRESET
#define IS_RESET(got) ((got) == 0 || ((got) < 0 && errno == ECONNRESET))
#else
#define TELLS_TIMES true
#define AFTER_RESET EPIPE
#define IS_RESET(got) ((got) < 0 && errno == ECONNRESET)
#endif

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static void addresses_are_read_and_written(void **state)
{
    static const struct {
        const char *text, *written; /* NULL: refused */
    } rows[] = {
        {"10.0.0.2:30004", "10.0.0.2:30004"},
        {"10.0.0.2", "10.0.0.2:7"},
        {"127.0.0.1:0", "127.0.0.1:0"},
        {"127.0.0.1:65535", "127.0.0.1:65535"},
        {"[fd00::2]:30004", "[fd00::2]:30004"},
        {"[fd00::2]", "[fd00::2]:7"},
        {"fd00::2", "[fd00::2]:7"},
        {"::1", "[::1]:7"},
        {"[FD00:0:0::2]:1", "[fd00::2]:1"},
        {"", NULL},
        {":30004", NULL},
        {"10.0.0.2:", NULL},
        {"10.0.0.2:65536", NULL},
        {"10.0.0.2:-1", NULL},
        {"10.0.0.2:30004x", NULL},
        {"10.0.0.2:300040000000000", NULL},
        {"10.0.0.2.3", NULL},
        {"[fd00::2", NULL},
        {"[fd00::2]30004", NULL},
        {"[fd00::2]:", NULL},
        {"[]:1", NULL},
        {"fd00::2::3", NULL},
        {"localhost", NULL},
    };
    char text[TCP_ADDRESS_MAX];
    struct tcp_address address;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int outcome = tcp_address_parse(&address, rows[i].text, 7);
        if (!rows[i].written) {
            assert_int_equal(-1, outcome);
            continue;
        }
        assert_int_equal(0, outcome);
        tcp_address_text(&address, text);
        assert_string_equal(rows[i].written, text);
    }
}

static void long_texts_are_refused(void **state)
{
    char text[2000];
    struct tcp_address address;
    (void)state;
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(-1, tcp_address_parse(&address, text, 7));
    text[0] = '[';
    assert_int_equal(-1, tcp_address_parse(&address, text, 7));
    text[sizeof text - 2] = ']';
    assert_int_equal(-1, tcp_address_parse(&address, text, 7));
}

static void loopback_is_recognised(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } rows[] = {{"127.0.0.1", true}, {"127.255.0.3", true}, {"::1", true}, {"128.0.0.1", false}, {"fd00::1", false}};
    struct tcp_address address;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(0, tcp_address_parse(&address, rows[i].text, 1));
        assert_int_equal(rows[i].is, tcp_address_is_loopback(&address));
    }
}

static void hosts_are_compared(void **state)
{
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {{"10.0.0.2:1", "10.0.0.2:2", true},    {"10.0.0.2", "10.0.0.3", false},
                {"10.0.0.2", "::ffff:10.0.0.2", true}, {"[fd00::2]:1", "fd00:0::2", true},
                {"fd00::2", "fd00::3", false},         {"10.0.0.2", "::10.0.0.2", false}};
    struct tcp_address one, other;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(0, tcp_address_parse(&one, rows[i].one, 1));
        assert_int_equal(0, tcp_address_parse(&other, rows[i].other, 1));
        assert_int_equal(rows[i].same, tcp_address_same_host(&one, &other));
        assert_int_equal(rows[i].same, tcp_address_same_host(&other, &one));
    }
}

static void names_are_resolved(void **state)
{
    struct tcp_address addresses[4];
    const char *problem = NULL;
    (void)state;
    struct addrinfo *known = NULL;
    sockets_begin();
    bool is_known = getaddrinfo("localhost", NULL, NULL, &known) == 0; /* a bare root has no /etc/hosts */
    if (is_known)
        freeaddrinfo(known);
    size_t count = tcp_resolve("localhost", 30004, addresses, 4, &problem);
    assert_int_equal(is_known, count >= 1);
    assert_int_equal(is_known, !problem);
    for (size_t i = 0; i < count; i++) {
        assert_true(tcp_address_is_loopback(&addresses[i]));
        assert_int_equal(30004, tcp_address_port(&addresses[i]));
    }
    assert_int_equal(0, tcp_resolve("no such host", 1, addresses, 4, &problem));
    assert_non_null(problem);
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

struct pair {
    int listener, client, server;
    struct tcp_address at; /* the listener's */
};

static void wait_for(int fd, short wanted)
{
    struct wait_item item = {.fd = fd, .wanted = wanted};
    assert_int_equal(1, wait_until(&item, 1, wait_clock() + PATIENCE));
    assert_int_equal(wanted, item.came);
}

static void rest(int64_t ms)
{
    wait_until(NULL, 0, wait_clock() + ms * MILLISECOND);
}

static void listen_on_loopback(struct pair *pair)
{
    assert_int_equal(0, tcp_address_parse(&pair->at, "127.0.0.1:0", 0));
    pair->listener = tcp_listen(&pair->at);
    assert_true(pair->listener >= 0);
    assert_int_equal(0, tcp_local_address(pair->listener, &pair->at));
}

static struct pair connect_pair(void)
{
    struct pair pair;
    struct tcp_address peer, local;
    char text[2][TCP_ADDRESS_MAX];
    listen_on_loopback(&pair);
    pair.client = tcp_connect(&pair.at);
    assert_true(pair.client >= 0);
    wait_for(pair.listener, WAIT_READ);
    pair.server = tcp_accept(pair.listener, &peer);
    assert_true(pair.server >= 0);
    wait_for(pair.client, WAIT_WRITE);
    assert_int_equal(0, tcp_connect_outcome(pair.client));
    assert_int_equal(0, tcp_local_address(pair.client, &local));
    tcp_address_text(&peer, text[0]);
    tcp_address_text(&local, text[1]);
    assert_string_equal(text[0], text[1]);
    return pair;
}

static void close_pair(struct pair *pair)
{
    tcp_close(pair->listener, false);
    tcp_close(pair->client, false);
}

static void bytes_come_with_the_time_they_arrived(void **state)
{
    struct pair pair = connect_pair();
    char got[16];
    int64_t time = 0, before, after, read;
    (void)state;
    assert_int_equal(-1, tcp_receive(pair.client, got, sizeof got, &time));
    assert_int_equal(EAGAIN, errno);
    /* The kernel takes times only a moment after the first socket asks for them: what comes before has none. */
    for (int i = 0; i < 100; i++) {
        before = tcp_clock();
        assert_int_equal(5, tcp_send(pair.server, "hello", 5));
        wait_for(pair.client, WAIT_READ);
        after = tcp_clock();
        rest(5);
        read = tcp_clock();
        assert_int_equal(5, tcp_receive(pair.client, got, sizeof got, &time));
        assert_memory_equal("hello", got, 5);
        assert_true(time >= before && time <= tcp_clock());
        if (time <= after)
            break;
    }
    assert_true(!TELLS_TIMES || (time <= after && after < read));
    tcp_finish(pair.server);
    wait_for(pair.client, WAIT_READ);
    assert_int_equal(0, tcp_receive(pair.client, got, sizeof got, &time));
    tcp_close(pair.server, false);
    close_pair(&pair);
}

/* The client reads a message; whether the server has its acknowledgement long before a delayed one, after 40 ms. */
static bool is_acknowledged_at_once(const struct pair *pair, struct tcp_acknowledging *by)
{
    static char message[1220], got[sizeof message];
    int64_t time;
    assert_int_equal(sizeof message, tcp_send(pair->server, message, sizeof message));
    wait_for(pair->client, WAIT_READ);
    int64_t begin = tcp_clock();
    assert_int_equal(sizeof got, tcp_receive(pair->client, got, sizeof got, &time));
    tcp_acknowledge(pair->client, by);
    while (tcp_unacknowledged(pair->server) > 0)
        rest(1);
    return tcp_clock() - begin < 20000000;
}

/* A few may be late: other programs run, too. */
static void reads_are_acknowledged_at_once(void **state)
{
    struct pair pair = connect_pair();
    struct tcp_acknowledging by = {.reads = 0};
    unsigned late = 0;
    (void)state;
    for (int i = 0; i < 11000; i++)
        late += is_acknowledged_at_once(&pair, &by) ? 0 : 1;
    assert_in_range(late, 0, 100);
    tcp_close(pair.server, false);
    close_pair(&pair);
}

/* Without being asked, the kernel would wait for the next answer. */
static void reads_of_one_that_answers_are_acknowledged_at_once(void **state)
{
    struct pair pair = connect_pair();
    char got[8];
    int64_t time;
    unsigned late = 0;
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct tcp_acknowledging by = {.reads = 0};
        late += is_acknowledged_at_once(&pair, &by) ? 0 : 1;
        assert_int_equal(6, tcp_send(pair.client, "answer", 6));
        wait_for(pair.server, WAIT_READ);
        assert_int_equal(6, tcp_receive(pair.server, got, sizeof got, &time));
    }
    assert_in_range(late, 0, 10);
    tcp_close(pair.server, false);
    close_pair(&pair);
}

static void a_reset_arrives(void **state)
{
    struct pair pair = connect_pair();
    char got[16];
    int64_t time;
    (void)state;
    tcp_close(pair.server, true);
    wait_for(pair.client, WAIT_READ);
    ssize_t length = tcp_receive(pair.client, got, sizeof got, &time);
    assert_true(IS_RESET(length));
    assert_int_equal(-1, tcp_send(pair.client, "x", 1)); /* and no SIGPIPE */
    assert_int_equal(AFTER_RESET, errno);
    close_pair(&pair);
}

static void a_refusal_is_told(void **state)
{
    struct pair pair;
    (void)state;
    listen_on_loopback(&pair);
    tcp_close(pair.listener, false);
    pair.client = tcp_connect(&pair.at);
    if (pair.client < 0) {
        assert_int_equal(ECONNREFUSED, errno);
        return;
    }
    wait_for(pair.client, WAIT_WRITE);
    assert_int_equal(ECONNREFUSED, tcp_connect_outcome(pair.client));
    tcp_close(pair.client, false);
}

static void a_port_in_use_is_told(void **state)
{
    struct pair pair;
    (void)state;
    listen_on_loopback(&pair);
    assert_int_equal(-1, tcp_listen(&pair.at));
    assert_int_equal(EADDRINUSE, errno);
    tcp_close(pair.listener, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_written),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(loopback_is_recognised),
        cmocka_unit_test(hosts_are_compared),
        cmocka_unit_test(names_are_resolved),
        cmocka_unit_test(bytes_come_with_the_time_they_arrived),
        cmocka_unit_test(reads_are_acknowledged_at_once),
        cmocka_unit_test(reads_of_one_that_answers_are_acknowledged_at_once),
        cmocka_unit_test(a_reset_arrives),
        cmocka_unit_test(a_refusal_is_told),
        cmocka_unit_test(a_port_in_use_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
