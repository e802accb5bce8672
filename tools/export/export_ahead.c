/* Rows in the first of two readings. The first one finds streams, tables and rates, and the second one writes the rows;
 * most captures go on as they begin, and need no second one. So their beginning is read for what it shows of all that,
 * then rows are written while the first reading goes on beside them. If it found at its end what the beginning showed,
 * they are the rows that a second reading would give. If not, or as soon as something comes that the beginning did not
 * show, they are discarded, and the second reading follows: both ways give the same output (tests/ahead).
 *
 * Only for one file under a temporary name, which can be discarded. */
#include "export_job.h"

#include <string.h>

#include "input/files/input_files.h"

/* Bytes of the beginning, so that rates are known of twenty streams, and by how much longer the input must be. */
#define BEGINNING ((uint64_t)2 << 20)
#define WORTH_IT 8

/* ---- the beginning --------------------------------------------------------------------------------------------- */

static bool may_begin(const struct job *job)
{
    const struct export_wish *wish = job->wish;
    uint64_t least = wish->beginning > 0 ? 1 : WORTH_IT * BEGINNING;
    return !wish->reads_twice && !wish->split && !wish->bag && !job->source->archive &&
           output_files_are_pending(&job->outlets) && inputs_length(job->source->inputs, job->source->count) >= least;
}

static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    const struct job *job = user;
    uint64_t enough = job->wish->beginning > 0 ? job->wish->beginning : BEGINNING;
    return totals->bytes < enough ? REPLAY_GO_ON : REPLAY_HAS_ENOUGH;
}

/* Learns what the beginning shows. 0, or -1 if it does not lead to rows. */
static int learn(struct job *ahead)
{
    struct replay_end end;
    struct replay_source source = job_source(ahead, &end);
    source.quiet = true;
    source.progress = false;
    source.on_turn = on_turn;
    replay(&source, &job_survey_sink, ahead, &ahead->totals);
    if (ahead->totals.broken_off && !ahead->totals.interrupted)
        return job_give_up(ahead);
    if (ahead->totals.interrupted || armtap_knowledge_has_guesses(ahead->knowledge))
        return job_surprise(ahead);
    if (survey_conclude(ahead) != 0)
        return -1;
    const struct table *table = job_only_table(ahead);
    ahead->foreseen = ahead->generations;
    ahead->foreseen_in_table = table ? table->generations : 0;
    return 0;
}

/* An output without its files, which another job has now. */
static struct output_files without_files(const struct output_files *outlets)
{
    return (struct output_files){
        .name = outlets->name, .run = outlets->run, .split = outlets->split, .gzipped = outlets->gzipped};
}

static int prepare(struct job *ahead)
{
    ahead->is_ahead = true;
    if (job_prepare(ahead) != 0 || learn(ahead) != 0)
        return -1;
    return job_make_threads(ahead) == 0 ? 0 : job_give_up_memory(ahead);
}

int ahead_begin(struct job *job, struct job *ahead)
{
    if (!may_begin(job))
        return 0;
    job->ahead = ahead;
    if (prepare(ahead) != 0) {
        bool gave_up = ahead->gave_up;
        ahead_drop(job);
        return gave_up ? job_give_up(job) : 0;
    }
    ahead->outlets = job->outlets;
    job->outlets = without_files(&ahead->outlets);
    return 0;
}

void ahead_drop(struct job *job)
{
    if (job->ahead)
        job_release(job->ahead);
    job->ahead = NULL;
}

/* ---- both at once ---------------------------------------------------------------------------------------------- */

/* What is not foreseen ends the rows only. Anything else, such as a full disk, ends the export. */
static int go_on_without(struct job *job, int answer)
{
    if (!job->ahead->is_surprised) {
        job->gave_up = job->ahead->gave_up;
        job->status = EXIT_FAILED;
        return answer;
    }
    ahead_drop(job);
    return REPLAY_GO_ON;
}

static const struct armtap_sink *rows_sink(const struct job *ahead)
{
    return ahead->remarks ? &job_hear_sink : &job_print_sink;
}

#define BOTH(callback, type)                                                                                           \
    static int callback##_of_both(void *user, const struct type *what)                                                 \
    {                                                                                                                  \
        struct job *job = user, *ahead;                                                                                \
        int answer = job_survey_sink.callback(job, what);                                                              \
        if (answer != REPLAY_GO_ON || !(ahead = job->ahead))                                                           \
            return answer;                                                                                             \
        ahead->totals = job->totals;                                                                                   \
        answer = rows_sink(ahead)->callback(ahead, what);                                                              \
        return answer == REPLAY_GO_ON ? answer : go_on_without(job, answer);                                           \
    }
