// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.netserv.gist.GistService;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.PathEnd;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpParts;
import org.netserv.nslp.RequestId;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publisher's end of the signaling application. It sends REQUESTs and waits for their
 * RESPONSEs. It lets the Queries of others pass, so it is nobody's peer. It runs on the GIST
 * thread.
 *
 * <p>The exchange sends a request again, with the same REQUEST-ID, when its association has failed,
 * and once when half of the time is over. Nodes recognise the id and answer without doing the work
 * twice.
 *
 * <p>When the last request of a session is answered, its routing state goes. The next request
 * therefore begins with a Query, which finds the path as it is then.
 */
final class Exchange implements SignalingApplication {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  /** Most sessions that are remembered. A forgotten module on a path gets a new identifier. */
  private static final int SESSIONS_MAX = 10_000;

  private static final int SENDINGS_MAX = 5;
  private static final long PAUSE_MILLIS = 500;
  private static final Duration DISCOVERY_MAX = Duration.ofSeconds(8);

  private final GistService gist;
  private final Timers timers;
  private final SecureRandom random;
  private final NslpParts parts = new NslpParts();
  private final Map<RequestId, Pending> pending = new HashMap<>();
  private final Map<ModulePath, SessionId> sessions =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ModulePath, SessionId> eldest) {
          return size() > SESSIONS_MAX;
        }
      };

  Exchange(Engine engine, SecureRandom random) {
    this.gist = engine.gist();
    this.timers = engine.timers();
    this.random = random;
    engine.execute(() -> gist.register(this));
  }

  /**
   * Sends a message; the stage fails with an {@link IOException} when this host cannot send it.
   *
   * @param ncm binary form of an NCM or TRIGGER
   */
  CompletionStage<Reply> ask(ModulePath flow, byte[] ncm, Duration budget, boolean secure) {
    SessionId session = sessions.computeIfAbsent(flow, f -> new SessionId(bytes()));
    Pending request = new Pending(new RequestId(bytes()), flow, session, ncm, budget, secure);
    pending.put(request.id, request);
    request.begin();
    return request.reply;
  }

  /** Ends all that is under way. */
  void close(String reason) {
    for (Pending request : new ArrayList<>(pending.values())) {
      request.finish(Reply.none(PathEnd.TIMED_OUT, reason));
    }
  }

  private byte[] bytes() {
    byte[] bytes = new byte[RequestId.BYTES];
    random.nextBytes(bytes);
    return bytes;
  }

  @Override
  public int nslpId() {
    return NslpMessage.NSLP_ID;
  }

  @Override
  public int routerAlert() {
    return NslpMessage.ROUTER_ALERT;
  }

  @Override
  public PeeringDecision check(ReceivedMessage query) {
    return PeeringDecision.PASS;
  }

  @Override
  public void received(ReceivedMessage message) {
    NslpMessage read;
    try {
      Stream stream = new Stream(message.session(), message.mri());
      read = parts.join(stream, message.payload(), timers.now()).orElse(null);
    } catch (BadValueException e) {
      LOG.debug("not a message of ours: {}", e.getMessage());
      return;
    }
    Pending request = read instanceof NslpMessage.Response ? pending.get(read.id()) : null;
    if (request != null && request.session.equals(message.session())) {
      request.finish(Reply.of((NslpMessage.Response) read));
    }
  }

  @Override
  public void messageStatus(Object handle, MessageStatus status, String detail) {
    Pending request = (Pending) handle;
    if (pending.get(request.id) == request) {
      request.status(status, detail);
    }
  }

  /** Asks again when the way to the first node is gone while the node works on a request. */
  @Override
  public void notified(NetworkNotification event) {
    boolean lost =
        event.kind() == NetworkNotification.Kind.COMMUNICATION_FAILURE
            || event.kind() == NetworkNotification.Kind.ROUTE_DELETION;
    if (!lost) {
      return;
    }
    for (Pending request : List.copyOf(pending.values())) {
      if (request.sent && (event.session() == null || event.session().equals(request.session))) {
        request.later();
      }
    }
  }

  /** The source of the parts of one message. */
  private record Stream(SessionId session, Mri mri) {}

  /** A request that is not answered yet. */
  private final class Pending {
    final RequestId id;
    final SessionId session;
    final CompletableFuture<Reply> reply = new CompletableFuture<>();

    /** True when a node has the request. */
    boolean sent;

    private final ModulePath flow;
    private final byte[] ncm;
    private final boolean secure;
    private final Duration budget;
    private final List<Timers.Timer> timing = new ArrayList<>();
    private int sendings;
    private boolean waiting;
    private String trouble = "";

    Pending(
        RequestId id,
        ModulePath flow,
        SessionId session,
        byte[] ncm,
        Duration budget,
        boolean secure) {
      this.id = id;
      this.flow = flow;
      this.session = session;
      this.ncm = ncm;
      this.budget = budget;
      this.secure = secure;
    }

    void begin() {
      timing.add(timers.schedule(budget.toMillis(), this::timedOut));
      timing.add(timers.schedule(budget.toMillis() / 2, this::halfTime));
      send();
    }

    /**
     * Sends the request to the first node with four fifths of the time as its budget. The rest of
     * the time is for the way to that node.
     */
    private void send() {
      waiting = false;
      sendings++;
      int forPath = (int) (budget.toMillis() * 4 / 5);
      byte[] message = new NslpMessage.Request(id, forPath, ncm).encode();
      try {
        // The parts share their fate, so the status of the last part stands for all.
        Iterator<byte[]> each = NslpParts.split(message).iterator();
        while (each.hasNext()) {
          byte[] part = each.next();
          gist.sendMessage(part(part, each.hasNext() ? null : this));
        }
      } catch (IllegalArgumentException e) {
        cannotSend(e.getMessage());
      }
    }

    private SendRequest part(byte[] payload, Pending handle) {
      Duration third = budget.dividedBy(3);
      return new SendRequest(
          payload,
          handle,
          nslpId(),
          session,
          flow.mri(),
          null,
          secure ? TransferAttributes.SECURE : TransferAttributes.RELIABLE,
          third.compareTo(DISCOVERY_MAX) < 0 ? third : DISCOVERY_MAX,
          -1);
    }

    private void halfTime() {
      if (sent && !waiting && sendings < SENDINGS_MAX) {
        send();
      }
    }

    /** Sends once more after a pause. */
    void later() {
      if (!waiting && sendings < SENDINGS_MAX) {
        waiting = true;
        timing.add(timers.schedule(PAUSE_MILLIS, this::send));
      }
    }

    private void timedOut() {
      String what =
          sent ? "the first node has the message and did not answer in time" : "not sent in time";
      finish(Reply.none(PathEnd.TIMED_OUT, trouble.isEmpty() ? what : what + ": " + trouble));
    }

    /**
     * Handles GIST's status of the latest sending. If an earlier sending arrived, an unanswered or
     * refused one does not end the request.
     */
    void status(MessageStatus status, String detail) {
      trouble = status == MessageStatus.SENT ? "" : detail;
      switch (status) {
        case SENT -> sent = true;
        case NO_ASSOCIATION, ASSOCIATION_LATE -> noAssociation(detail);
        case NO_ROUTE, TOO_LARGE -> cannotSend(detail);
        case NO_RESPONSE -> ended(PathEnd.NO_ANSWER, Trouble.noAnswer());
        case LAST_NODE -> ended(Trouble.lastNode(detail), "");
        case REFUSED -> ended(PathEnd.REFUSED, Trouble.refused(detail));
      }
    }

    private void noAssociation(String detail) {
      if (sendings < SENDINGS_MAX) {
        later();
      } else {
        ended(PathEnd.REFUSED, Trouble.noAssociation(detail));
      }
    }

    private void ended(PathEnd end, String reason) {
      if (!sent) {
        finish(Reply.none(end, reason));
      }
    }

    private void cannotSend(String why) {
      if (!sent && close()) {
        reply.completeExceptionally(new IOException("cannot send: " + why));
      }
    }

    void finish(Reply result) {
      if (close()) {
        reply.complete(result);
      }
    }

    private boolean close() {
      if (!pending.remove(id, this)) {
        return false;
      }
      timing.forEach(Timers.Timer::cancel);
      if (pending.values().stream().noneMatch(p -> p.session.equals(session))) {
        gist.setStateLifetime(nslpId(), flow.mri(), session, Duration.ZERO);
      }
      return true;
    }
  }
}
