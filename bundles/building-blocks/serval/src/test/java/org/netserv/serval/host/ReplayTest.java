// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.Ability;
import org.netserv.serval.Captured;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.Outgoing;

/**
 * The captures of the published stack, with this block in the place of one end. The block draws the
 * numbers of the host that it replaces, so that all that it sends has to be equal byte by byte. The
 * transport's bytes are the capture's, but for the empty UDP header of a handshake.
 */
class ReplayTest {
  private static final Endpoint CLIENT = Endpoint.ofIpv4(Captured.CLIENT, 0);
  private static final Endpoint SERVER = Endpoint.ofIpv4(Captured.SERVER, 0);

  private Host host;
  private Flow flow;
  private int compared;

  /** Returns the packets that one end of a capture's only flow sent or got, in order. */
  private static List<Captured> flow(String capture, int own) {
    List<Captured> frames = new ArrayList<>();
    for (Captured frame : Captured.all()) {
      SalPacket packet = frame.packet();
      boolean registers = packet.protocol() == SalPacket.UDP && capture.equals("register");
      boolean elsewhere =
          own == Captured.SERVER
              ? frame.destination() == Captured.ROUTER
              : isSyn(packet) && packet.has(ExtensionType.SOURCE);
      if (frame.capture().equals(capture) && !registers && !elsewhere) {
        frames.add(frame);
      }
    }
    return frames;
  }

  private static boolean isSyn(SalPacket packet) {
    return Control.flags(packet) == ControlFlags.SYN;
  }

  private static boolean isFromUs(Captured frame, Endpoint own) {
    return frame.source() == own.ipv4();
  }

  private void replay(List<Captured> frames, Endpoint own, int abilities) {
    Captured first = frames.stream().filter(frame -> isFromUs(frame, own)).findFirst().get();
    Recorded random = new Recorded(Control.get(first.packet()));
    host = new Host(random, own, HostLimits.DEFAULT, abilities);
    for (Captured frame : frames) {
      if (isFromUs(frame, own)) {
        send(frame);
      } else {
        take(frame, own);
      }
    }
  }

  private void take(Captured frame, Endpoint own) {
    Endpoint from = Endpoint.ofIpv4(frame.source(), 0);
    Endpoint to = Endpoint.ofIpv4(frame.destination(), 0);
    HostVerdict verdict = host.table.take(new Arrival(frame.packet()).set(from, to, own, 0));
    assertFalse(verdict.drops(), frame + ": " + verdict);
    flow = host.table.flow();
  }

  private void send(Captured frame) {
    int flags = Control.flags(frame.packet());
    compared += flags == 0 ? 0 : 1;
    if (flags == ControlFlags.SYN) {
      flow = host.table.connect(Host.SERVICE, host.own, host, 0);
    } else if (flags == ControlFlags.FIN) {
      host.table.close(flow, 0);
    }
    if (flags == 0) {
      data(frame);
      return;
    }
    Outgoing out = host.sent.remove();
    compare(frame, out);
    if (out.to() != null) {
      assertEquals(frame.destination(), out.to().ipv4(), frame.toString());
    }
  }

  private void data(Captured frame) {
    SalPacket packet = frame.packet();
    ByteBuffer bytes = ByteBuffer.allocate(100);
    int own = flow.identity().flowId();
    SalWriter writer =
        new SalWriter().begin(bytes, 0, 100, own, flow.peerFlow(), packet.protocol());
    assertArrayEquals(frame.header(), written(writer.finish()), frame.toString());
    assertEquals(frame.destination(), flow.peer().ipv4(), frame.toString());
  }

  /** Compares the whole packet if it has no transport, or that of the handshake in UDP. */
  private void compare(Captured frame, Outgoing out) {
    int protocol = frame.packet().protocol();
    byte[] ours = written(out, protocol);
    boolean handshake = out.message().has(ControlFlags.SYN) || out.service() != null;
    boolean udp = protocol == SalPacket.UDP;
    if (handshake && udp) {
      ours = withEmptyUdp(ours, frame);
    }
    byte[] theirs = handshake && !udp ? frame.header() : frame.bytes();
    assertArrayEquals(theirs, ours, frame.toString());
    if (out.to() == null) {
      host.table.asked(out.message().sourceFlow(), Endpoint.ofIpv4(frame.destination(), 0), 0);
    }
  }

