/* The cases: each plays a capture with something wrong in it, or ordinary traffic that must not look wrong. */
#ifndef CASES_H
#define CASES_H

#include "play.h"

struct fault_case {
    const char *name; /* the id it raises, if any, with a suffix */
    void (*play)(struct play *play);
};

/* Ends in a row without a name. */
extern const struct fault_case fault_cases[];
extern const struct fault_case ordinary_cases[];

/* AUBO's cases, for both tables. */
void aubo_message_bad(struct play *play);
void aubo_set_up_bad(struct play *play);
void aubo_message_too_long(struct play *play);
void aubo_channel_unknown(struct play *play);
void aubo_values_count(struct play *play);
void aubo_websocket_bad(struct play *play);
void aubo_websocket_gap(struct play *play);
void aubo_silence(struct play *play);
void aubo_silence_from_subscription(struct play *play);
void aubo_rate_low(struct play *play);
void aubo_clock_backwards(struct play *play);
void aubo_safety_stop(struct play *play);
void aubo_safety_stop_number(struct play *play);
void aubo_safety_state(struct play *play);
void aubo_channels(struct play *play);
void aubo_bunches(struct play *play);
void aubo_set_up_again(struct play *play);
void aubo_rounds(struct play *play);
void aubo_slow(struct play *play);
void aubo_web(struct play *play);
void aubo_arms(struct play *play);

/* The primary interface's cases, for both tables. */
void dashboard_refused(struct play *play);
void dashboard_command(struct play *play);
void primary_longer(struct play *play);
void primary_unknown_message(struct play *play);
void primary_unknown_part(struct play *play);
void primary_message_cut(struct play *play);
void primary_errors(struct play *play);
void primary_exception(struct play *play);
void primary_warning(struct play *play);
void primary_words(struct play *play);
void primary_state_bad(struct play *play);
void primary_safety_stop(struct play *play);
void primary_safety_stop_cb2(struct play *play);
void primary_silence(struct play *play);
void primary_gap(struct play *play);
void primary_midstream(struct play *play);
void primary_says_time_out(struct play *play);
/* External Control's. */
void control_gap(struct play *play);
void control_hole(struct play *play);
void control_jump(struct play *play);
void control_coalesced(struct play *play);
void control_mode(struct play *play);
void control_lost(struct play *play);
void control_ordinary(struct play *play);
void primary_program(struct play *play);
/* ur_rtde's. */
void mailbox_failed(struct play *play);
void mailbox_withdrawn(struct play *play);
void mailbox_replaced(struct play *play);
void mailbox_closed(struct play *play);
void mailbox_slow(struct play *play);
void mailbox_unknown(struct play *play);
void mailbox_ordinary(struct play *play);

/* Failed attempts to connect, for both tables. */
void attempt_refused(struct play *play);
void attempt_refused_v6(struct play *play);
void attempt_refused_for_an_hour(struct play *play);
void attempt_refused_then_connected(struct play *play);
void attempt_refused_same_syn(struct play *play);
void attempt_refused_out_of_order(struct play *play);
void attempt_unreachable(struct play *play);
void attempt_unreachable_v6(struct play *play);
void attempt_clock_set(struct play *play);
void attempt_no_answer(struct play *play);
void attempt_no_answer_v6(struct play *play);
void attempt_no_answer_alone(struct play *play);
void attempt_no_answer_to_the_end(struct play *play);
void attempt_no_answer_once(struct play *play);
void attempt_no_answer_for_ever(struct play *play);
void attempt_no_answer_then_connected(struct play *play);
void attempt_reset_by_robot(struct play *play);
void attempt_closed_by_robot(struct play *play);
void attempt_silent(struct play *play);
void attempt_mute(struct play *play);
void attempt_probe(struct play *play);
void attempt_syn_lost(struct play *play);
void attempt_at_the_end(struct play *play);
void attempt_answer_not_captured(struct play *play);
void attempt_copied(struct play *play);
void attempt_other_ports(struct play *play);
void attempt_stray_reset(struct play *play);

#endif
