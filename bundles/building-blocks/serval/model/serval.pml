// SPDX-License-Identifier: Apache-2.0
/*
 * Set-up, RSYN and close of two ends over a network that loses, doubles and reorders. tables.pml
 * holds the state tables, which ModelTest compares with those of the code. This file holds the rest
 * of docs/protocols/serval.md: the checks of a message, and the meaning of each action.
 *
 * The network is a bag of packets for each direction. A packet of the bag is taken, lost, or taken
 * and left there. Timers fire while the bag is empty: a copy stands for an early retransmission.
 * GUESSES are packets from ABROAD with a wrong nonce, REPLAYS are RSYNs copied to ABROAD.
 *
 * MUTATION is 0, or the number of a fault that check.sh expects Spin to find by its property.
 */
#include "tables.pml"

#ifndef MUTATION
#define MUTATION 0
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef MOVES_CLIENT
#define MOVES_CLIENT 2
#endif
#ifndef MOVES_SERVER
#define MOVES_SERVER 1
#endif
#ifndef GUESSES
#define GUESSES 0
#endif
#ifndef REPLAYS
#define REPLAYS 0
#endif

#define SYN 1
#define RSYN 2
#define ACK 4
#define RST 8
#define FIN 16

#define CLIENT 0
#define SERVER 1
#define SLOTS 8
#define NOWHERE 0
#define ABROAD 15
#define WRONG 9

/* A property with its name, which Spin prints when it fails. The names are never true. */
#define HOLDS(name, what) assert(name || (what))
bool room, connected_once, client_first, closed_once, closed_by_the_peer, no_reset;
bool confirmed_by_the_mover, tries_end, answers_end, never_abroad, settled, thawed;
bool comes_to_its_end;

/* A packet as a number, 0 for none. A bag is sorted, so that one bag is one state. */
#define PACKET(f, v, a, n, source) ((f) | (v) << 5 | (a) << 9 | (n) << 13 | (source) << 17)
#define FLAGS(packet) ((packet) & 31)
#define VERNO(packet) (((packet) >> 5) & 15)
#define ACKNO_OF(packet) (((packet) >> 9) & 15)
#define NONCE_IN(packet) (((packet) >> 13) & 15)
#define SOURCE(packet) (((packet) >> 17) & 15)

typedef End {
  byte state;
  byte move;
  byte channel;
  byte flags; /* of the message that waits */
  byte next;
  byte fin;
  byte tries;
  bool known;
  byte expected;
  byte own;
  byte pending;
  byte peer;
  byte noted;
  byte answers;
  bool frozen;
  byte connected;
  byte peer_closed;
  bool reset;
  bool closed;
  bool early; /* the server has moved before the client has acknowledged */
  byte moves;
}

End end[2];
int net[16]; /* SLOTS toward the client, SLOTS toward the server */
byte losses;
byte copies;
byte guesses;
byte replays;
int confirmed; /* bit a: the mover has switched to address a */

/* Steps of the message under way: kind, event, argument. */
#define FLOW 0
#define MOVE 1
#define CHAN 2
#define REST 3
hidden byte kind[12];
hidden byte event[12];
hidden byte wanted[12];
hidden byte steps;
hidden byte step;

/* The message under way. */
hidden byte flags;
hidden byte verno;
hidden byte ackno;
hidden byte nonce;
hidden byte from;

hidden int packet;
hidden byte to;
hidden byte me; /* the end that acts */
hidden byte next_state;
hidden int actions;
hidden byte before;
hidden byte numbered;
hidden byte unwanted;

inline push(a_kind, an_event, some_flags) {
  kind[steps] = a_kind;
  event[steps] = an_event;
  wanted[steps] = some_flags;
  steps++
}

/* Puts a packet into the bag toward an end. */
inline insert(receiver, a_packet) {
  packet = a_packet;
  to = (receiver) * SLOTS + SLOTS - 1;
  HOLDS(room, net[to] == 0);
  do
  :: to > (receiver) * SLOTS && net[to - 1] < packet ->
     net[to] = net[to - 1];
     to--
  :: else -> break
  od;
  net[to] = packet
}

