/* The diagnosis of a capture from elsewhere, as armtap merge adds it up: twice, as if two captures had left it. */
#include <stdlib.h>

#include "analysis/inside.h"
#include "merge/summaries.h"
#include "target.h"

#define HELD_MOST(bytes) (512 * (size_t)(bytes) + (32 << 20))

static bool take(struct facts *facts, const uint8_t *data, size_t size)
{
    const struct json_taker taker = {facts_lists, facts_take, facts};
    enum json_fault fault;
    size_t at;
    struct json_node *root = json_read_by_element((const char *)data, size, &taker, &fault, &at);
    CHECK(!facts->lacks_memory && fault != JSON_NO_MEMORY);
    free(root);
    return root != NULL;
}

FUZZ_TARGET(facts)
{
    static const char *const files[] = {"a.pcap", "b.pcap"};
    struct facts facts = {.files = files};
    size_t before = bytes_held();
    CHECK(armtap_diagnosis_new(NULL, &facts.diagnosis) == ARMTAP_OK);
    if (take(&facts, data, size)) {
        facts.file = 1;
        CHECK(take(&facts, data, size));
    }
    CHECK(armtap_diagnosis_finish(facts.diagnosis) == ARMTAP_OK);
    for (size_t i = 0; i < armtap_diagnosis_finding_count(facts.diagnosis); i++)
        CHECK(armtap_diagnosis_finding_at(facts.diagnosis, i)->count > 0);
    CHECK(bytes_held() <= before + HELD_MOST(size));
    armtap_diagnosis_free(facts.diagnosis);
    return 0;
}
