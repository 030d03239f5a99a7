// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Tally;
import org.netserv.packet.Verdict;
import org.netserv.sip.SipError;

/**
 * Takes one packet from classification to reply. It reads the message, checks that the message may
 * be answered here, asks the {@link Rota} whether to let it through, and writes the reply. Holds
 * all the memory that this needs. Belongs to one thread.
 */
final class Responder {
  private static final int REPLY_MOST = 2048;
  private static final int TTL = 64;
  private static final int BROADCAST = 0xffffffff;

  private final Servers servers;
  private final boolean stunOn;
  private final int offload;
  private final SipKeepAlive sip;
  private final SipReply reply;
  private final Templates templates = new Templates();
  private final StunBinding stun = new StunBinding();
  private final Rota rota;
  private final KernelAnswers kernel;
  private final ReplyWriter out = new ReplyWriter(REPLY_MOST);
  private final Tally<Why> tally;
  private final Tally<SipError> errors;
  private AgentTemplate template; // of the agent that sent this message, null = none
  private boolean fits; // then the message was not parsed
  private boolean learned; // from this message

  /** Makes one without a link to the server. */
  Responder(ResponderSettings settings, Tally<Why> tally, Tally<SipError> errors) {
    this(settings, tally, errors, new Servers(), null, 0, new KernelAnswers(null, 0));
  }

  /**
   * @param servers learns each server from the packets, and knows which are dead
   * @param seen takes each agent once in {@code reportEvery} seconds; null = none is reported
   * @param kernel answers the keep-alives of agents that were answered here
   */
  Responder(
      ResponderSettings settings,
      Tally<Why> tally,
      Tally<SipError> errors,
      Servers servers,
      Seen seen,
      int reportEvery,
      KernelAnswers kernel) {
    this.servers = servers;
    this.kernel = kernel;
    this.tally = tally;
    this.errors = errors;
    stunOn = settings.stun();
    offload = settings.offload();
    sip = new SipKeepAlive(new ServerNames(settings), settings.keep() > 0);
    reply = new SipReply(settings.allow(), settings.keep());
    rota =
        new Rota(
            settings.passEvery(),
            settings.silentAfter(),
            new AgentTable(settings.maxAgents()),
            seen,
            reportEvery);
  }

  Decision process(Packet packet, Decision decision) {
    Why what = envelope(packet);
    if (what == null) {
      what = content(packet);
    }
    if (!what.isKeepAlive()) {
      if (offload > 0 && isOthers(packet, what)) {
        decision.offload(offload);
      }
      return pass(decision, what);
    }
    boolean isSip = what == Why.NOTIFY || what == Why.OPTIONS;
    int server = servers.of(packet);
    KernelEntry entry = what == Why.STUN ? null : kernel.of(packet);
    int skipped = kernel.back(entry, packet.arrivalMicros());
    Why turn =
        rota.turn(packet, isSip ? transaction(packet) : 0, server, servers.isDead(server), skipped);
    if (turn != null) {
      if (rota.isSilent()) {
        kernel.clear();
      }
      return pass(decision, turn);
    }
    if (what == Why.STUN) {
      return answer(packet, decision, what);
    }
    if (entry == null && isForKernel(packet, what)) {
      entry = kernel.make(packet, server);
    }
    if (entry == null) {
      return here(packet, decision, what);
    }
    AnswerTemplate known = template(packet, what, entry);

    here(packet, decision, what);
    if (decision.verdict() != Verdict.PASS) {
      kernel.next(entry, known, rota.budget(), decision);
    }
    return decision;
  }

  private Decision here(Packet packet, Decision decision, Why what) {
    return what == Why.PING ? drop(decision) : answer(packet, decision, what);
  }

  /** Tells whether the kernel could have answered this packet. */
  private boolean isForKernel(Packet packet, Why what) {
    return kernel.isWanted()
        && (what == Why.PING
            || (fits && template.hasReply() && template.forKernel(packet) != null));
  }

  /** Returns the template by which the kernel could have answered this packet, null = not known. */
  private AnswerTemplate template(Packet packet, Why what, KernelEntry entry) {
    if (what == Why.PING) {
      return entry.hasAnswer() ? null : PingTemplate.of(packet, payload(packet));
    }
    return fits && template.hasReply() ? template.forKernel(packet) : null;
  }

