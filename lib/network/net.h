/* The packets of a capture, as its connections: what the files of the net share. */
#ifndef NET_H
#define NET_H

#include "protocol/budget.h"
#include "connection/conn.h"
#include "archive/digest.h"
#include "flow.h"
#include "packet/fragments.h"
#include "packet/link.h"
#include "connection/knowledge.h"
#include "protocol/fact.h"
#include "tcp/tcp.h"
#include "inside.h"

enum { ARMTAP_UNREAD_KINDS = 16 };
enum { ARMTAP_USUALS = 64 }; /* senders whose headers are known; a power of two */

/* One end of a flow, and the headers that its packets have. */
struct armtap_usual {
    struct armtap_flow *flow; /* NULL: none */
    unsigned sender;
    struct armtap_header_pattern pattern;
};

enum { ARMTAP_HOSTS = 64 }; /* as many are watched */

struct armtap_host {
    struct armtap_address address;
    uint64_t mac[2];    /* the last, and another one before; 0: none */
    int64_t reply_time; /* of the last answer to ARP by that MAC address; 0: none */
    enum { ARMTAP_HOST_ONCE, ARMTAP_HOST_TWICE, ARMTAP_HOST_TOLD } state;
    struct armtap_where where; /* where two were seen */
};

struct armtap_hosts {
    struct armtap_host all[ARMTAP_HOSTS];
    size_t next; /* to be replaced */
};

struct armtap_net {
    struct armtap_sink sink;
    void *user;
    struct armtap_port *ports;
    size_t port_count;
    struct armtap_recipe *recipe;
    struct armtap_pool pool;
    struct armtap_reserve reserve;
    struct armtap_layouts layouts;
    struct armtap_flow_table flows;
    struct armtap_flow_attempts attempts;
    struct armtap_traffics traffics;
    uint64_t connections; /* so far */
    struct armtap_knowledge *knowledge;
    enum armtap_origin origin; /* of the next packets */
    bool is_copy;              /* the next packets repeat those of an earlier file */
    bool no_guess;
    bool forgot; /* connections that may go on */
    bool busy;   /* a call runs that may call back */
    bool freed;  /* meanwhile it was freed */
    int error;   /* that ended it */
    unsigned notes[ARMTAP_NOTE_COUNT];
    unsigned doubts;              /* flows that hold a segment in doubt */
    struct armtap_digest *digest; /* of these packets, or NULL */
    size_t ports_at;              /* in the packets of the last sender that became usual */
    size_t kept;                  /* bytes of memory in use, when that was last limited */
    struct armtap_fragments fragments;
    struct armtap_hosts hosts;
    struct armtap_unread unread[ARMTAP_UNREAD_KINDS]; /* those that were met come first */
    struct armtap_usual usual[ARMTAP_USUALS];
};

/* ---- net.c ---- */

/* Starts a call that may invoke callbacks: refused while another runs, and after an error. */
int armtap_net_enter(struct armtap_net *net);
int armtap_net_leave(struct armtap_net *net, int error);
/* Ends the attempts to connect to which no answer will come, and the connections that a RST ended. */
int armtap_net_end_overdue(struct armtap_net *net);

static inline enum armtap_direction armtap_net_direction(const struct armtap_flow *flow, unsigned sender)
{
    return sender == flow->robot_end ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
}

/* ---- hosts.c ---- */

/* An ARP packet, or a segment of a machine in the same network: its sender claims its address. */
int armtap_hosts_claim(struct armtap_net *net, const struct armtap_segment *segment);
int armtap_hosts_finish(struct armtap_net *net);

/* ---- net_notes.c ---- */

/* An address without a port. */
void armtap_net_host_text(const struct armtap_address *address, char text[64]);
/* Notes something of the capture, with the ends of a segment as far as they are known. */
int armtap_net_note(struct armtap_net *net, enum armtap_note_code code, const struct armtap_segment *segment,
                    const struct armtap_arguments *arguments);
int armtap_net_note_unread(struct armtap_net *net, enum armtap_link_result result, const struct armtap_segment *segment,
                           const char *fault);
int armtap_net_note_unfinished(struct armtap_net *net, const struct armtap_unfinished_datagram *unfinished);
int armtap_net_note_refused(struct armtap_net *net, enum armtap_fragment_outcome outcome,
                            const struct armtap_segment *segment);
/* At the end of the capture. */
int armtap_net_tell_traffic(struct armtap_net *net);

/* ---- net_roles.c ---- */

/* Whether a robot listens there. */
bool armtap_net_is_telemetry(const struct armtap_net *net, uint16_t port);
/* Fills in robot_end of the flow, and the setup's protocol and roles. */
void armtap_net_tell_roles(const struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                           unsigned sender, struct armtap_conn_setup *setup);
/* Connections to other ports of robots: without SYN their port shows who the robot is. */
void armtap_net_find_taker(struct armtap_net *net, struct armtap_flow *flow, bool has_syn,
                           const struct armtap_conn_setup *setup);
/* Telemetry ports are not listed, whatever they carry: a note reports them. */
void armtap_net_begin_traffic(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                              unsigned sender);

/* ---- net_digest.c: before and after each packet that does not go a short way; `segment` NULL: of no connection ----
 */

void armtap_net_digest_before(struct armtap_net *net, const struct armtap_segment *segment);
int armtap_net_digest_after(struct armtap_net *net, const struct armtap_packet *packet,
                            const struct armtap_segment *segment);

#endif
