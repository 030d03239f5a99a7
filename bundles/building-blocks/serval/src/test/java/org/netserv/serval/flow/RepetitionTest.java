// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;

/** The third message of a client leaves again, until something has come from the server. */
class RepetitionTest {
  private static final Endpoint SHOP = Endpoint.ofIpv4(0x0a000009, 0);
  private static final long BEGIN = 1_000;

  private final End client =
      End.client(new FlowIdentity(2, 0xc11e, 100, 0), Endpoint.ofIpv4(0x0a000001, 0));

  @BeforeEach
  void connect() {
    client.flow.connect(BEGIN);
    assertEquals(
        FlowRefusal.OK, give(ControlFlags.SYN | ControlFlags.ACK, client.sent.poll(), BEGIN));
  }

  private FlowRefusal give(int flags, Outgoing to, long now) {
    int ackno = to.message().verno() + (to.message().has(ControlFlags.SYN) ? 1 : 0);
    int verno = ControlFlags.has(flags, ControlFlags.SYN) ? 7 : 8;
    ControlMessage message = new ControlMessage(3, 2, flags, 0, verno, ackno, 0x5e12);
    return client.flow.take(message, 0, SHOP, now);
  }

  /** Returns the times at which the third message has left since the SYN-ACK came. */
  private List<Long> times(long until) {
    List<Long> times = new ArrayList<>();
    for (long now = BEGIN; now <= until; now = client.flow.dueAt()) {
      client.flow.due(now);
      while (!client.sent.isEmpty()) {
        Outgoing sent = client.sent.poll();
        assertEquals(ControlFlags.ACK, sent.message().flags());
        assertEquals(End.SERVICE, sent.service());
        assertEquals(101, sent.message().verno());
        assertEquals(8, sent.message().ackno());
        times.add(now - BEGIN);
      }
    }
    return times;
  }

  @Test
  void eachTimeAfterTwiceAsLong() {
    assertEquals(List.of(0L, 200L, 600L, 1_400L, 3_000L, 6_200L), times(1_000_000));
    assertEquals(0, client.flow.unexpected());
  }

  @Test
  void notAfterData() {
    client.flow.heard();
    assertEquals(List.of(0L), times(1_000_000));
  }

  @Test
  void notAfterAMessage() {
    Outgoing third = client.sent.peek();
    assertEquals(FlowRefusal.OK, give(ControlFlags.ACK, third, BEGIN));
    assertEquals(List.of(0L), times(1_000_000));
  }

  /** A SYN-ACK that comes again shows that the third message was lost. */
  @Test
  void stillAfterASecondAnswer() {
    Outgoing third = client.sent.peek();
    give(ControlFlags.SYN | ControlFlags.ACK, third, BEGIN);
    assertEquals(List.of(0L, 0L, 200L, 600L, 1_400L, 3_000L, 6_200L), times(1_000_000));
  }

  /** Behind a FIN the message would have another verno, which proves nothing. */
  @Test
  void notBehindAFin() {
    client.sent.clear();
    client.flow.close(BEGIN + 10);
    assertEquals(ControlFlags.FIN, client.sent.poll().message().flags());
    client.flow.due(BEGIN + Repetition.FIRST);
    assertEquals(List.of(), List.copyOf(client.sent));
  }
}