  /**
   * Tells whether the flow is not a user agent's. A flow with SIP stays with the module, whatever
   * this message is, because the agent's next message may be a keep-alive. If another flow carries
   * keep-alives after all (STUN beside media), the server answers its keep-alives for the next
   * seconds, as if the module were absent.
   */
  private static boolean isOthers(Packet packet, Why what) {
    return what == Why.NOT_UDP || (what == Why.MALFORMED && !startsWithLetter(packet));
  }

  /**
   * Tells whether the payload starts with a letter, as each SIP method and SIP/2.0 do. Media, DTLS
   * and QUIC do not.
   */
  private static boolean startsWithLetter(Packet packet) {
    int first = packet.get(packet.payloadOffset()) | 0x20;
    return first >= 'a' && first <= 'z';
  }

  /** Returns the reason to pass the packet unread, or null if its payload is worth a look. */
  private static Why envelope(Packet packet) {
    if (packet.protocol() != Packet.UDP) {
      return Why.NOT_UDP;
    }
    if (packet.isFragment() || !packet.hasPorts()) {
      return Why.FRAGMENT;
    }
    if (packet.isSample()) {
      return Why.SAMPLE;
    }
    boolean usable =
        packet.family() == 4
            ? isUnicast4(packet.source4()) && isUnicast4(packet.destination4())
            : isUnicast6(packet.sourceHigh(), packet.sourceLow())
                && isUnicast6(packet.destinationHigh(), packet.destinationLow());
    if (!usable || packet.sourcePort() == 0) {
      return Why.ADDRESS; // 18.1.1: no reply to multicast from here; and none to nowhere
    }
    return packet.payloadLength() == 0 ? Why.EMPTY : null;
  }

  private static boolean isUnicast4(int address) {
    return address != 0 && address != BROADCAST && address >>> 28 != 0xe;
  }

  private static boolean isUnicast6(long high, long low) {
    return high >>> 56 != 0xff && (high | low) != 0;
  }

  private Why content(Packet packet) {
    ByteBuffer buffer = packet.buffer();
    int start = payload(packet);
    int length = packet.payloadLength();
    if (Ping.is(buffer, start, length)) {
      return Why.PING;
    }
    if (StunBinding.isLikely(buffer, start, length)) {
      return stunOn ? stun.reset(buffer, start, start + length) : Why.STUN_OFF;
    }
    template = templates.of(packet);
    fits = template != null && template.fits(buffer, start, length);
    return fits ? template.what() : parse(packet, start, length);
  }

  private Why parse(Packet packet, int start, int length) {
    Why what = sip.reset(packet.buffer(), start, start + length, packet);
    if (what == Why.MALFORMED) {
      errors.count(sip.error());
    } else if (what.isKeepAlive()) {
      template = template == null ? templates.make(packet) : template;
      learned = template.learn(sip, start, length, what);
    }
    return what;
  }

  private long transaction(Packet packet) {
    return fits ? template.transaction(packet.buffer(), payload(packet)) : sip.transaction();
  }

  private static int payload(Packet packet) {
    return packet.start() + packet.payloadOffset();
  }

  private Decision answer(Packet packet, Decision decision, Why what) {
    boolean done;
    if (what == Why.STUN) {
      done = stun.answer(packet);
    } else if (fits && template.hasReply()) {
      done = template.answer(packet.buffer(), payload(packet), packet);
    } else {
      write(packet);
      done = out.fits() && packet.setPayload(out.bytes(), 0, out.length());
    }
    if (!done) {
      return pass(decision, Why.TOO_LONG);
    }
    packet.swapEndpoints();
    packet.setTtl(TTL);
    tally.count(what);
    return decision.changed(what.text());
  }

  private void write(Packet packet) {
    out.clear();
    int start = payload(packet);
    if (fits) { // learned when it travelled on
      sip.reset(packet.buffer(), start, start + packet.payloadLength(), packet);
    }
    int toTag = reply.write(sip, packet, out);
    if (fits || learned) {
      template.learnReply(out, toTag, start);
    }
  }

  private Decision drop(Decision decision) {
    tally.count(Why.PING);
    return decision.drop(Why.PING.text());
  }

  private Decision pass(Decision decision, Why why) {
    tally.count(why);
    return decision.pass(why == Why.MALFORMED ? sip.error().text() : why.text());
  }
}
