#define _GNU_SOURCE /* preadv2 */
#include "mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/process/bus_error.h"
#include "block_sum.h"
#include "input_files.h"

#define WINDOW ((size_t)2 * 1024 * 1024) /* mapped at once: counts as the program's memory */
#define PAGE ((uint64_t)65536)           /* the largest that systems have: mappings begin at one */

#if defined(RWF_NOWAIT) && defined(MAP_POPULATE)

/* Whether a byte is in the page cache. */
static bool is_cached(int descriptor, uint64_t position)
{
    char byte;
    const struct iovec to = {&byte, 1};
    return preadv2(descriptor, &to, 1, (off_t)position, RWF_NOWAIT) == 1;
}

/* The last byte stands for all: if it is cached, those before it hardly lack, and the kernel reads them now. */
static void map(struct mapped_file *file, uint64_t position, size_t length)
{
    int descriptor = input_descriptor(file->input);
    if (descriptor < 0 || length == 0 || !is_cached(descriptor, position + length - 1)) {
        file->input = NULL; /* for good: where the answer is no, the kernel reads from the disk there, out of turn */
        return;
    }
    void *mapped = mmap(NULL, length, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, (off_t)position);
    if (mapped == MAP_FAILED)
        return;
    file->bytes = mapped;
    file->position = position;
    file->length = length;
}

#else

static void map(struct mapped_file *file, uint64_t position, size_t length)
{
    (void)file, (void)position, (void)length;
}

#endif

static void unmap(struct mapped_file *file)
{
    if (file->bytes)
        munmap(file->bytes, file->length);
    file->bytes = NULL;
    file->length = 0;
}

static bool is_mapped(const struct mapped_file *file, uint64_t position, size_t length)
{
    return file->bytes && position >= file->position && position + length <= file->position + file->length;
}

void mapped_file_aim(struct mapped_file *file, uint64_t position, size_t length)
{
    file->at = file->end = 0;
    uint64_t all = file->input ? input_length(file->input) : 0, from = position / PAGE * PAGE;
    if (position >= all)
        return;
    length = length < all - position ? length : (size_t)(all - position);
    if (!is_mapped(file, position, length)) {
        size_t wanted = (size_t)(position - from) + length;
        wanted = wanted < WINDOW ? WINDOW : wanted;
        unmap(file);
        map(file, from, wanted < all - from ? wanted : (size_t)(all - from));
    }
    if (!file->bytes)
        return;
    file->at = (size_t)(position - file->position);
    file->end = file->at + length;
}

struct copy {
    const uint8_t *from;
    uint8_t *to;
    size_t length;
    uint32_t sum;
};

static void copy(void *user)
{
    struct copy *copy = user;
    copy->sum = block_sum_copy(copy->to, copy->from, copy->length);
}

/* Whether the file still had the bytes that were copied. The rest of a cut file's last page reads as zeros: a last byte
 * other than 0 shows that the file was not cut. */
static bool had(const struct mapped_file *file, uint64_t end, uint8_t last)
{
    struct stat status;
    return last != 0 || (fstat(input_descriptor(file->input), &status) == 0 && (uint64_t)status.st_size >= end);
}

bool mapped_file_copy(struct mapped_file *file, uint64_t position, uint8_t *to, size_t length, uint32_t *sum)
{
    if (!is_mapped(file, position, length))
        return false;
    struct copy wanted = {.from = file->bytes + (position - file->position), .to = to, .length = length};
    bool is_whole = bus_error_guard(copy, &wanted) && had(file, position + length, to[length - 1]);
    *sum = wanted.sum;
    if (!is_whole)
        mapped_file_end(file);
    return is_whole;
}

void mapped_file_end(struct mapped_file *file)
{
    unmap(file);
    *file = (struct mapped_file){.input = NULL};
}