inline send(its_flags, its_verno, its_ackno, its_nonce, source) {
  insert(1 - me, PACKET(its_flags, its_verno, its_ackno, its_nonce, source))
}

#define NONCE_OF(id) ((id) + 1)
#define NONCE NONCE_OF(me)

/* An end that does not know its peer expects 0, and has nothing pending as long as it rests. */
#define ACKNO (end[me].known * end[me].expected)
#define NEWEST ((end[me].pending == NOWHERE) * end[me].own + end[me].pending)

inline plain(plain_flags, place) {
  send(plain_flags, end[me].next, ACKNO, NONCE, place)
}

inline transmit() {
  if
  :: (end[me].flags & RSYN) != 0 ->
     send(end[me].flags, end[me].next - 1, ACKNO, NONCE, NEWEST)
  :: else ->
     send(end[me].flags, end[me].next - 1, ACKNO, NONCE, end[me].own)
  fi
}

inline act_flow() {
  if
  :: (actions & FA_SEND_SYN) != 0 -> push(CHAN, CE_POST, SYN)
  :: else
  fi;
  if
  :: (actions & FA_SEND_SYN_ACK) != 0 ->
     if
     :: end[me].channel == CS_WAITING -> transmit()
     :: else -> push(CHAN, CE_POST, SYN | ACK)
     fi
  :: else
  fi;
  if
  :: (actions & FA_SEND_HANDSHAKE_ACK) != 0 && !(MUTATION == 8 && end[me].connected > 0) ->
     plain(ACK, end[me].own)
  :: else
  fi;
  if
  :: (actions & FA_SEND_FIN) != 0 -> push(CHAN, CE_POST, FIN)
  :: else
  fi;
  if
  :: (actions & FA_SEND_ACK) != 0 -> plain(ACK, end[me].own)
  :: else
  fi;
  if
  :: (actions & FA_TELL_CONNECTED) != 0 ->
     end[me].connected++;
     HOLDS(connected_once, end[me].connected == 1);
     HOLDS(client_first, me == CLIENT || end[CLIENT].connected == 1);
     if
     :: end[me].early && MUTATION != 4 ->
        end[me].pending = end[me].own;
        push(MOVE, ME_MOVE, 0)
     :: else
     fi;
     end[me].early = false
  :: else
  fi;
  if
  :: (actions & FA_TELL_PEER_CLOSED) != 0 ->
     end[me].peer_closed++;
     HOLDS(closed_once, end[me].peer_closed == 1);
     HOLDS(closed_by_the_peer, end[1 - me].closed)
  :: else
  fi;
  if
  :: (actions & FA_TELL_RESET) != 0 ->
     HOLDS(no_reset, false)
  :: else
  fi;
  if
  :: (actions & FA_FORGET) != 0 ->
     end[me].channel = CS_ENDED;
     end[me].flags = 0;
     end[me].tries = 0;
     end[me].answers = 0;
     end[me].pending = NOWHERE;
     end[me].noted = NOWHERE
  :: else
  fi
}

inline act_move() {
  if
  :: (actions & MA_SEND_RSYN) != 0 -> push(CHAN, CE_POST, RSYN)
  :: else
  fi;
  if
  :: (actions & MA_SWITCH_OWN) != 0 ->
     end[me].own = end[me].pending;
     end[me].pending = NOWHERE;
     confirmed = confirmed | (1 << end[me].own)
  :: else
  fi;
  if
  :: (actions & MA_SEND_ACK) != 0 ->
     plain(ACK, end[me].own)
  :: else
  fi;
  if
  :: (actions & MA_NOTE) != 0 ->
     end[me].noted = from;
     end[me].answers = 0;
     if
     :: MUTATION == 9 ->
        HOLDS(confirmed_by_the_mover, (confirmed & (1 << from)) != 0);
        end[me].peer = from
     :: else
     fi
  :: else
  fi;
  if
  :: (actions & MA_FREEZE) != 0 -> end[me].frozen = true
  :: else
  fi;
  if
  :: (actions & MA_ANSWER) != 0 -> plain(RSYN | ACK, NEWEST)
  :: else
  fi;
  if
  :: (actions & MA_SWITCH_PEER) != 0 ->
     HOLDS(confirmed_by_the_mover, (confirmed & (1 << end[me].noted)) != 0);
     end[me].peer = end[me].noted;
     end[me].noted = NOWHERE;
     end[me].answers = 0
  :: else
  fi;
  if
  :: (actions & MA_THAW) != 0 -> end[me].frozen = false
  :: else
  fi
}

