/* Writes the captures for the bench: pcap on standard output.
 *
 *   stream legacy|rtde PACKETS [CONNECTIONS]
 *
 * legacy: packets of 1220 bytes; rtde: protocol 2, a recipe of 47 fields, packages of 1092 bytes. 500 a second on
 * each connection, one in each segment, connections in turn, each of which opens when its turn comes first. The numbers
 * change in all bits of their mantissas, so they are no shorter to print and no easier to compress than those of a
 * working robot. Uses nothing of the library. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS 54u /* Ethernet, IPv4, TCP */
#define ROOM 4096u
#define BEGIN 1760000000u /* s since the epoch */
#define CYCLE 2000u       /* us */
#define MOST_CONNECTIONS 50000u
#define LANES 192u
#define RECIPE_ID 1

enum kind { CLOCK, REAL, WHOLE, MODES, BITS };

struct field {
    enum kind kind;
    unsigned count;
    const char *name, *type;
};

/* All cells of a legacy packet are doubles. */
static const struct field legacy_fields[] = {
    {CLOCK, 1, "", "DOUBLE"}, {REAL, 84, "", "DOUBLE"}, {BITS, 1, "", "DOUBLE"},  {REAL, 8, "", "DOUBLE"},
    {MODES, 8, "", "DOUBLE"}, {REAL, 28, "", "DOUBLE"}, {BITS, 1, "", "DOUBLE"},  {WHOLE, 1, "", "DOUBLE"},
    {REAL, 6, "", "DOUBLE"},  {WHOLE, 1, "", "DOUBLE"}, {REAL, 13, "", "DOUBLE"},
};

static const struct field rtde_fields[] = {
    {CLOCK, 1, "timestamp", "DOUBLE"},
    {REAL, 6, "target_q", "VECTOR6D"},
    {REAL, 6, "target_qd", "VECTOR6D"},
    {REAL, 6, "target_qdd", "VECTOR6D"},
    {REAL, 6, "target_current", "VECTOR6D"},
    {REAL, 6, "target_moment", "VECTOR6D"},
    {REAL, 6, "actual_q", "VECTOR6D"},
    {REAL, 6, "actual_qd", "VECTOR6D"},
    {REAL, 6, "actual_current", "VECTOR6D"},
    {REAL, 6, "actual_current_window", "VECTOR6D"},
    {REAL, 6, "joint_control_output", "VECTOR6D"},
    {REAL, 6, "actual_TCP_pose", "VECTOR6D"},
    {REAL, 6, "actual_TCP_speed", "VECTOR6D"},
    {REAL, 6, "actual_TCP_force", "VECTOR6D"},
    {REAL, 6, "target_TCP_pose", "VECTOR6D"},
    {REAL, 6, "target_TCP_speed", "VECTOR6D"},
    {BITS, 1, "actual_digital_input_bits", "UINT64"},
    {REAL, 6, "joint_temperatures", "VECTOR6D"},
    {REAL, 1, "actual_execution_time", "DOUBLE"},
    {WHOLE, 1, "robot_mode", "INT32"},
    {WHOLE, 6, "joint_mode", "VECTOR6INT32"},
    {WHOLE, 1, "safety_mode", "INT32"},
    {REAL, 3, "actual_tool_accelerometer", "VECTOR3D"},
    {REAL, 1, "speed_scaling", "DOUBLE"},
    {REAL, 1, "target_speed_fraction", "DOUBLE"},
    {REAL, 1, "actual_momentum", "DOUBLE"},
    {REAL, 1, "actual_main_voltage", "DOUBLE"},
    {REAL, 1, "actual_robot_voltage", "DOUBLE"},
    {REAL, 1, "actual_robot_current", "DOUBLE"},
    {REAL, 6, "actual_joint_voltage", "VECTOR6D"},
    {BITS, 1, "actual_digital_output_bits", "UINT64"},
    {WHOLE, 1, "runtime_state", "UINT32"},
    {REAL, 3, "elbow_position", "VECTOR3D"},
    {REAL, 3, "elbow_velocity", "VECTOR3D"},
    {WHOLE, 1, "robot_status_bits", "UINT32"},
    {WHOLE, 1, "safety_status_bits", "UINT32"},
    {WHOLE, 1, "analog_io_types", "UINT32"},
    {REAL, 1, "standard_analog_input0", "DOUBLE"},
    {REAL, 1, "standard_analog_input1", "DOUBLE"},
    {REAL, 1, "standard_analog_output0", "DOUBLE"},
    {REAL, 1, "standard_analog_output1", "DOUBLE"},
    {REAL, 1, "io_current", "DOUBLE"},
    {WHOLE, 1, "tool_mode", "UINT32"},
    {REAL, 1, "tool_analog_input0", "DOUBLE"},
    {REAL, 1, "tool_analog_input1", "DOUBLE"},
    {WHOLE, 1, "tool_output_voltage", "INT32"},
    {REAL, 1, "tool_temperature", "DOUBLE"},
};