BOTH(on_record, armtap_record)
BOTH(on_recipe, armtap_recipe_event)
BOTH(on_note, armtap_note)
BOTH(on_event, armtap_event)
BOTH(on_candidates, armtap_candidates)
#undef BOTH

static int on_message(void *user, const struct armtap_message *message)
{
    struct job *job = user, *ahead = job->ahead;
    int answer = ahead ? rows_sink(ahead)->on_message(ahead, message) : REPLAY_GO_ON;
    return answer == REPLAY_GO_ON ? answer : go_on_without(job, answer);
}

struct armtap_sink ahead_sink(const struct job *job)
{
    if (!job->ahead)
        return job_survey_sink;
    return (struct armtap_sink){.size = sizeof(struct armtap_sink),
                                .on_record = on_record_of_both,
                                .on_recipe = on_recipe_of_both,
                                .on_note = on_note_of_both,
                                .on_event = on_event_of_both,
                                .on_message = job->ahead->remarks ? on_message : NULL,
                                .on_candidates = on_candidates_of_both,
                                .wants_state = job->ahead->remarks ? NULL : job_survey_sink.wants_state};
}

/* ---- whether the rows hold ------------------------------------------------------------------------------------- */

static bool has_same_lengths(const struct table_layout *one, const struct table_layout *other)
{
    size_t size = armtap_recipe_count(one->recipe) * sizeof *one->longest;
    if (!one->longest || !other->longest)
        return !one->longest && !other->longest;
    return memcmp(one->longest, other->longest, size) == 0;
}

static bool has_same_layouts(const struct table *one, const struct table *other)
{
    if (one->layout_count != other->layout_count)
        return false;
    for (size_t i = 0; i < one->layout_count; i++)
        if (!armtap_recipe_same(one->layouts[i]->recipe, other->layouts[i]->recipe) ||
            !has_same_lengths(one->layouts[i], other->layouts[i]))
            return false;
    return true;
}

/* One table holds all rows. */
static bool has_same_table(const struct job *job)
{
    const struct table *found = job_only_table(job), *foreseen = job_only_table(job->ahead);
    if (!found || !foreseen)
        return !found && !foreseen && !job->ahead->begun;
    return found->stream == foreseen->stream && found->part == foreseen->part &&
           found->protocol == foreseen->protocol && found->generation == foreseen->generation &&
           found->generations == job->ahead->foreseen_in_table && has_same_layouts(found, foreseen);
}

/* Tables by recipe are made as rows need them; what the first reading leaves to the second are lengths of arrays. */
static bool has_same_tables(const struct job *job)
{
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        const struct table *found = tables_at(job->tables, i);
        bool is_there = false;
        for (size_t k = 0; k < tables_count(job->ahead->tables) && !is_there; k++)
            is_there = has_same_layouts(found, tables_at(job->ahead->tables, k));
        if (!is_there)
            return false;
    }
    return true;
}

static bool has_same_numbers(const struct job *job)
{
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++)
        if (tables_stream_number(job->ahead->tables, armtap_streams_at(job->streams, i)->stream->connection) != i)
            return false;
    return armtap_streams_rest(job->streams)->count == 0;
}

bool ahead_holds(const struct job *job)
{
    const struct job *ahead = job->ahead;
    bool by_recipe = format_has(job->wish->format, FORMAT_ALL_TABLES) && !job->wish->joined;
    return job->rank == ahead->rank && job->generations == ahead->foreseen &&
           job->targets.settings.several_streams == ahead->targets.settings.several_streams && has_same_numbers(job) &&
           (by_recipe ? has_same_tables(job) : has_same_table(job)) &&
           missing_data_agrees(job->missing, ahead->missing);
}

struct job *ahead_take_over(struct job *job)
{
    struct job *ahead = job->ahead;
    armtap_streams_free(ahead->streams);
    ahead->streams = job->streams;
    job->streams = NULL;
    memcpy(ahead->cuts, job->cuts, sizeof ahead->cuts);
    ahead->is_ahead = false;
    ahead->cut_count = job->cut_count;
    ahead->status = job->status;
    ahead->totals = job->totals;
    ahead->manifest = job->manifest;
    job->manifest = (struct manifest){.file = -1};
    return ahead;
}