inline act_chan(w) {
  if
  :: (actions & CA_NUMBER) != 0 ->
     before = 0;
     if
     :: (actions & CA_INHERIT) != 0 && MUTATION != 3 -> before = end[me].flags
     :: else
     fi;
     if
     :: (w & FIN) != 0 && (before & FIN) == 0 -> end[me].fin = end[me].next
     :: else
     fi;
     end[me].flags = before | w;
     end[me].next++;
     end[me].tries = 0
  :: else
  fi;
  if
  :: (actions & CA_DROP_FIN) != 0 -> end[me].flags = end[me].flags & ~FIN
  :: else
  fi;
  if
  :: (actions & CA_TRANSMIT) != 0 ->
     end[me].tries++;
     HOLDS(tries_end, end[me].tries <= LOSSES + 2);
     transmit()
  :: else
  fi;
  if
  :: end[me].channel != CS_WAITING ->
     end[me].flags = 0;
     end[me].tries = 0
  :: else
  fi
}

inline learn() {
  end[me].known = true;
  end[me].expected = verno + 1;
  end[me].peer = from
}

#define GOOD_NONCE (nonce == NONCE_OF(1 - me) || MUTATION == 1)

/* SYN, for the server. */
inline take_syn() {
  if
  :: me == SERVER && end[me].state == FS_CLOSED ->
     learn();
     push(FLOW, FE_SYN, 0)
  :: me == SERVER && end[me].state != FS_CLOSED && GOOD_NONCE ->
     if
     :: end[me].state == FS_RESPOND -> end[me].peer = from
     :: else
     fi;
     push(FLOW, FE_SYN, 0)
  :: else
  fi
}

/* SYN and ACK, for the client. */
inline take_syn_ack() {
  if
  :: me == CLIENT && end[me].state == FS_REQUEST && ackno == end[me].next &&
     end[me].channel == CS_WAITING && nonce != WRONG ->
     learn();
     push(CHAN, CE_ACKED, 0);
     push(FLOW, FE_SYN_ACK, 0)
  :: me == CLIENT && end[me].state > FS_REQUEST && GOOD_NONCE ->
     push(FLOW, FE_SYN_ACK, 0)
  :: else
  fi
}

inline take_ackno() {
  before = end[me].flags;
  if
  :: end[me].channel != CS_WAITING -> before = 0
  :: else
  fi;
  if
  :: end[me].channel == CS_WAITING &&
     ackno == end[me].next ->
     push(CHAN, CE_ACKED, 0);
     if
     :: (before & (SYN | FIN)) != 0 ->
        if
        :: (before & SYN) != 0 && (flags & RSYN) == 0 -> end[me].peer = from
        :: else
        fi;
        push(FLOW, FE_ACKED, 0)
     :: else
     fi
  :: end[me].channel == CS_WAITING && ackno != end[me].next && (before & FIN) != 0 &&
     ackno > end[me].fin ->
     push(CHAN, CE_ACKED_IN_PART, 0);
     push(FLOW, FE_ACKED, 0);
     before = 0
  :: else -> before = 0
  fi;
  if
  :: (before & RSYN) != 0 -> push(MOVE, ME_ACKED, 0)
  :: (before & RSYN) == 0 && (flags & (RSYN | ACK)) == (RSYN | ACK) && ackno == end[me].next ->
     push(MOVE, ME_ACKED_AGAIN, 0)
  :: else
  fi
}

