/* Passes whole programs on to a robot's port for scripts, over one connection that is kept open and read: a controller
 * may discard a program whose sender closes before it has read a status message (script manual, "Connecting to
 * URControl"). */
#ifndef SERVE_SCRIPT_FORWARDER_H
#define SERVE_SCRIPT_FORWARDER_H

#include "input/event_loop.h"
#include "input/tcp_socket.h"

#define SCRIPT_PORT 30002
/* Programs that wait to be sent; one that does not fit is refused whole. */
#define SCRIPT_WAITING_MAX ((size_t)2 * 1024 * 1024)

struct script_forwarder;
/* Connects when the first program comes. NULL if memory runs out. */
struct script_forwarder *script_forwarder_new(struct event_loop *loop, const struct tcp_address *robot);
/* Says what was not sent. */
void script_forwarder_free(struct script_forwarder *forwarder);
/* Takes a whole program. 0, or -1 after a message that the program was dropped. */
int script_forwarder_send(struct script_forwarder *forwarder, const char *program, size_t length);

#endif
