// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.netserv.packet.Tally;
import org.netserv.stun.ConnectionId;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Fingerprint;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunStatus;
import org.netserv.stun.UnknownAttributes;

/**
 * Answers requests (RFC 8656, 5). The path of data is not here.
 *
 * <pre>
 *   whole message? -> fingerprint -> Binding: answered
 *     -> who is it? 401, 438 -> unknown attributes? 420 -> allocation? 437, its user? 441 -> method
 * </pre>
 */
public final class TurnServer {
  private static final Set<StunAttribute> CREDENTIALS =
      EnumSet.of(
          StunAttribute.USERNAME,
          StunAttribute.REALM,
          StunAttribute.NONCE,
          StunAttribute.PASSWORD_ALGORITHM,
          StunAttribute.MESSAGE_INTEGRITY,
          StunAttribute.MESSAGE_INTEGRITY_SHA256);

  private final Allocations allocations;
  private Access access;
  private final Strangers strangers;
  private final Tally<Why> tally;
  private final byte[] software;
  private final Exchange x = new Exchange();
  private final Fingerprint fingerprint = new Fingerprint();
  private final UnknownAttributes unknown = new UnknownAttributes();
  private final AllocateRequest allocate;
  private final RefreshRequest refresh;
  private final CreatePermissionRequest createPermission;
  private final ChannelBindRequest channelBind;
  private PeerLinks links; // null = no TCP to peers
  private Discovery discovery = new Discovery(List.of(), port -> null);

  /**
   * @param software the value of SOFTWARE in answers to known users, null = none
   */
  public TurnServer(
      Allocations allocations,
      Access access,
      PeerRules rules,
      Strangers strangers,
      String software,
      Tally<Why> tally) {
    this.allocations = allocations;
    this.access = access;
    this.strangers = strangers;
    this.tally = tally;
    this.software =
        software == null ? null : software.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    allocate = new AllocateRequest(allocations, tally);
    refresh = new RefreshRequest(allocations, tally);
    createPermission = new CreatePermissionRequest(allocations, rules, tally);
    channelBind = new ChannelBindRequest(allocations, rules, tally);
  }

  /** From now on allocations can have relayed TCP addresses. */
  public void links(PeerLinks with) {
    links = with;
    with.answers(this::answerLater);
  }

  /** From now on clients can discover how their NAT behaves. */
  public void discovery(Discovery with) {
    discovery = with;
  }

  /** From now on these credentials hold. Present allocations are still known by theirs. */
  public void access(Access by) {
    access = by;
  }

  /** From now on no allocation is made. The present ones stay until they end. */
  public void drain() {
    allocate.drain();
  }

  /** Ends all allocations. */
  public void stop() {
    allocations.stop();
  }

  /** Ends all that has expired. */
  public void tick(long now) {
    allocations.tick(now);
    if (links != null) {
      links.tick(now);
    }
  }

  /** Returns nanoseconds to the next call of {@link #tick}. */
  public long nanosLeft(long now) {
    long left = allocations.nanosLeft(now);
    return links == null ? left : Math.min(left, links.nanosLeft(now));
  }

  /** A client's connection has ended. */
  public void gone(Client client, long now) {
    allocations.at(now);
    allocations.gone(client);
  }

  /** Takes a message of a client that is no Send indication and no ChannelData. */
  public void received(Client from, ByteBuffer bytes, int start, int length, long now) {
    StunError error = x.request.reset(bytes, start, start + length);
    if (error.compareTo(StunError.ATTRIBUTE_LENGTH) < 0 && error != StunError.OK) {
      tally.count(Why.MALFORMED);
      return;
    }
    if (x.request.kind() != StunClass.REQUEST) {
      tally.count(Why.NOT_A_REQUEST);
      return;
    }
    allocations.at(now);
    x.client = from;
    x.now = now;
    x.later = false;
    x.allocation = allocations.find(from);
    if (error != StunError.OK || !fingerprint.holdsIfPresent(x.request)) {
      tally.count(Why.MALFORMED);
      refuseStranger(Why.BAD_REQUEST);
      return;
    }
    request();
  }

  private void request() {
    StunMethod method = x.request.method();
    if (method == StunMethod.BINDING) {
      binding();
      return;
    }
    Set<StunAttribute> known = known(method);
    if (known == null) {
      tally.count(Why.METHOD);
      return;
    }
    boolean joins = method == StunMethod.CONNECTION_BIND;
    Why why = access.check(x, joins ? links.owner(x.request) : x.allocation);
    if (why != null) {
      refuseStranger(why);
      return;
    }
    why = understood(known) ? method(method) : Why.UNKNOWN_ATTRIBUTE;
    if (why != null) {
      refuse(why);
    } else if (!x.later) {
      allocations.keep(x.client, x.now);
      sendSigned();
      if (joins) {
        links.join(x);
      }
    }
  }

