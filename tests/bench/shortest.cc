// Formats the numbers of a capture that `stream` made by std::to_chars in its shortest form, and does nothing else:
// armtap's CSV is compared with it.
//
//   shortest FILE            CPU seconds of the formatting, without reading and decoding
//   shortest --print N FILE  the numbers of the first N packages, a line each: they must be those that armtap writes
//   shortest --cells CSV     CPU seconds of the formatting of a CSV file's numbers, without its first column
//
// Has its own decoder and uses nothing of the library.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace
{

constexpr std::size_t packages_at_once = 512; // their numbers fit into the cache
constexpr std::size_t record_header = 16, headers = 54, longest = 4096;

struct number {
    bool is_real;
    double real;
    std::int64_t whole;
};

enum class kind { cell, real, i32, u32, u64 };

std::uint64_t big(const unsigned char *at, unsigned width)
{
    std::uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v = v << 8 | at[i];
    return v;
}

double real(const unsigned char *at)
{
    std::uint64_t bits = big(at, 8);
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

std::vector<kind> legacy_layout()
{
    std::vector<kind> layout(152, kind::real);
    for (int column : {86, 95, 96, 97, 98, 99, 100, 101, 102, 131, 132, 139})
        layout[static_cast<std::size_t>(column - 1)] = kind::cell;
    return layout;
}

// The types in the controller's reply.
std::vector<kind> layout_of(const std::string &types)
{
    static const struct {
        const char *name;
        kind what;
        std::size_t count;
    } known[] = {{"DOUBLE", kind::real, 1}, {"VECTOR3D", kind::real, 3}, {"VECTOR6D", kind::real, 6},
                 {"INT32", kind::i32, 1},   {"UINT32", kind::u32, 1},    {"VECTOR6INT32", kind::i32, 6},
                 {"UINT64", kind::u64, 1}};
    std::vector<kind> layout;
    for (std::size_t at = 0; at < types.size();) {
        std::size_t end = types.find(',', at);
        std::string name = types.substr(at, end == std::string::npos ? end : end - at);
        for (const auto &row : known)
            if (name == row.name)
                layout.insert(layout.end(), row.count, row.what);
        at = end == std::string::npos ? types.size() : end + 1;
    }
    return layout;
}

void append(const unsigned char *at, const std::vector<kind> &layout, std::vector<number> &numbers)
{
    for (kind what : layout) {
        switch (what) {
        case kind::real:
            numbers.push_back({true, real(at), 0});
            break;
        case kind::cell:
            numbers.push_back({false, 0, static_cast<std::int64_t>(real(at))});
            break;
        case kind::i32:
            numbers.push_back({false, 0, static_cast<std::int32_t>(big(at, 4))});
            break;
        case kind::u32:
            numbers.push_back({false, 0, static_cast<std::int64_t>(big(at, 4))});
            break;
        case kind::u64:
            numbers.push_back({false, 0, static_cast<std::int64_t>(big(at, 8))});
            break;
        }
        at += what == kind::i32 || what == kind::u32 ? 4 : 8;
    }
}

double cpu_seconds()
{
    std::timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Formats one after the other into one buffer. Returns the seconds.
double format(const std::vector<number> &numbers)
{
    static char room[1 << 20];
    char *at = room;
    double begin = cpu_seconds();
    for (const number &n : numbers) {
        if (at > room + sizeof room - 64)
            at = room;
        at = n.is_real ? std::to_chars(at, at + 32, n.real).ptr : std::to_chars(at, at + 32, n.whole).ptr;
        *at++ = ',';
    }
    return cpu_seconds() - begin;
}

void print(const std::vector<number> &numbers, std::size_t width)
{
    for (std::size_t i = 0; i < numbers.size(); i++) {
        char text[32];
        const number &n = numbers[i];
        char *end =
            n.is_real ? std::to_chars(text, text + 32, n.real).ptr : std::to_chars(text, text + 32, n.whole).ptr;
        std::fwrite(text, 1, static_cast<std::size_t>(end - text), stdout);
        std::fputc((i + 1) % width == 0 ? '\n' : ',', stdout);
    }
}

// Appends the numbers of a line, whose first cell is a time; what is empty or a text is none.
void append_cells(const std::string &line, std::vector<number> &numbers)
{
    for (std::size_t at = line.find(','), end; at != std::string::npos; at = end) {
        end = line.find(',', ++at);
        const std::string cell = line.substr(at, end == std::string::npos ? end : end - at);
        char *rest;
        const bool is_whole = cell.find_first_not_of("-0123456789") == std::string::npos;
        const number n = {!is_whole, std::strtod(cell.c_str(), &rest), std::strtoll(cell.c_str(), nullptr, 10)};
        if (!cell.empty() && *rest == '\0')
            numbers.push_back(n);
    }
}

int time_cells(const char *name)
{
    std::ifstream file(name);
    std::vector<number> numbers;
    double seconds = 0;
    std::size_t rows = 0;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        append_cells(line, numbers);
        if (++rows % packages_at_once == 0) {
            seconds += format(numbers);
            numbers.clear();
        }
    }
    std::printf("%.6f\n", seconds + format(numbers));
    return rows > 0 ? 0 : 1;
}

// The payload of the next packet from the robot; 0 at the end.
std::size_t next(std::FILE *file, unsigned char *payload)
{
    unsigned char record[record_header + headers];
    for (;;) {
        if (std::fread(record, 1, sizeof record, file) != sizeof record)
            return 0;
        std::size_t captured = record[8] | record[9] << 8;
        std::size_t length = captured - headers;
        if (captured < headers || length > longest || std::fread(payload, 1, length, file) != length)
            return 0;
        if (length > 0 && big(record + record_header + 34, 2) < 30005 && big(record + record_header + 34, 2) > 30002)
            return length;
    }
}

} // namespace

int main(int argc, char **argv)
{
    static unsigned char payload[longest];
    if (argc == 3 && std::strcmp(argv[1], "--cells") == 0)
        return time_cells(argv[2]);
    std::size_t most =
        argc == 4 && std::strcmp(argv[1], "--print") == 0 ? std::strtoul(argv[2], nullptr, 10) : SIZE_MAX;
    std::FILE *file = argc == 2 || argc == 4 ? std::fopen(argv[argc - 1], "rb") : nullptr;
    if (file == nullptr || std::fread(payload, 1, 24, file) != 24) {
        std::fputs("usage: shortest [--print N] FILE, or shortest --cells CSV\n", stderr);
        return 2;
    }
    std::vector<kind> layout = legacy_layout();
    std::vector<number> numbers;
    double seconds = 0;
    std::size_t packages = 0;
    for (std::size_t length; packages < most && (length = next(file, payload)) > 0;) {
        bool is_legacy = big(payload, 4) == length;
        if (!is_legacy && payload[2] == 'O')
            layout = layout_of(std::string(reinterpret_cast<char *>(payload) + 4, length - 4));
        if (!is_legacy && payload[2] != 'U')
            continue;
        append(payload + 4, layout, numbers);
        if (++packages % packages_at_once == 0 && most == SIZE_MAX) {
            seconds += format(numbers);
            numbers.clear();
        }
    }
    std::fclose(file);
    if (most != SIZE_MAX)
        print(numbers, layout.size());
    else
        std::printf("%.6f\n", seconds + format(numbers));
    return 0;
}
