// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.association.AssociationMachine.Action;
import org.netserv.gist.association.AssociationMachine.Event;
import org.netserv.gist.association.AssociationMachine.State;
import org.netserv.gist.port.Link;
import org.netserv.gist.wire.Encapsulation;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.HelloId;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One messaging association, driven by {@link AssociationMachine}. It has four timers.
 *
 * <ul>
 *   <li>setup: the association must be connected within 30 s. If the peer opened it, its first
 *       message must be right within 30 s.
 *   <li>hello: in CONNECTED, an MA-Hello goes out when nothing was sent for a random time in 1/2 to
 *       3/4 of the peer's hold time.
 *   <li>silence: the association ends after our hold time without a sign of the peer, which was
 *       asked at 3/4 of it.
 *   <li>linger: the association becomes idle after our hold time without use, before a user ever
 *       came or after all are gone.
 * </ul>
 *
 * Messages do not set the last three timers again. A timer that fires too early is set for the rest
 * of its time.
 */
final class MessagingAssociation implements Association, Link.Listener {
  /** The table that holds an association. */
  interface Table {
    /** Takes a message, or bytes that are no message when {@code failure} is set. */
    void received(
        MessagingAssociation from,
        GistMessage message,
        MalformedMessageException failure,
        byte[] bytes);

    /** Called once when an association ends, before its users are told. */
    void ended(MessagingAssociation association);
  }

  private static final Logger LOG = LoggerFactory.getLogger(MessagingAssociation.class);

  private final long id;
  private final List<Integer> stack;
  private final AssociationContext context;
  private final Table table;
  private final AssociationMachine machine;
  private final Set<User> users = new LinkedHashSet<>();
  private final Queue<byte[]> queue = new ArrayDeque<>();
  private final AssociationTimers timers;

  private long queuedBytes;
  private Link link;
  private NetworkLayerInfo peer;
  private String endReason = "";

  private Ending ending = Ending.FAILED;
  private boolean heard;

  /** The ends of an association that its users distinguish. */
  private enum Ending {
    FAILED,
    REFUSED,
    UNWELCOME
  }

  /** Creates an association that we open, to this peer. */
  MessagingAssociation(
      long id,
      List<Integer> stack,
      NetworkLayerInfo peer,
      long peerHold,
      AssociationContext context,
      Table table) {
    this(id, stack, State.AWAITING_CONNECTION, context, table);
    this.peer = peer;
    timers.peerHold(peerHold);
  }

  /** Creates an association that an unknown peer opened. */
  MessagingAssociation(long id, Link link, AssociationContext context, Table table) {
    this(id, link.stack(), State.CONNECTED, context, table);
    this.link = link;
  }

  private MessagingAssociation(
      long id, List<Integer> stack, State birth, AssociationContext context, Table table) {
    this.id = id;
    this.stack = stack;
    this.context = context;
    this.table = table;
    machine = new AssociationMachine(birth);
    timers = new AssociationTimers(context, this);
    timers.startSetup();
  }

  /** Takes the link that was made for the association. Nothing has happened on the link yet. */
  void link(Link made) {
    link = made;
  }

  Link link() {
    return link;
  }

  @Override
  public NetworkLayerInfo peer() {
    return peer;
  }

  List<Integer> stack() {
    return stack;
  }

  State state() {
    return machine.state();
  }

  boolean used() {
    return !users.isEmpty();
  }

  /** Records that the peer's first message was right. */
  void establish(NetworkLayerInfo theirs, long peerHold) {
    peer = theirs;
    timers.stopSetup();
    timers.peerHold(peerHold);
    timers.startHello();
    timers.restartSilence();
    timers.used();
  }

  // Calls by routing state.

  @Override
  public long id() {
    return id;
  }

  @Override
  public void send(GistMessage message) {
    timers.used();
    fire(Event.SEND, message.encode(), null);
  }

  @Override
  public boolean secure() {
    return StackPolicy.secure(stack);
  }

  @Override
  public boolean connected() {
    return machine.state() == State.CONNECTED || machine.state() == State.IDLE;
  }

  @Override
  public boolean heard() {
    return heard;
  }

  @Override
  public String peerName() {
    return link == null ? "" : link.peerName();
  }

  @Override
  public void attach(User user) {
    if (machine.state() == State.DEAD) {
      // Later, as with any failure, because the caller is in the middle of something.
      context.timers().schedule(0, () -> tell(user));
      return;
    }
    users.add(user);
    fire(Event.NEEDED, null, null);
  }

  @Override
  public void detach(User user) {
    if (users.remove(user) && users.isEmpty()) {
      fire(Event.UNNEEDED, null, null);
    }
  }

  @Override
  public void abort(String reason) {
    end(null, reason);
  }

  // Calls by the link.

  @Override
  public void connected(Link made) {
    link = made;
    context.count(Counter.ASSOCIATION_CONNECTED);
    fire(Event.LINK_UP, null, null);
  }

  @Override
  public void received(byte[] bytes) {
    heard = true;
    timers.heard();
    GistMessage message;
    try {
      message = GistMessage.decode(bytes, Encapsulation.C_MODE);
    } catch (MalformedMessageException e) {
      malformed(e, bytes);
      return;
    }
    if (message.type() == MessageType.MA_HELLO && message.header().hops() > 0) {
      hello(message, bytes);
    } else {
      timers.used();
      fire(Event.MESSAGE, bytes, message);
    }
  }

  private void malformed(MalformedMessageException failure, byte[] bytes) {
    context.count(Counter.MALFORMED);
    table.received(this, null, failure, bytes);
    if (failure.error() == GistError.UNKNOWN_VERSION) {
      // Only another version's implementation can find the beginning of the next message.
      end(null, "another version of GIST");
    }
  }