inline take_numbered() {
  if
  :: verno >= end[me].expected || (MUTATION == 2 && (flags & RSYN) != 0) ->
     end[me].expected = verno + 1;
     if
     :: (flags & RSYN) != 0 -> push(MOVE, ME_RSYN, 0)
     :: else
     fi;
     if
     :: (flags & FIN) != 0 -> push(FLOW, FE_FIN, 0)
     :: else
     fi
  :: else ->
     if
     :: (flags & RSYN) != 0 && verno + 1 == end[me].expected && from == end[me].noted ->
        push(MOVE, ME_RSYN_AGAIN, 0)
     :: (flags & RSYN) != 0 && verno + 1 == end[me].expected && from != end[me].noted &&
        MUTATION == 11 ->
        push(MOVE, ME_RSYN, 0)
     :: else ->
        if
        :: MUTATION != 7 -> plain(ACK, end[me].own)
        :: else
        fi
     fi
  fi
}

/* The acknowledgement comes first, and decides about what the rest meets. */
inline take_rest() {
  numbered = (flags & FIN) != 0 || ((flags & RSYN) != 0 && (flags & ACK) == 0);
  if
  :: end[me].state == FS_OVER
  :: end[me].state != FS_OVER && numbered -> take_numbered()
  :: end[me].state != FS_OVER && !numbered && flags == ACK && verno == end[me].expected &&
     end[me].noted != NOWHERE && (from == end[me].noted || MUTATION == 6) ->
     push(MOVE, ME_CONFIRM, 0)
  :: else
  fi
}

inline take_other() {
  unwanted = !GOOD_NONCE || !end[me].known || ackno > end[me].next ||
    (end[me].state == FS_RESPOND && (ackno != end[me].next || verno < end[me].expected));
  if
  :: unwanted
  :: else ->
     take_ackno();
     push(REST, 0, 0)
  fi
}

/* Carries out the steps, and those that they add. */
inline carry_out() {
  step = 0;
  do
  :: step < steps ->
     if
     :: kind[step] == FLOW ->
        flow_table(end[me].state, event[step], next_state, actions);
        end[me].state = next_state;
        act_flow()
     :: kind[step] == MOVE ->
        move_table(end[me].move, event[step], next_state, actions);
        end[me].move = next_state;
        act_move()
     :: kind[step] == CHAN ->
        channel_table(end[me].channel, event[step], next_state, actions);
        end[me].channel = next_state;
        act_chan(wanted[step])
     :: kind[step] == REST -> take_rest()
     fi;
     step++
  :: else -> break
  od;
  steps = 0
}

/* A message for no flow gets a RST with the nonce of the message. */
inline refuse() {
  if
  :: (flags & RST) == 0 && flags != SYN && nonce != WRONG ->
     send(RST | ACK, ackno, verno, nonce, end[me].own)
  :: else
  fi
}

inline take() {
  if
  :: end[me].state == FS_OVER || (me == SERVER && end[me].state == FS_CLOSED && flags != SYN) ->
     refuse()
  :: else ->
     if
     :: (flags & RST) != 0 ->
        if
        :: nonce == NONCE || (end[me].known && nonce == NONCE_OF(1 - me)) || MUTATION == 10 ->
           push(FLOW, FE_RST, 0)
        :: else
        fi
     :: flags == SYN -> take_syn()
     :: flags == (SYN | ACK) -> take_syn_ack()
     :: else -> take_other()
     fi
  fi
}

inline pick(i) {
  flags = FLAGS(net[i]);
  verno = VERNO(net[i]);
  ackno = ACKNO_OF(net[i]);
  nonce = NONCE_IN(net[i]);
  from = SOURCE(net[i])
}

inline clear(i) {
  to = i;
  do
  :: to % SLOTS < SLOTS - 1 ->
     net[to] = net[to + 1];
     to++
  :: else -> break
  od;
  net[to] = 0
}

