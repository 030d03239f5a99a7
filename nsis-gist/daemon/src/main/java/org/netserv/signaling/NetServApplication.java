// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.gist.GistService;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.Carried;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.nslp.NslpParts;
import org.netserv.nslp.RequestId;
import org.netserv.process.Overload;
import org.netserv.signaling.SignalingCounters.Counter;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NetServ signaling application of a node (docs/protocols/nslp.md). It takes the messages that
 * GIST delivers and refuses bad ones before they cost anything. It gives every other request to a
 * {@link PathRequest}. It runs on the GIST thread.
 */
final class NetServApplication implements SignalingApplication {
  private static final Logger LOG = LoggerFactory.getLogger(NetServApplication.class);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);
  private static final int RESPONSE_ATTEMPTS = 3;
  private static final long RESPONSE_AGAIN = 500;

  private final Services services;
  private final LocalNetwork network;
  private final SecureRandom random;
  private final RequestTable table = new RequestTable();
  private final NslpParts parts = new NslpParts();
  private final SlotAdmission admission;

  /**
   * Creates an application that is not yet registered with GIST.
   *
   * @param publishers the publishers that this node serves
   * @param overload decides which requests to refuse when the process is short of a resource
   * @param settings supplies the current settings
   * @param random source of the ids of flows that start here
   */
  NetServApplication(
      GistService gist,
      ControllerPort controller,
      LocalNetwork network,
      Timers timers,
      SecureRandom random,
      SignalingCounters counters,
      RegisteredPublishers publishers,
      Overload overload,
      Supplier<ApplicationSettings> settings) {
    this.services = new Services(gist, controller, timers, counters, settings, this::startFlow);
    this.network = network;
    this.random = random;
    this.admission =
        new SlotAdmission(table, publishers, overload, settings, this::giveWay, this::end);
  }

  @Override
  public int nslpId() {
    return NslpMessage.NSLP_ID;
  }

  @Override
  public int routerAlert() {
    return NslpMessage.ROUTER_ALERT;
  }

  /** Requests under way, for the report. */
  int underWay() {
    return table.underWay();
  }

  /** Returns whether the request is under way. */
  boolean underWay(RequestId id) {
    return table.underWay(id) != null;
  }

  /** Slots in use that sources share. */
  int shared() {
    return table.shared();
  }

  /** Slots in use of the reserve. */
  int reserved() {
    return table.reserved();
  }

  /** Answers kept, for the report. */
  int remembered() {
    return table.remembered();
  }

  /** Bytes of the answers kept. */
  long answerBytes() {
    return table.answerBytes();
  }

  @Override
  public PeeringDecision check(ReceivedMessage query) {
    ApplicationSettings settings = services.settings().get();
    boolean ours =
        settings.interfaces().isEmpty()
            || query.interfaceIndex() == 0
            || settings.interfaces().contains(query.interfaceIndex());
    if (settings.enabled() && ours && admission.welcome(query)) {
      return PeeringDecision.ACCEPT;
    }
    services.count(Counter.PASSED_BY);
    return PeeringDecision.PASS;
  }

  @Override
  public void received(ReceivedMessage message) {
    if (!(message.mri() instanceof PathCoupledMri mri)) {
      services.count(Counter.MALFORMED);
      return;
    }
    if (message.peer() == null || !(message.validated() || answersByHandle(message, mri))) {
      services.count(Counter.UNVALIDATED);
      return;
    }
    Optional<NslpMessage> read = Optional.empty();
    try {
      Stream stream = new Stream(message.peer().peerIdentity(), mri, message.session());
      read = parts.join(stream, message.payload(), now());
    } catch (BadValueException e) {
      services.count(Counter.MALFORMED);
      LOG.debug("from {}: {}", message.peer(), e.getMessage());
    }
    read.ifPresent(whole -> dispatch(message, mri, whole));
  }

  /**
   * Returns whether a message without routing state may be an answer of the peer below (RFC 5971
   * section 7.1.4). It must come by an association with a peer that a handshake found, and the
   * association must be as secure as policy requires. The REQUEST-ID identifies the request, and
   * only nodes on the path have seen that id.
   */
  private boolean answersByHandle(ReceivedMessage message, PathCoupledMri mri) {
    boolean secured = message.attributes().secure() || !services.settings().get().secure();
    return mri.upstream() && message.attributes().reliable() && secured;
  }

  /** The key that all parts of one message share. */
  private record Stream(String peer, Mri mri, SessionId session) {}

  private void dispatch(ReceivedMessage message, PathCoupledMri mri, NslpMessage read) {
    if (mri.upstream() != read instanceof Response) {
      services.count(Counter.MALFORMED);
    } else if (read instanceof Response response) {
      response(message, response);
    } else if (read instanceof Request request) {
      request(message, request);
    }
  }

  // ---- REQUEST

  private void request(ReceivedMessage message, Request request) {
    services.count(Counter.REQUESTS);
    RequestTable.Identity identity =
        new RequestTable.Identity(
            message.peer(), message.session(), message.mri(), sha256(request.ncm()));
    RequestTable.Identity known = table.identity(request.id(), now());
    if (known != null) {
      again(message, request, known, identity);
      return;
    }
    Carried carried = read(message, request);
    if (carried == null) {
      return;
    }
    Optional<SlotAdmission.Refusal> refusal =
        admission.admit(request.id(), identity, carried, now());
    if (refusal.isPresent()) {
      refuse(message, request, refusal.get().counter(), refusal.get().reason());
      return;
    }
    PathRequest.Message accepted =
        new PathRequest.Message(
            request.id(),
            message.session(),
            message.mri(),
            request.ncm(),
            carried,
            Math.min(request.budgetMillis(), services.settings().get().budgetMax()),
            message.hops(),
            message.interfaceIndex(),
            message.local(),
            message.peer().address());
    begin(identity, accepted, this::answered);
  }

  private void begin(
      RequestTable.Identity identity, PathRequest.Message message, Consumer<Response> upstream) {
    PathRequest request = new PathRequest(services, message, upstream);
    table.begin(identity, request);
    request.start();
  }

  /** Moves a request that has lost its slot to the reserve, or ends the request. */
  private void giveWay(RequestId id) {
    PathRequest request = table.underWay(id);
    if (admission.reserve(id, table.identity(id, now()), request.carried(), now())) {
      services.count(Counter.RESERVED);
    } else {
      end(id);
    }
  }

  private void end(RequestId id) {
    table.underWay(id).giveWay();
  }

  /**
   * Handles a REQUEST with a known id. The same peer repeats it, or the peer that has since taken
   * its place on the path, or the message has come round to us.
   */
  private void again(
      ReceivedMessage message,
      Request request,
      RequestTable.Identity known,
      RequestTable.Identity now) {
    if (!known.sameRequest(now)) {
      refuse(message, request, Counter.LOOP, "another request had this id");
      return;
    }
    boolean moved = !known.hop().equals(now.hop());
    PathRequest running = table.underWay(request.id());
    if (moved && running != null && (known.peer() == null || running.comesRound(message.hops()))) {
      refuse(message, request, Counter.LOOP, "loop");
      return;
    }
    if (moved && !secureEnough(message, request)) {
      return;
    }
    if (moved && !admission.rate(now, now())) {
      refuse(message, request, Counter.REFUSED_HOP_RATE, SlotAdmission.tooMany(now.source()));
      return;
    }
    if (!admission.move(request.id(), now)) {
      refuse(message, request, Counter.REFUSED_BUSY, SlotAdmission.BUSY);
      return;
    }
    if (moved) {
      services.count(Counter.TAKEN_OVER);
    }
    services.count(Counter.REPEATED);
    byte[] answer = table.answer(request.id());
    if (answer != null) {
      sendUp(now, answer, 1);
    }
  }

  private boolean secureEnough(ReceivedMessage message, Request request) {
    if (services.settings().get().secure() && !message.attributes().secure()) {
      refuse(message, request, Counter.REFUSED_INSECURE, "this node takes requests by TLS");
      return false;
    }
    return true;
  }

  /** Reads the message inside a request. Returns null if the request is refused. */
  private Carried read(ReceivedMessage message, Request request) {
    if (!secureEnough(message, request)) {
      return null;
    }
    Carried carried;
    try {
      carried = Carried.decode(request.ncm());
    } catch (NcmException e) {
      return refuse(message, request, Counter.REFUSED_MESSAGE, e.getMessage());
    }
    InetAddress destination = message.mri().destination();
    if (carried.to().isPresent() && !carried.to().get().equals(destination)) {
      String why = "to: the path leads to " + destination.getHostAddress();
      return refuse(message, request, Counter.REFUSED_MESSAGE, why);
    }
    return carried;
  }

  /** Answers with the reason alone and remembers nothing. Always returns null. */
  private Carried refuse(ReceivedMessage to, Request request, Counter counter, String reason) {
    services.count(counter);
    Response response = new Response(request.id(), ResponseStack.EMPTY, PathEnd.REFUSED, reason);
    RequestTable.Identity back =
        new RequestTable.Identity(to.peer(), to.session(), to.mri(), sha256(request.ncm()));
    sendUp(back, response.encode(), 1);
    return null;
  }

  private void answered(Response response) {
    byte[] bytes = response.encode();
    RequestTable.Identity to = table.end(response.id(), bytes, now());
    sendUp(to, bytes, 1);
  }

  /**
   * Sends a response back along the way of its request. Routing state leads to the sender of the
   * session's last Query, and that sender may be a node that left the path without knowing it. The
   * first attempt therefore goes to the peer that sent the request. Later attempts follow routing
   * state, because the association may be gone.
   */
  private void sendUp(RequestTable.Identity to, byte[] response, int attempt) {
    Transmission.send(
        services,
        response,
        to.session(),
        to.mri().flipped(),
        attempt == 1 ? to.peer() : null,
        RESPONSE_TIMEOUT,
        -1,
        (status, detail) -> sentUp(to, response, attempt, status, detail));
  }

  private void sentUp(
      RequestTable.Identity to, byte[] response, int attempt, MessageStatus status, String detail) {
    if (status == MessageStatus.SENT) {
      return;
    }
    if (attempt >= RESPONSE_ATTEMPTS) {
      services.count(Counter.LOST_RESPONSE);
      LOG.debug("response to {}: {} {}", to.peer(), status, detail);
      return;
    }
    services
        .timers()
        .schedule(
            RESPONSE_AGAIN << (attempt - 1),
            () -> {
              services.count(Counter.RESENT_RESPONSE);
              sendUp(to, response, attempt + 1);
            });
  }

  // ---- RESPONSE

  private void response(ReceivedMessage message, Response response) {
    PathRequest request = table.underWay(response.id());
    if (request == null
        || !request.session().equals(message.session())
        || !request.mri().equals(message.mri().flipped())) {
      services.count(Counter.LATE_RESPONSE);
      return;
    }
    request.response(response);
  }

  @Override
  public void messageStatus(Object handle, MessageStatus status, String detail) {
    if (handle instanceof SendHandle ours) {
      ours.status(status, detail);
    } else {
      services.count(Counter.UNEXPECTED);
    }
  }

  /** Sends requests again that may have been lost with their peer. */
  @Override
  public void notified(NetworkNotification notification) {
    switch (notification.kind()) {
      case COMMUNICATION_FAILURE, ROUTE_DELETION ->
          table.requests().stream()
              .filter(r -> r.mri().equals(notification.mri()))
              .filter(
                  r -> notification.session() == null || r.session().equals(notification.session()))
              .forEach(PathRequest::peerLost);
      case LAST_NODE, ROUTING_STATUS_CHANGE, NODE_AUTHORISATION_CHANGE -> {
        // Each request learns this from its own message status. Without a request there is nothing
        // to repair.
      }
    }
  }

  // ---- flows that start here

  /** Starts a new session toward the destination of the message, with this node as the first. */
  private void startFlow(byte[] message, int budgetMillis, Consumer<Response> answer) {
    RequestId id = new RequestId(bytes(RequestId.BYTES));
    try {
      Carried carried = Carried.decode(message);
      InetAddress to =
          carried.to().orElseThrow(() -> new BadValueException("it has no destination"));
      InetAddress from =
          network
              .addressTowards(to)
              .orElseThrow(() -> new BadValueException("no route to " + to.getHostAddress()));
      SessionId session = new SessionId(bytes(16));
      PathCoupledMri mri = PathCoupledMri.between(from, to);
      RequestTable.Identity identity =
          new RequestTable.Identity(null, session, mri, sha256(message));
      if (!admission.start(id, identity, carried, now())) {
        throw new BadValueException(SlotAdmission.BUSY);
      }
      services.count(Counter.TRIGGERED);
      PathRequest.Message started =
          new PathRequest.Message(
              id, session, mri, message, carried, budgetMillis, -1, 0, network.isLocal(to), null);
      begin(
          identity,
          started,
          response -> {
            table.end(id, null, now());
            answer.accept(response);
          });
    } catch (BadValueException | NcmException e) {
      answer.accept(new Response(id, ResponseStack.EMPTY, PathEnd.REFUSED, e.getMessage()));
    }
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private long now() {
    return services.timers().now();
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