struct connection {
    uint32_t seq[2]; /* the robot's, the client's */
    uint64_t cycles;
};

struct maker {
    bool is_rtde;
    const struct field *fields;
    size_t field_count;
    struct connection *connections;
    unsigned connection_count;
    double x[LANES], y[LANES]; /* points on circles, one for each number */
};

/* ---- numbers ---- */

static uint8_t *put(uint8_t *at, uint64_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(number >> 8 * (width - 1 - i));
    return at + width;
}

static uint8_t *put_double(uint8_t *at, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return put(at, bits, 8);
}

/* Turns each point by its own angle, with cosine (1 - t^2)/(1 + t^2) and sine 2t/(1 + t^2). */
static void move(struct maker *maker)
{
    for (unsigned i = 0; i < LANES; i++) {
        double t = 0.0007 * (1 + i % 17), whole = 1 + t * t;
        double cosine = (1 - t * t) / whole, sine = 2 * t / whole, x = maker->x[i];
        maker->x[i] = cosine * x - sine * maker->y[i];
        maker->y[i] = sine * x + cosine * maker->y[i];
    }
}

/* Of a robot at work: its own, those of its joints, the safety mode. */
static const uint8_t modes[] = {7, 253, 253, 253, 253, 253, 253, 1};

static uint8_t *put_field(uint8_t *at, const struct field *field, const double *lanes, uint64_t cycles)
{
    bool is_real = field->kind == CLOCK || field->kind == REAL || strcmp(field->type, "DOUBLE") == 0;
    for (unsigned i = 0; i < field->count; i++) {
        double number = field->kind == CLOCK   ? 1000 + 0.002 * (double)cycles
                        : field->kind == REAL  ? lanes[i]
                        : field->kind == WHOLE ? 1 + i
                        : field->kind == MODES ? modes[i]
                                               : (double)(0x10000 | (cycles / 100 & 0xff));
        at = is_real ? put_double(at, number) : put(at, (uint64_t)number, field->kind == BITS ? 8 : 4);
    }
    return at;
}

/* One package of data; returns its length. */
static size_t put_data(const struct maker *maker, uint8_t *to, uint64_t cycles)
{
    uint8_t *at = to + 4; /* the length word; or length, type and recipe id */
    const double *lanes = maker->x;
    for (size_t i = 0; i < maker->field_count; i++) {
        at = put_field(at, &maker->fields[i], lanes, cycles);
        lanes += maker->fields[i].kind == REAL ? maker->fields[i].count : 0;
    }
    size_t length = (size_t)(at - to);
    if (maker->is_rtde) {
        put(to, length, 2);
        to[2] = 'U';
        to[3] = RECIPE_ID;
    } else {
        put(to, length, 4);
    }
    return length;
}

/* ---- packets ---- */

enum { FIN = 1, SYN = 2, PUSH = 8, ACK = 16 };

