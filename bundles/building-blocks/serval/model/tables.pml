// SPDX-License-Identifier: Apache-2.0
/* The state tables of the code, compared with them by ModelTest. */

#define FS_CLOSED 0
#define FS_REQUEST 1
#define FS_RESPOND 2
#define FS_CONNECTED 3
#define FS_FINWAIT1 4
#define FS_FINWAIT2 5
#define FS_CLOSING 6
#define FS_TIMEWAIT 7
#define FS_CLOSEWAIT 8
#define FS_LASTACK 9
#define FS_OVER 10
#define FE_CONNECT 0
#define FE_SYN 1
#define FE_PROVEN 2
#define FE_SYN_ACK 3
#define FE_ACKED 4
#define FE_FIN 5
#define FE_RST 6
#define FE_CLOSE 7
#define FE_ABORT 8
#define FE_TRIES_OVER 9
#define FE_LATE 10
#define FA_SEND_SYN 1
#define FA_SEND_SYN_ACK 2
#define FA_SEND_HANDSHAKE_ACK 4
#define FA_SEND_FIN 8
#define FA_SEND_ACK 16
#define FA_SEND_RST 32
#define FA_START_WAIT 64
#define FA_TELL_CONNECTED 128
#define FA_TELL_PEER_CLOSED 256
#define FA_TELL_RESET 512
#define FA_TELL_SILENT 1024
#define FA_FORGET 2048
#define FA_UNEXPECTED 4096