  /** Adds an empty UDP header. The published stack gives it a checksum in a SYN alone. */
  private static byte[] withEmptyUdp(byte[] header, Captured frame) {
    ByteBuffer bytes = ByteBuffer.allocate(header.length + 8).put(header);
    int udp = bytes.position();
    bytes.putShort(udp + 4, (short) 8);
    if (isSyn(frame.packet())) {
      int sum =
          SalChecksum.ofTransport(
              bytes, udp, udp + 8, SalPacket.UDP, frame.source(), frame.destination());
      bytes.putShort(udp + 6, (short) sum);
    }
    return bytes.array();
  }

  private static byte[] written(Outgoing out, int protocol) {
    ByteBuffer bytes = ByteBuffer.allocate(400);
    return written(out.write(new SalWriter(), bytes, 0, 400, protocol).finish());
  }

  private static byte[] written(SalWriter writer) {
    assertTrue(writer.fits());
    return Arrays.copyOf(writer.buffer().array(), writer.end());
  }

  /** The server closes first in TCP, and the client in UDP. */
  @ParameterizedTest
  @CsvSource({"direct, 3, TIMEWAIT", "forward, 3, OVER", "register, 3, TIMEWAIT"})
  void weAnswerAsTheCapturedServer(String capture, int messages, String state) {
    replay(flow(capture, Captured.SERVER), SERVER, 0);
    done(messages, state);
  }

  @ParameterizedTest
  @CsvSource({"direct, 4, OVER", "forward, 4, TIMEWAIT", "register, 4, OVER"})
  void weAskAsTheCapturedClient(String capture, int messages, String state) {
    replay(flow(capture, Captured.CLIENT), CLIENT, 0);
    done(messages, state);
  }

  private void done(int messages, String state) {
    assertEquals(state, flow.state());
    assertTrue(host.sent.isEmpty());
    assertEquals(messages, compared);
  }

  /** Abilities are the one difference: byte 3 of CONTROL, and so the checksum. */
  @Test
  void abilitiesAreOneByteOfTheAnswer() {
    List<Captured> syn = flow("forward", Captured.SERVER).subList(0, 2);
    Captured theirs = syn.get(1);
    host = new Host(new Recorded(Control.get(theirs.packet())), SERVER, HostLimits.DEFAULT, 0x05);
    take(syn.get(0), SERVER);
    byte[] ours = written(host.sent.remove(), SalPacket.UDP);
    int control = SalPacket.HEADER;
    assertEquals(Ability.EXTENSIONS.bit() | Ability.HOPS.bit(), ours[control + 3]);
    ours[control + 3] = 0;
    byte[] header = theirs.header();
    for (int checksum : new int[] {10, 11}) {
      ours[checksum] = header[checksum];
    }
    assertArrayEquals(header, ours);
  }

  /**
   * The published stack answers a datagram that nobody wants also where it came by broadcast, and
   * from the broadcast address. This block answers it only where it came to the host alone.
   */
  @Test
  void aDatagramThatNobodyWants() {
    Captured datagram = Captured.of("register", 1);
    Captured rst = Captured.of("register", 2);
    assertEquals(rst.source(), datagram.destination());
    Endpoint router = Endpoint.ofIpv4(Captured.ROUTER, 0);
    host = new Host(1, SERVER, HostLimits.DEFAULT);
    Endpoint all = Endpoint.ofIpv4(datagram.destination(), 0);
    Arrival arrival = new Arrival(datagram.packet());
    assertEquals(HostVerdict.NO_LISTENER, host.table.take(arrival.set(router, all, SERVER, 0)));
    assertTrue(host.sent.isEmpty());
    assertEquals(HostVerdict.NO_LISTENER, host.table.take(arrival.set(router, SERVER, SERVER, 0)));
    Outgoing ours = host.sent.remove();
    assertEquals(SERVER, ours.from());
    assertEquals(rst.destination(), ours.to().ipv4());
    assertArrayEquals(rst.bytes(), written(ours, SalPacket.UDP));
  }
}