/* The file's numbers are little-endian. */
static void put_little(uint8_t *at, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* `payload` lies in a buffer with room for 16 + HEADERS bytes before it. */
static void write_packet(struct maker *maker, unsigned number, bool from_robot, unsigned flags, uint8_t *payload,
                         size_t length)
{
    struct connection *connection = &maker->connections[number];
    uint8_t *record = payload - HEADERS - 16, *frame = record + 16, *ip = frame + 14, *tcp = ip + 20;
    uint64_t time = connection->cycles * CYCLE + (uint64_t)number * CYCLE / maker->connection_count;
    uint32_t robot = 0x0a010000u + number, client = 0x0a020001u;
    unsigned robot_port = maker->is_rtde ? 30004 : 30003, client_port = 10000 + number;
    memset(record, 0, 16 + HEADERS);
    put_little(record, BEGIN + (uint32_t)(time / 1000000));
    put_little(record + 4, (uint32_t)(time % 1000000));
    put_little(record + 8, (uint32_t)(HEADERS + length));
    put_little(record + 12, (uint32_t)(HEADERS + length));
    put(frame, from_robot ? 0x020000000001 : 0x020000000002, 6);
    put(frame + 6, from_robot ? 0x020000000002 : 0x020000000001, 6);
    put(frame + 12, 0x0800, 2);
    put(ip, 0x4500, 2);
    put(ip + 2, 40 + length, 2);
    put(ip + 4, connection->cycles & 0xffff, 2);
    put(ip + 6, 0x4000, 2);
    put(ip + 8, 0x4006, 2);
    put(ip + 12, from_robot ? robot : client, 4);
    put(ip + 16, from_robot ? client : robot, 4);
    put(tcp, from_robot ? robot_port : client_port, 2);
    put(tcp + 2, from_robot ? client_port : robot_port, 2);
    put(tcp + 4, connection->seq[!from_robot], 4);
    put(tcp + 8, flags & ACK ? connection->seq[from_robot] : 0, 4);
    put(tcp + 12, 0x5000u | flags, 2);
    put(tcp + 14, 0xffff, 2);
    connection->seq[!from_robot] += (uint32_t)length + (flags & (SYN | FIN) ? 1 : 0);
    fwrite(record, 1, 16 + HEADERS + length, stdout);
}

/* An RTDE package: header, the bytes of `head`, names or types. */
static size_t put_list(const struct maker *maker, uint8_t *to, char type, const void *head, size_t head_length,
                       bool of_types)
{
    uint8_t *at = to + 3;
    memcpy(at, head, head_length);
    at += head_length;
    for (size_t i = 0; i < maker->field_count; i++) {
        const char *text = of_types ? maker->fields[i].type : maker->fields[i].name;
        if (i > 0)
            *at++ = ',';
        memcpy(at, text, strlen(text));
        at += strlen(text);
    }
    put(to, (uint64_t)(at - to), 2);
    to[2] = (uint8_t)type;
    return (size_t)(at - to);
}

static void open_connection(struct maker *maker, unsigned number, uint8_t *payload)
{
    static const uint8_t ask_version[] = {0, 5, 'V', 0, 2}, granted[] = {0, 4, 'V', 1}, start[] = {0, 3, 'S'},
                         started[] = {0, 4, 'S', 1}, hertz[] = {0x40, 0x7f, 0x40, 0, 0, 0, 0, 0}, id[] = {RECIPE_ID};
    struct connection *connection = &maker->connections[number];
    connection->seq[0] = 1000 + 77 * number;
    connection->seq[1] = 5000 + 33 * number;
    write_packet(maker, number, false, SYN, payload, 0);
    write_packet(maker, number, true, SYN | ACK, payload, 0);
    write_packet(maker, number, false, ACK, payload, 0);
    if (!maker->is_rtde)
        return;
    memcpy(payload, ask_version, sizeof ask_version);
    write_packet(maker, number, false, PUSH | ACK, payload, sizeof ask_version);
    memcpy(payload, granted, sizeof granted);
    write_packet(maker, number, true, PUSH | ACK, payload, sizeof granted);
    write_packet(maker, number, false, PUSH | ACK, payload, put_list(maker, payload, 'O', hertz, sizeof hertz, false));
    write_packet(maker, number, true, PUSH | ACK, payload, put_list(maker, payload, 'O', id, sizeof id, true));
    memcpy(payload, start, sizeof start);
    write_packet(maker, number, false, PUSH | ACK, payload, sizeof start);
    memcpy(payload, started, sizeof started);
    write_packet(maker, number, true, PUSH | ACK, payload, sizeof started);
}

static void write_file(struct maker *maker, uint64_t packets)
{
    static const uint8_t header[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1};
    uint8_t buffer[ROOM], *payload = buffer + 16 + HEADERS;
    fwrite(header, 1, sizeof header, stdout);
    for (uint64_t i = 0; i < packets && !ferror(stdout); i++) {
        unsigned number = (unsigned)(i % maker->connection_count);
        if (i == number)
            open_connection(maker, number, payload);
        maker->connections[number].cycles++;
        if (number == 0)
            move(maker);
        write_packet(maker, number, true, PUSH | ACK, payload,
                     put_data(maker, payload, maker->connections[number].cycles));
    }
    for (unsigned i = 0; i < maker->connection_count; i++) {
        write_packet(maker, i, false, FIN | ACK, payload, 0);
        write_packet(maker, i, true, FIN | ACK, payload, 0);
    }
}

int main(int argc, char **argv)
{
    static char room[1 << 20];
    struct maker maker = {.connection_count = 1};
    uint64_t packets = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (argc > 3)
        maker.connection_count = (unsigned)strtoul(argv[3], NULL, 10);
    maker.is_rtde = argc > 1 && strcmp(argv[1], "rtde") == 0;
    if (argc < 3 || argc > 4 || (!maker.is_rtde && strcmp(argv[1], "legacy") != 0) || packets == 0 ||
        maker.connection_count == 0 || maker.connection_count > MOST_CONNECTIONS) {
        fputs("usage: stream legacy|rtde PACKETS [CONNECTIONS]\n", stderr);
        return 2;
    }
    maker.fields = maker.is_rtde ? rtde_fields : legacy_fields;
    maker.field_count =
        maker.is_rtde ? sizeof rtde_fields / sizeof *rtde_fields : sizeof legacy_fields / sizeof *legacy_fields;
    maker.connections = calloc(maker.connection_count, sizeof *maker.connections);
    if (!maker.connections)
        return 2;
    for (unsigned i = 0; i < LANES; i++) {
        maker.x[i] = 0.1 + 0.7 * i;
        maker.y[i] = 0.3 + 0.01 * i;
    }
    setvbuf(stdout, room, _IOFBF, sizeof room);
    write_file(&maker, packets);
    free(maker.connections);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