inline flow_table(at_state, on_event, then_state, then_actions) {
  if
  :: at_state == FS_CLOSED && on_event == FE_CONNECT ->
     then_state = FS_REQUEST;
     then_actions = FA_SEND_SYN
  :: at_state == FS_CLOSED && on_event == FE_SYN ->
     then_state = FS_RESPOND;
     then_actions = FA_SEND_SYN_ACK | FA_START_WAIT
  :: at_state == FS_CLOSED && on_event == FE_PROVEN ->
     then_state = FS_CONNECTED;
     then_actions = FA_TELL_CONNECTED
  :: at_state == FS_CLOSED && on_event == FE_CLOSE ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_CLOSED && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_REQUEST && on_event == FE_SYN_ACK ->
     then_state = FS_CONNECTED;
     then_actions = FA_SEND_HANDSHAKE_ACK | FA_TELL_CONNECTED
  :: at_state == FS_REQUEST && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_TELL_RESET | FA_FORGET
  :: at_state == FS_REQUEST && on_event == FE_CLOSE ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_REQUEST && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_REQUEST && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_RESPOND && on_event == FE_SYN ->
     then_state = FS_RESPOND;
     then_actions = FA_SEND_SYN_ACK
  :: at_state == FS_RESPOND && on_event == FE_ACKED ->
     then_state = FS_CONNECTED;
     then_actions = FA_TELL_CONNECTED
  :: at_state == FS_RESPOND && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_RESPOND && on_event == FE_CLOSE ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_RESPOND && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_RESPOND && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_RESPOND && on_event == FE_LATE ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_CONNECTED && on_event == FE_SYN ->
     then_state = FS_CONNECTED;
     then_actions = 0
  :: at_state == FS_CONNECTED && on_event == FE_SYN_ACK ->
     then_state = FS_CONNECTED;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_CONNECTED && on_event == FE_FIN ->
     then_state = FS_CLOSEWAIT;
     then_actions = FA_SEND_ACK | FA_TELL_PEER_CLOSED
  :: at_state == FS_CONNECTED && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_TELL_RESET | FA_FORGET
  :: at_state == FS_CONNECTED && on_event == FE_CLOSE ->
     then_state = FS_FINWAIT1;
     then_actions = FA_SEND_FIN
  :: at_state == FS_CONNECTED && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_CONNECTED && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_FINWAIT1 && on_event == FE_SYN ->
     then_state = FS_FINWAIT1;
     then_actions = 0
  :: at_state == FS_FINWAIT1 && on_event == FE_SYN_ACK ->
     then_state = FS_FINWAIT1;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_FINWAIT1 && on_event == FE_ACKED ->
     then_state = FS_FINWAIT2;
     then_actions = FA_START_WAIT
  :: at_state == FS_FINWAIT1 && on_event == FE_FIN ->
     then_state = FS_CLOSING;
     then_actions = FA_SEND_ACK | FA_TELL_PEER_CLOSED
  :: at_state == FS_FINWAIT1 && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_TELL_RESET | FA_FORGET
  :: at_state == FS_FINWAIT1 && on_event == FE_CLOSE ->
     then_state = FS_FINWAIT1;
     then_actions = 0
  :: at_state == FS_FINWAIT1 && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_FINWAIT1 && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_FINWAIT2 && on_event == FE_SYN ->
     then_state = FS_FINWAIT2;
     then_actions = 0
  :: at_state == FS_FINWAIT2 && on_event == FE_SYN_ACK ->
     then_state = FS_FINWAIT2;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_FINWAIT2 && on_event == FE_FIN ->
     then_state = FS_TIMEWAIT;
     then_actions = FA_SEND_ACK | FA_TELL_PEER_CLOSED | FA_START_WAIT
  :: at_state == FS_FINWAIT2 && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_TELL_RESET | FA_FORGET
  :: at_state == FS_FINWAIT2 && on_event == FE_CLOSE ->
     then_state = FS_FINWAIT2;
     then_actions = 0
  :: at_state == FS_FINWAIT2 && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_FINWAIT2 && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_FINWAIT2 && on_event == FE_LATE ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_CLOSING && on_event == FE_SYN ->
     then_state = FS_CLOSING;
     then_actions = 0
  :: at_state == FS_CLOSING && on_event == FE_SYN_ACK ->
     then_state = FS_CLOSING;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_CLOSING && on_event == FE_ACKED ->
     then_state = FS_TIMEWAIT;
     then_actions = FA_START_WAIT
  :: at_state == FS_CLOSING && on_event == FE_FIN ->
     then_state = FS_CLOSING;
     then_actions = FA_SEND_ACK
  :: at_state == FS_CLOSING && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_CLOSING && on_event == FE_CLOSE ->
     then_state = FS_CLOSING;
     then_actions = 0
  :: at_state == FS_CLOSING && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_CLOSING && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_TIMEWAIT && on_event == FE_SYN ->
     then_state = FS_TIMEWAIT;
     then_actions = 0
  :: at_state == FS_TIMEWAIT && on_event == FE_SYN_ACK ->
     then_state = FS_TIMEWAIT;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_TIMEWAIT && on_event == FE_FIN ->
     then_state = FS_TIMEWAIT;
     then_actions = FA_SEND_ACK
  :: at_state == FS_TIMEWAIT && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_TIMEWAIT && on_event == FE_CLOSE ->
     then_state = FS_TIMEWAIT;
     then_actions = 0
  :: at_state == FS_TIMEWAIT && on_event == FE_ABORT ->
     then_state = FS_TIMEWAIT;
     then_actions = 0
  :: at_state == FS_TIMEWAIT && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_TIMEWAIT && on_event == FE_LATE ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_CLOSEWAIT && on_event == FE_SYN ->
     then_state = FS_CLOSEWAIT;
     then_actions = 0
  :: at_state == FS_CLOSEWAIT && on_event == FE_SYN_ACK ->
     then_state = FS_CLOSEWAIT;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_CLOSEWAIT && on_event == FE_FIN ->
     then_state = FS_CLOSEWAIT;
     then_actions = FA_SEND_ACK
  :: at_state == FS_CLOSEWAIT && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_TELL_RESET | FA_FORGET
  :: at_state == FS_CLOSEWAIT && on_event == FE_CLOSE ->
     then_state = FS_LASTACK;
     then_actions = FA_SEND_FIN
  :: at_state == FS_CLOSEWAIT && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_CLOSEWAIT && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_LASTACK && on_event == FE_SYN ->
     then_state = FS_LASTACK;
     then_actions = 0
  :: at_state == FS_LASTACK && on_event == FE_SYN_ACK ->
     then_state = FS_LASTACK;
     then_actions = FA_SEND_HANDSHAKE_ACK
  :: at_state == FS_LASTACK && on_event == FE_ACKED ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_LASTACK && on_event == FE_FIN ->
     then_state = FS_LASTACK;
     then_actions = FA_SEND_ACK
  :: at_state == FS_LASTACK && on_event == FE_RST ->
     then_state = FS_OVER;
     then_actions = FA_FORGET
  :: at_state == FS_LASTACK && on_event == FE_CLOSE ->
     then_state = FS_LASTACK;
     then_actions = 0
  :: at_state == FS_LASTACK && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = FA_SEND_RST | FA_FORGET
  :: at_state == FS_LASTACK && on_event == FE_TRIES_OVER ->
     then_state = FS_OVER;
     then_actions = FA_TELL_SILENT | FA_FORGET
  :: at_state == FS_OVER && on_event == FE_CLOSE ->
     then_state = FS_OVER;
     then_actions = 0
  :: at_state == FS_OVER && on_event == FE_ABORT ->
     then_state = FS_OVER;
     then_actions = 0
  :: else -> then_state = at_state; then_actions = FA_UNEXPECTED
  fi
}