  private Set<StunAttribute> known(StunMethod method) {
    return switch (method) {
      case ALLOCATE -> AllocateRequest.KNOWN;
      case REFRESH -> RefreshRequest.KNOWN;
      case CREATE_PERMISSION -> CreatePermissionRequest.KNOWN;
      case CHANNEL_BIND -> ChannelBindRequest.KNOWN;
      case CONNECT -> links == null ? null : PeerLinks.CONNECT_KNOWN;
      case CONNECTION_BIND -> links == null ? null : PeerLinks.BIND_KNOWN;
      default -> null;
    };
  }

  private boolean understood(Set<StunAttribute> known) {
    EnumSet<StunAttribute> all = EnumSet.copyOf(CREDENTIALS);
    all.addAll(known);
    if (access.takesTokens()) {
      all.add(StunAttribute.ACCESS_TOKEN);
    }
    if (!allocations.opener().canForbidFragments()) {
      all.remove(StunAttribute.DONT_FRAGMENT); // step 4 of section 7.2
    }
    return unknown.collect(x.request, all) == 0;
  }

  private Why method(StunMethod method) {
    begin(StunClass.SUCCESS);
    if (method == StunMethod.ALLOCATE) {
      return allocate.handle(x);
    }
    if (x.allocation != null && !x.allocation.isOf(x)) {
      return Why.WRONG_USER;
    }
    if (method == StunMethod.REFRESH) {
      return refresh.handle(x); // which may find the allocation by a ticket
    }
    if (method == StunMethod.CONNECTION_BIND) {
      return links.bind(x); // on a connection of its own
    }
    if (x.allocation == null) {
      return Why.NO_ALLOCATION;
    }
    return switch (method) {
      case CREATE_PERMISSION -> createPermission.handle(x);
      case CONNECT -> links.connect(x);
      default -> channelBind.handle(x);
    };
  }

  // ---- answers

  private void begin(StunClass kind) {
    x.answer.answer(x.bytes, 0, Exchange.ANSWER_MOST, x.request, kind);
  }

  private void binding() {
    EnumSet<StunAttribute> known = EnumSet.copyOf(CREDENTIALS);
    known.addAll(discovery.known(x.client));
    Why why = unknown.collect(x.request, known) > 0 ? Why.UNKNOWN_ATTRIBUTE : discovery.refusal(x);
    if (why != null) {
      refuseStranger(why);
      return;
    }
    x.answer.answer(x.bytes, 0, Exchange.PADDED_MOST, x.request, StunClass.SUCCESS);
    StunAddress.put(
        x.answer,
        StunAttribute.XOR_MAPPED_ADDRESS,
        x.client.high(),
        x.client.low(),
        x.client.port());
    discovery.answer(x);
    sendToStranger(Why.BINDING);
  }

  private void error(Why why) {
    begin(StunClass.ERROR);
    ErrorCode.put(x.answer, why.status());
    if (why == Why.UNKNOWN_ATTRIBUTE) {
      unknown.put(x.answer);
    }
  }

  private void refuseStranger(Why why) {
    error(why);
    if (why.status() == StunStatus.UNAUTHENTICATED || why.status() == StunStatus.STALE_NONCE) {
      access.challenge(x);
    }
    sendToStranger(why);
  }

  private void sendToStranger(Why why) {
    if (x.request.has(StunAttribute.FINGERPRINT)) {
      fingerprint.put(x.answer);
    }
    Why not =
        strangers.refusal(x.client, x.request.end() - x.request.start(), x.answer.length(), x.now);
    if (not != null) {
      tally.count(not);
      return;
    }
    tally.count(why);
    send();
  }

  /** Answers a Connect request, when its connection is made or has failed. */
  private void answerLater(SavedRequest request, PeerLink link, Why why, long now) {
    if (link.of().isGone()) {
      return;
    }
    request.restore(x, now);
    if (why != null) {
      refuse(why);
      return;
    }
    begin(StunClass.SUCCESS);
    ConnectionId.put(x.answer, link.id());
    sendSigned();
  }

  private void refuse(Why why) {
    tally.count(why);
    error(why);
    sendSigned();
  }

  private void sendSigned() {
    if (software != null) {
      StunBytes.put(x.answer, StunAttribute.SOFTWARE, software);
    }
    access.sign(x);
    if (x.request.has(StunAttribute.FINGERPRINT)) {
      fingerprint.put(x.answer);
    }
    send();
  }

  private void send() {
    if (!x.client.way().send(x.client, x.bytes, x.answer.start(), x.answer.length())) {
      tally.count(Why.CLIENT_SLOW);
    }
  }
}
