/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - the three state machines of a flow, each a table of state and event. docs/protocols/serval.md has the
 * same tables, and a test compares them. A pair without a line keeps the state, does nothing and is counted as
 * unexpected.
 *
 *     channel   the sending half of the control channel: stop and wait, with one message
 *     flow      set-up and close
 *     move      RSYN, by which a live flow moves to another address
 */
#ifndef NS_SALD_TABLES_H
#define NS_SALD_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#define NS_SAL_ACTIONS 4 /* of one line, at most */

#define NS_CHANNEL_STATES(X) X(QUIET) X(WAITING) X(ENDED)
#define NS_CHANNEL_EVENTS(X) X(POST) X(ACKED) X(ACKED_IN_PART) X(DUE) X(LAST_DUE) X(STOP)
#define NS_CHANNEL_ACTIONS(X)                                                                                          \
    X(INHERIT) X(NUMBER) X(TRANSMIT) X(DROP_FIN) X(MEASURE) X(BACK_OFF) X(START_TIMER) X(STOP_TIMER) X(GIVE_UP)

#define NS_FLOW_STATES(X)                                                                                              \
    X(CLOSED)                                                                                                          \
    X(REQUEST) X(RESPOND) X(CONNECTED) X(FINWAIT1) X(FINWAIT2) X(CLOSING) X(TIMEWAIT) X(CLOSEWAIT) X(LASTACK) X(OVER)
#define NS_FLOW_EVENTS(X)                                                                                              \
    X(CONNECT) X(SYN) X(PROVEN) X(SYN_ACK) X(ACKED) X(FIN) X(RST) X(CLOSE) X(ABORT) X(TRIES_OVER) X(LATE)
#define NS_FLOW_ACTIONS(X)                                                                                             \
    X(SEND_SYN)                                                                                                        \
    X(SEND_SYN_ACK)                                                                                                    \
    X(SEND_HANDSHAKE_ACK)                                                                                              \
    X(SEND_FIN)                                                                                                        \
    X(SEND_ACK) X(SEND_RST) X(START_WAIT) X(TELL_CONNECTED) X(TELL_PEER_CLOSED) X(TELL_RESET) X(TELL_SILENT) X(FORGET)

#define NS_MOVE_STATES(X) X(SETTLED) X(SENT) X(RECV) X(SENT_RECV)
#define NS_MOVE_EVENTS(X) X(MOVE) X(ACKED) X(ACKED_AGAIN) X(RSYN) X(RSYN_AGAIN) X(CONFIRM) X(ANSWER_DUE) X(ANSWERS_OVER)
#define NS_MOVE_ACTIONS(X)                                                                                             \
    X(SEND_RSYN) X(SWITCH_OWN) X(SEND_ACK) X(NOTE) X(FREEZE) X(ANSWER) X(SWITCH_PEER) X(THAW) X(DISCARD)

/* Action 0 ends the list of a line. */
#define NS_X(name) NS_CHANNEL_##name,
enum ns_channel_state { NS_CHANNEL_STATES(NS_X) NS_CHANNEL_STATE_COUNT };
#undef NS_X
#define NS_X(name) NS_FLOW_##name,
enum ns_flow_state { NS_FLOW_STATES(NS_X) NS_FLOW_STATE_COUNT };
#undef NS_X
#define NS_X(name) NS_MOVE_##name,
enum ns_move_state { NS_MOVE_STATES(NS_X) NS_MOVE_STATE_COUNT };
#undef NS_X
#define NS_X(name) NS_CHANNEL_ON_##name,
enum ns_channel_event { NS_CHANNEL_EVENTS(NS_X) NS_CHANNEL_EVENT_COUNT };
#undef NS_X
#define NS_X(name) NS_FLOW_ON_##name,
enum ns_flow_event { NS_FLOW_EVENTS(NS_X) NS_FLOW_EVENT_COUNT };
#undef NS_X
#define NS_X(name) NS_MOVE_ON_##name,
enum ns_move_event { NS_MOVE_EVENTS(NS_X) NS_MOVE_EVENT_COUNT };
#undef NS_X
#define NS_X(name) NS_CHANNEL_DO_##name,
enum ns_channel_action { NS_CHANNEL_DO_NOTHING, NS_CHANNEL_ACTIONS(NS_X) NS_CHANNEL_ACTION_COUNT };
#undef NS_X
#define NS_X(name) NS_FLOW_DO_##name,
enum ns_flow_action { NS_FLOW_DO_NOTHING, NS_FLOW_ACTIONS(NS_X) NS_FLOW_ACTION_COUNT };
#undef NS_X
#define NS_X(name) NS_MOVE_DO_##name,
enum ns_move_action { NS_MOVE_DO_NOTHING, NS_MOVE_ACTIONS(NS_X) NS_MOVE_ACTION_COUNT };
#undef NS_X

struct ns_transition {
    bool expected;
    uint8_t next;
    uint8_t actions[NS_SAL_ACTIONS]; /* in this order, up to a 0 */
};

extern const struct ns_transition ns_channel_table[NS_CHANNEL_STATE_COUNT][NS_CHANNEL_EVENT_COUNT];
extern const struct ns_transition ns_flow_table[NS_FLOW_STATE_COUNT][NS_FLOW_EVENT_COUNT];
extern const struct ns_transition ns_move_table[NS_MOVE_STATE_COUNT][NS_MOVE_EVENT_COUNT];

/* The names, for the operator and the test. Those of actions begin with number 1. */
extern const char *const ns_channel_states[], *const ns_channel_events[], *const ns_channel_actions[];
extern const char *const ns_flow_states[], *const ns_flow_events[], *const ns_flow_actions[];
extern const char *const ns_move_states[], *const ns_move_events[], *const ns_move_actions[];

#endif
