/* The program, to be called by the test. */
#define main armtap_main
int armtap_main(int argc, char **argv);
#include "../../tools/main/main.c"

#include "export/export.h"

#define BEGINNING 12000

enum exit_status __real_export_run(const struct export_wish *wish, const struct replay_source *source);
enum exit_status __wrap_export_run(const struct export_wish *wish, const struct replay_source *source);

/* Rows are written in the first reading of small captures, too. */
enum exit_status __wrap_export_run(const struct export_wish *wish, const struct replay_source *source)
{
    struct export_wish ours = *wish;
    ours.beginning = BEGINNING;
    return __real_export_run(&ours, source);
}
