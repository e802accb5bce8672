/* Makes the captures of the fault corpus:
 *
 *   faults --list            the names of the cases: first faults, then ordinary traffic
 *   faults NAME CAPTURE      writes the capture; prints what must be found in it, one line each: ID STREAM PACKET
 */
#include "cases.h"

#include <string.h>

static int list(void)
{
    for (const struct fault_case *fault = fault_cases; fault->name; fault++)
        printf("fault %s\n", fault->name);
    for (const struct fault_case *fault = ordinary_cases; fault->name; fault++)
        printf("ordinary %s\n", fault->name);
    return 0;
}

static const struct fault_case *find(const struct fault_case *cases, const char *name)
{
    while (cases->name && strcmp(cases->name, name) != 0)
        cases++;
    return cases->name ? cases : NULL;
}

static void print_expected(const struct play *play)
{
    for (size_t i = 0; i < play->finding_count; i++) {
        const struct play_finding *finding = &play->findings[i];
        printf("%s ", finding->id);
        if (finding->stream < 0)
            printf("null %zu\n", finding->packet);
        else
            printf("%d %zu\n", finding->stream, finding->packet);
    }
}

static int make(const struct fault_case *fault, const char *path)
{
    struct play play;
    if (play_begin(&play) != 0)
        return 2;
    fault->play(&play);
    FILE *file = fopen(path, "wb");
    int bad = !file || play_write(&play, file) != 0;
    if (file && fclose(file) != 0)
        bad = 1;
    if (bad)
        fprintf(stderr, "faults: %s: %s cannot be made\n", fault->name, path);
    else
        print_expected(&play);
    play_end(&play);
    return bad ? 2 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    const struct fault_case *fault = argc == 3 ? find(fault_cases, argv[1]) : NULL;
    if (!fault && argc == 3)
        fault = find(ordinary_cases, argv[1]);
    if (fault)
        return make(fault, argv[2]);
    fprintf(stderr, "usage: faults --list | NAME CAPTURE\n");
    return 2;
}