#define EMPTY (net[0] == 0 && net[SLOTS] == 0)
#define HAS_ROOM(id) (net[1] == 0 && net[SLOTS + 1] == 0)
#define OPEN(id) (end[id].state >= FS_CONNECTED && end[id].state <= FS_LASTACK)
#define HANDSHAKE(id) (end[id].state == FS_REQUEST || end[id].state == FS_RESPOND)
#define DONE(id) (end[id].channel != CS_WAITING && (end[id].noted == NOWHERE || MUTATION == 5))
#define QUIET (EMPTY && OPEN(CLIENT) && OPEN(SERVER) && DONE(CLIENT) && DONE(SERVER))
/* Calls come while at most one packet is under way in each direction. */
#define MAY_CLOSE(id) (OPEN(id) && !end[id].closed && HAS_ROOM(id))
#define MAY_MOVE(id, most) ((OPEN(id) || HANDSHAKE(id)) && end[id].moves < most && HAS_ROOM(id))
#define MAY_SEND_AGAIN(id) (EMPTY && end[id].channel == CS_WAITING)
/* The mover's own timer does not sleep while the peer answers again and again. */
#define MAY_ANSWER(id) (EMPTY && end[id].noted != NOWHERE && MUTATION != 5 && \
  (end[id].answers < 2 || end[1 - (id)].channel != CS_WAITING))
#define MAY_BE_LATE(id) (EMPTY && end[id].state == FS_TIMEWAIT && \
  end[1 - (id)].channel != CS_WAITING && end[1 - (id)].noted == NOWHERE)
#define OVER (end[CLIENT].state == FS_OVER && end[SERVER].state == FS_OVER)

/* Both ends agree when nothing is under way, and nobody abroad has the flow. */
inline check() {
  HOLDS(settled, !QUIET || (end[CLIENT].own == end[SERVER].peer &&
                            end[SERVER].own == end[CLIENT].peer));
  HOLDS(thawed, !QUIET || (!end[CLIENT].frozen && !end[SERVER].frozen));
  HOLDS(never_abroad, end[CLIENT].peer != ABROAD && end[CLIENT].noted != ABROAD);
  HOLDS(never_abroad, end[SERVER].peer != ABROAD && end[SERVER].noted != ABROAD)
}

#define HOME(id) (1 + 7 * (id))

/*
 * A choice is made in small steps, and carried out in one. What the choice has set may not change in
 * that step, because Spin takes back no hidden variable.
 */
hidden byte slot;
hidden byte chosen;
hidden byte guess_flags;
hidden byte guess_verno;
hidden byte guess_ackno;

#define CONNECTS 0
#define TAKEN 1
#define TAKEN_AND_LEFT 2
#define LOST 3
#define TAKEN_AND_REPLAYED 4
#define GUESSED 5
#define CLOSES 6
#define MOVES 7
#define DUE 8
#define ANSWER_DUE 9
#define LATE 10

/* How a packet of the bag fares. */
#define FIRST_IN_BAG(i) :: net[i] != 0 -> slot = i
#define IN_BAG(i) :: net[i] != 0 && net[i] != net[i - 1] -> slot = i
inline choose_packet() {
  if
  FIRST_IN_BAG(0)
  IN_BAG(1)
  IN_BAG(2)
  IN_BAG(3)
  IN_BAG(4)
  IN_BAG(5)
  IN_BAG(6)
  IN_BAG(7)
  FIRST_IN_BAG(8)
  IN_BAG(9)
  IN_BAG(10)
  IN_BAG(11)
  IN_BAG(12)
  IN_BAG(13)
  IN_BAG(14)
  IN_BAG(15)
  fi;
  if
  :: chosen = TAKEN
  :: copies > 0 -> chosen = TAKEN_AND_LEFT
  :: losses > 0 -> chosen = LOST
  :: replays > 0 && (FLAGS(net[slot]) & (RSYN | ACK)) == RSYN && OPEN(slot / SLOTS) ->
     chosen = TAKEN_AND_REPLAYED
  fi
}

/* A stranger guesses all numbers but the nonce. */
#define GUESS(sender, f, v, a) \
  :: guess_flags = f; guess_verno = v; guess_ackno = a; me = sender