  @Override
  public void closed(String reason) {
    link = null;
    end(null, reason);
  }

  @Override
  public void refused(String reason) {
    boolean before = machine.state() == State.AWAITING_CONNECTION;
    ending = before ? Ending.UNWELCOME : Ending.REFUSED;
    closed(reason);
  }

  @Override
  public void unwelcome(String reason) {
    context.count(Counter.UNWELCOME);
    ending = Ending.UNWELCOME;
    closed(reason);
  }

  // Calls by the timers.

  void setupExpired() {
    boolean accepted = machine.state() == State.CONNECTED;
    end(
        accepted ? Counter.UNESTABLISHED_TIMEOUT : Counter.CONNECT_TIMEOUT,
        accepted ? "no first message in time" : "not connected in time");
  }

  void helloDue() {
    fire(Event.HELLO_DUE, null, null);
  }

  void lingered() {
    if (users.isEmpty()) {
      fire(Event.UNNEEDED, null, null);
    }
  }

  void silent() {
    if (machine.state() == State.CONNECTED) {
      context.count(Counter.PEER_SILENT);
      endReason = "the peer is silent";
    } else {
      context.count(Counter.ASSOCIATION_PURGED);
      endReason = "not needed";
    }
    fire(Event.NO_SIGN, null, null);
  }

  /** Asks the peer for a sign of life. */
  void ask(int helloId) {
    transmit(AssociationContext.hello(true, helloId));
    context.count(Counter.HELLO_SENT);
  }

  /** Ends the association from any state, once. */
  void end(Counter why, String reason) {
    if (machine.state() == State.DEAD) {
      return;
    }
    if (why != null) {
      context.count(why);
    }
    if (!users.isEmpty() || machine.state() == State.AWAITING_CONNECTION) {
      context.count(Counter.ASSOCIATION_FAILED);
    }
    endReason = reason;
    fire(Event.FAILURE, null, null);
  }

  /** Ends the association without a word to its users, because the node ends. */
  void close() {
    users.clear();
    endReason = "the node ends";
    fire(Event.FAILURE, null, null);
  }

  private void fire(Event event, byte[] bytes, GistMessage message) {
    for (Action action : machine.take(event)) {
      perform(action, bytes, message);
    }
  }

  private void perform(Action action, byte[] bytes, GistMessage message) {
    switch (action) {
      case QUEUE -> enqueue(bytes);
      case TRANSMIT -> {
        context.count(Counter.MESSAGE_SENT);
        transmit(bytes);
      }
      case FLUSH -> flush();
      case DELIVER -> {
        context.count(Counter.MESSAGE_RECEIVED);
        table.received(this, message, null, bytes);
      }
      case ANSWER -> answer(message);
      case SEND_HELLO -> {
        context.count(Counter.HELLO_SENT);
        transmit(AssociationContext.hello(false, 0));
      }
      case START_HELLO -> timers.startHello();
      case STOP_HELLO -> timers.stopHello();
      case RESTART_SILENCE -> timers.restartSilence();
      case END -> finish();
      case DROP -> context.count(Counter.SENT_AFTER_END);
      case UNEXPECTED -> context.count(Counter.UNEXPECTED_EVENT);
    }
  }

  private void enqueue(byte[] bytes) {
    if (queuedBytes + bytes.length > context.limits().queueBytes()) {
      // Leaving a message out would break the order that users rely on.
      end(Counter.QUEUE_OVERFLOW, "too much waits for the connection");
      return;
    }
    queuedBytes += bytes.length;
    queue.add(bytes);
  }

  private void flush() {
    timers.stopSetup();
    timers.used();
    for (byte[] bytes = queue.poll(); bytes != null; bytes = queue.poll()) {
      context.count(Counter.MESSAGE_SENT);
      transmit(bytes);
    }
    queuedBytes = 0;
    for (User user : List.copyOf(users)) {
      if (users.contains(user)) {
        user.associationConnected(this);
      }
    }
  }

  private void transmit(byte[] bytes) {
    if (link == null) {
      context.count(Counter.SENT_AFTER_END);
      return;
    }
    timers.sent();
    link.send(bytes);
  }

  /**
   * Takes an MA-Hello. With R=1 it wants its ID back. With R=0 it is a sign of life, or the answer
   * to our question. The decoder has refused R=1 without an ID as 10/1.
   */
  private void hello(GistMessage message, byte[] bytes) {
    context.count(Counter.HELLO_RECEIVED);
    int helloId = helloId(message);
    if (!message.header().reply() && helloId != 0 && !timers.answers(helloId)) {
      context.count(Counter.HELLO_UNMATCHED);
    }
    fire(Event.HELLO, bytes, message);
  }

  private void answer(GistMessage message) {
    if (message.header().reply()) {
      context.count(Counter.HELLO_SENT);
      transmit(AssociationContext.hello(false, helloId(message)));
    }
  }

  private static int helloId(GistMessage message) {
    return message.find(HelloId.class).map(HelloId::value).orElse(0);
  }

  private void finish() {
    if (peer == null) {
      LOG.debug("association {}, not established, ends: {}", id, endReason);
    } else {
      LOG.info("association {} with {} ends: {}", id, peer.address(), endReason);
    }
    timers.stop();
    queue.clear();
    table.ended(this);
    if (link != null) {
      Link last = link;
      link = null;
      last.close();
    }
    List<User> told = List.copyOf(users);
    users.clear();
    for (User user : told) {
      tell(user);
    }
  }

  private void tell(User user) {
    switch (ending) {
      case FAILED -> user.associationFailed(this, endReason);
      case REFUSED -> user.associationRefused(this, endReason);
      case UNWELCOME -> user.associationUnwelcome(this, endReason);
    }
  }
}
