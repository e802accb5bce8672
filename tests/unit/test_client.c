/* A client of robots: what it asks, what it makes of the answers, when it connects again and when it gives up. */
#include "client_world.h"

#include <stdlib.h>
#include <string.h>

static void test_an_rtde_session(void **unused)
{
    struct world world = {.manners = {.data = 2, .late = 1, .clock = 1.5}, .stop_at = 2, .log = {.values = true}};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_string_equal(world.log.text, "client connected info at 0 ms: connected\n"
                                        "event > recognised 0\n"
                                        "recipe < id1 500 Hz timestamp:DOUBLE actual_q:VECTOR6D\n"
                                        "event < start 0\n"
                                        "client started info at 0 ms: started\n"
                                        "record < @46 +60 v3 id1 timestamp=1.5 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "client data info at 0 ms: data comes\n"
                                        "record < @106 +60 v3 id1 timestamp=1.508 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "record < @166 +60 v3 id1 timestamp=1.516 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "event < pause 0\n"
                                        "client verdict info at 0 ms: stopped\n"
                                        "end closed verdict 2 \"stopped\" error 0\n");
    world_free(&world);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_rtde_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