inline choose_guess() {
  chosen = GUESSED;
  if
  GUESS(CLIENT, RSYN, 4, 1)
  GUESS(CLIENT, FIN, 2, 1)
  GUESS(CLIENT, RST | ACK, 1, 1)
  GUESS(CLIENT, ACK, 2, 2)
  GUESS(SERVER, SYN | ACK, 1, 2)
  GUESS(SERVER, RSYN | ACK, 2, 3)
  fi
}

inline start_move() {
  end[me].moves++;
  if
  :: OPEN(me) ->
     end[me].pending = HOME(me) + end[me].moves;
     push(MOVE, ME_MOVE, 0)
  :: else ->
     end[me].own = HOME(me) + end[me].moves;
     end[me].early = (end[me].state == FS_RESPOND);
     confirmed = confirmed | (1 << end[me].own);
     transmit()
  fi
}

inline begin() {
  if
  :: chosen == CONNECTS -> push(FLOW, FE_CONNECT, 0)
  :: chosen == LOST -> losses--; clear(slot)
  :: chosen == TAKEN || chosen == TAKEN_AND_LEFT || chosen == TAKEN_AND_REPLAYED ->
     pick(slot);
     me = slot / SLOTS;
     if
     :: chosen == TAKEN -> clear(slot)
     :: chosen == TAKEN_AND_LEFT -> copies--
     :: chosen == TAKEN_AND_REPLAYED ->
        replays--;
        clear(slot);
        insert(me, PACKET(flags, verno, ackno, nonce, ABROAD))
     fi;
     take()
  :: chosen == GUESSED -> guesses--; send(guess_flags, guess_verno, guess_ackno, WRONG, ABROAD)
  :: chosen == CLOSES -> end[me].closed = true; push(FLOW, FE_CLOSE, 0)
  :: chosen == MOVES -> start_move()
  :: chosen == DUE -> push(CHAN, CE_DUE, 0)
  :: chosen == ANSWER_DUE ->
     end[me].answers++;
     HOLDS(answers_end, end[me].answers <= LOSSES + 2);
     push(MOVE, ME_ANSWER_DUE, 0)
  :: chosen == LATE -> push(FLOW, FE_LATE, 0)
  fi
}

init {
  d_step {
    losses = LOSSES;
    copies = COPIES;
    guesses = GUESSES;
    replays = REPLAYS;
    end[CLIENT].next = 1;
    end[SERVER].next = 1;
    end[CLIENT].own = HOME(CLIENT);
    end[SERVER].own = HOME(SERVER);
    confirmed = (1 << HOME(CLIENT)) | (1 << HOME(SERVER))
  }
  do
  :: atomic {
       if
       :: end[CLIENT].state == FS_CLOSED -> me = CLIENT; chosen = CONNECTS
       :: !EMPTY -> choose_packet()
       :: guesses > 0 && end[CLIENT].known && end[SERVER].known -> choose_guess()
       :: MAY_CLOSE(CLIENT) -> me = CLIENT; chosen = CLOSES
       :: MAY_CLOSE(SERVER) -> me = SERVER; chosen = CLOSES
       :: MAY_MOVE(CLIENT, MOVES_CLIENT) -> me = CLIENT; chosen = MOVES
       :: MAY_MOVE(SERVER, MOVES_SERVER) -> me = SERVER; chosen = MOVES
       :: MAY_SEND_AGAIN(CLIENT) -> me = CLIENT; chosen = DUE
       :: MAY_SEND_AGAIN(SERVER) -> me = SERVER; chosen = DUE
       :: MAY_ANSWER(CLIENT) -> me = CLIENT; chosen = ANSWER_DUE
       :: MAY_ANSWER(SERVER) -> me = SERVER; chosen = ANSWER_DUE
       :: MAY_BE_LATE(CLIENT) -> me = CLIENT; chosen = LATE
       :: MAY_BE_LATE(SERVER) -> me = SERVER; chosen = LATE
       :: EMPTY && OVER -> break
       :: else ->
          HOLDS(comes_to_its_end, false);
          break
       fi;
       d_step { steps = 0; begin(); carry_out(); check() }
     }
  od
}