#define MS_SETTLED 0
#define MS_SENT 1
#define MS_RECV 2
#define MS_SENT_RECV 3
#define ME_MOVE 0
#define ME_ACKED 1
#define ME_ACKED_AGAIN 2
#define ME_RSYN 3
#define ME_RSYN_AGAIN 4
#define ME_CONFIRM 5
#define ME_ANSWER_DUE 6
#define ME_ANSWERS_OVER 7
#define MA_SEND_RSYN 1
#define MA_SWITCH_OWN 2
#define MA_SEND_ACK 4
#define MA_NOTE 8
#define MA_FREEZE 16
#define MA_ANSWER 32
#define MA_SWITCH_PEER 64
#define MA_THAW 128
#define MA_DISCARD 256
#define MA_UNEXPECTED 512

inline move_table(at_state, on_event, then_state, then_actions) {
  if
  :: at_state == MS_SETTLED && on_event == ME_MOVE ->
     then_state = MS_SENT;
     then_actions = MA_SEND_RSYN
  :: at_state == MS_SETTLED && on_event == ME_ACKED_AGAIN ->
     then_state = MS_SETTLED;
     then_actions = MA_SEND_ACK
  :: at_state == MS_SETTLED && on_event == ME_RSYN ->
     then_state = MS_RECV;
     then_actions = MA_NOTE | MA_FREEZE | MA_ANSWER
  :: at_state == MS_SENT && on_event == ME_MOVE ->
     then_state = MS_SENT;
     then_actions = MA_SEND_RSYN
  :: at_state == MS_SENT && on_event == ME_ACKED ->
     then_state = MS_SETTLED;
     then_actions = MA_SWITCH_OWN | MA_SEND_ACK
  :: at_state == MS_SENT && on_event == ME_ACKED_AGAIN ->
     then_state = MS_SENT;
     then_actions = 0
  :: at_state == MS_SENT && on_event == ME_RSYN ->
     then_state = MS_SENT_RECV;
     then_actions = MA_NOTE | MA_FREEZE | MA_ANSWER
  :: at_state == MS_RECV && on_event == ME_MOVE ->
     then_state = MS_SENT_RECV;
     then_actions = MA_SEND_RSYN
  :: at_state == MS_RECV && on_event == ME_ACKED_AGAIN ->
     then_state = MS_RECV;
     then_actions = MA_SEND_ACK
  :: at_state == MS_RECV && on_event == ME_RSYN ->
     then_state = MS_RECV;
     then_actions = MA_NOTE | MA_ANSWER
  :: at_state == MS_RECV && on_event == ME_RSYN_AGAIN ->
     then_state = MS_RECV;
     then_actions = MA_ANSWER
  :: at_state == MS_RECV && on_event == ME_CONFIRM ->
     then_state = MS_SETTLED;
     then_actions = MA_SWITCH_PEER | MA_THAW
  :: at_state == MS_RECV && on_event == ME_ANSWER_DUE ->
     then_state = MS_RECV;
     then_actions = MA_ANSWER
  :: at_state == MS_RECV && on_event == ME_ANSWERS_OVER ->
     then_state = MS_SETTLED;
     then_actions = MA_DISCARD | MA_THAW
  :: at_state == MS_SENT_RECV && on_event == ME_MOVE ->
     then_state = MS_SENT_RECV;
     then_actions = MA_SEND_RSYN
  :: at_state == MS_SENT_RECV && on_event == ME_ACKED ->
     then_state = MS_RECV;
     then_actions = MA_SWITCH_OWN | MA_SEND_ACK
  :: at_state == MS_SENT_RECV && on_event == ME_ACKED_AGAIN ->
     then_state = MS_SENT_RECV;
     then_actions = 0
  :: at_state == MS_SENT_RECV && on_event == ME_RSYN ->
     then_state = MS_SENT_RECV;
     then_actions = MA_NOTE | MA_ANSWER
  :: at_state == MS_SENT_RECV && on_event == ME_RSYN_AGAIN ->
     then_state = MS_SENT_RECV;
     then_actions = MA_ANSWER
  :: at_state == MS_SENT_RECV && on_event == ME_CONFIRM ->
     then_state = MS_SENT;
     then_actions = MA_SWITCH_PEER | MA_THAW
  :: at_state == MS_SENT_RECV && on_event == ME_ANSWER_DUE ->
     then_state = MS_SENT_RECV;
     then_actions = MA_ANSWER
  :: at_state == MS_SENT_RECV && on_event == ME_ANSWERS_OVER ->
     then_state = MS_SENT;
     then_actions = MA_DISCARD | MA_THAW
  :: else -> then_state = at_state; then_actions = MA_UNEXPECTED
  fi
}

