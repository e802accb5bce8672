/* Prints the controller's time and the base joint of every record in captures: capture FILE... */
#include <armtap-capture.h>
#include <stdio.h>

static int print_base(void *user, const struct armtap_record *record)
{
    if (armtap_set_has(record->updated, ARMTAP_ID_actual_q))
        fprintf(user, "%.17g %.17g\n", record->state->timestamp, record->state->actual_q[0]);
    return 0; /* other than 0 stops */
}

int main(int count, char **names)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = print_base};
    struct armtap_net *net;
    int failed = 0;
    if (armtap_net_new(NULL, &sink, stdout, &net))
        return 1;
    for (int i = 1; i < count; i++) {
        struct armtap_capture *capture = armtap_capture_open(names[i]);
        if (armtap_capture_push(capture, net))
            failed = fprintf(stderr, "%s\n", armtap_capture_problem(capture));
        armtap_capture_close(capture);
    }
    armtap_net_finish(net);
    armtap_net_free(net);
    return failed != 0;
}
