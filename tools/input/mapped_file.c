#define _GNU_SOURCE /* preadv2 */
#include "mapped_file.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "input_files.h"

#define WINDOW ((size_t)2 * 1024 * 1024) /* mapped at once: counts as the program's memory */
#define PAGE ((uint64_t)65536)           /* the largest that systems have: mappings begin at one */

#if defined(RWF_NOWAIT) && defined(MAP_POPULATE)

/* Whether a byte is in the page cache. */
static bool is_cached(int file, uint64_t position)
{
    char byte;
    const struct iovec to = {&byte, 1};
    return preadv2(file, &to, 1, (off_t)position, RWF_NOWAIT) == 1;
}

/* The last byte stands for all: if it is cached, those before it hardly lack, and the kernel reads them now. */
static void map(struct mapped_file *ahead, uint64_t position, size_t length)
{
    int file = input_descriptor(ahead->input);
    if (file < 0 || length == 0 || !is_cached(file, position + length - 1)) {
        ahead->input = NULL; /* for good: where the answer is no, the kernel reads from the disk there, out of turn */
        return;
    }
    void *mapped = mmap(NULL, length, PROT_READ, MAP_SHARED | MAP_POPULATE, file, (off_t)position);
    if (mapped == MAP_FAILED)
        return;
    ahead->mapped = mapped;
    ahead->position = position;
    ahead->length = length;
}

#else

static void map(struct mapped_file *ahead, uint64_t position, size_t length)
{
    (void)ahead, (void)position, (void)length;
}

#endif

static void unmap(struct mapped_file *ahead)
{
    if (ahead->mapped)
        munmap(ahead->mapped, ahead->length);
    ahead->mapped = NULL;
    ahead->length = 0;
}

static bool is_mapped(const struct mapped_file *ahead, uint64_t position, size_t length)
{
    return ahead->mapped && position >= ahead->position && position + length <= ahead->position + ahead->length;
}

void mapped_file_aim(struct mapped_file *ahead, uint64_t position, size_t length)
{
    ahead->at = ahead->end = 0;
    uint64_t all = ahead->input ? input_length(ahead->input) : 0, from = position / PAGE * PAGE;
    if (position >= all)
        return;
    length = length < all - position ? length : (size_t)(all - position);
    if (!is_mapped(ahead, position, length)) {
        size_t wanted = (size_t)(position - from) + length;
        wanted = wanted < WINDOW ? WINDOW : wanted;
        unmap(ahead);
        map(ahead, from, wanted < all - from ? wanted : (size_t)(all - from));
    }
    if (!ahead->mapped)
        return;
    ahead->at = (size_t)(position - ahead->position);
    ahead->end = ahead->at + length;
}

void mapped_file_end(struct mapped_file *ahead)
{
    unmap(ahead);
    *ahead = (struct mapped_file){.input = NULL};
}