#define CS_QUIET 0
#define CS_WAITING 1
#define CS_ENDED 2
#define CE_POST 0
#define CE_ACKED 1
#define CE_ACKED_IN_PART 2
#define CE_DUE 3
#define CE_LAST_DUE 4
#define CE_STOP 5
#define CA_NUMBER 1
#define CA_INHERIT 2
#define CA_TRANSMIT 4
#define CA_DROP_FIN 8
#define CA_MEASURE 16
#define CA_BACK_OFF 32
#define CA_START_TIMER 64
#define CA_STOP_TIMER 128
#define CA_GIVE_UP 256
#define CA_UNEXPECTED 512

inline channel_table(at_state, on_event, then_state, then_actions) {
  if
  :: at_state == CS_QUIET && on_event == CE_POST ->
     then_state = CS_WAITING;
     then_actions = CA_NUMBER | CA_TRANSMIT | CA_START_TIMER
  :: at_state == CS_QUIET && on_event == CE_ACKED ->
     then_state = CS_QUIET;
     then_actions = 0
  :: at_state == CS_QUIET && on_event == CE_ACKED_IN_PART ->
     then_state = CS_QUIET;
     then_actions = 0
  :: at_state == CS_QUIET && on_event == CE_STOP ->
     then_state = CS_ENDED;
     then_actions = 0
  :: at_state == CS_WAITING && on_event == CE_POST ->
     then_state = CS_WAITING;
     then_actions = CA_INHERIT | CA_NUMBER | CA_TRANSMIT | CA_START_TIMER
  :: at_state == CS_WAITING && on_event == CE_ACKED ->
     then_state = CS_QUIET;
     then_actions = CA_STOP_TIMER | CA_MEASURE
  :: at_state == CS_WAITING && on_event == CE_ACKED_IN_PART ->
     then_state = CS_WAITING;
     then_actions = CA_DROP_FIN
  :: at_state == CS_WAITING && on_event == CE_DUE ->
     then_state = CS_WAITING;
     then_actions = CA_BACK_OFF | CA_TRANSMIT | CA_START_TIMER
  :: at_state == CS_WAITING && on_event == CE_LAST_DUE ->
     then_state = CS_ENDED;
     then_actions = CA_STOP_TIMER | CA_GIVE_UP
  :: at_state == CS_WAITING && on_event == CE_STOP ->
     then_state = CS_ENDED;
     then_actions = CA_STOP_TIMER
  :: at_state == CS_ENDED && on_event == CE_ACKED ->
     then_state = CS_ENDED;
     then_actions = 0
  :: at_state == CS_ENDED && on_event == CE_ACKED_IN_PART ->
     then_state = CS_ENDED;
     then_actions = 0
  :: at_state == CS_ENDED && on_event == CE_STOP ->
     then_state = CS_ENDED;
     then_actions = 0
  :: else -> then_state = at_state; then_actions = CA_UNEXPECTED
  fi
}
