// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.sim.SimClock;

class RateLimiterTest {
  private static final int RATE = 100;
  private static final int BURST = 10;

  private final SimClock clock = new SimClock();
  private final TimerWheel wheel = new TimerWheel(clock);
  private final GistCounters counters = new GistCounters();
  private final List<Integer> sent = new ArrayList<>();
  private final RateLimiter limiter = new RateLimiter(new Port(), wheel, RATE, BURST, counters);

  private final class Port implements DatagramPort {
    @Override
    public void send(OutboundDatagram datagram) {
      sent.add(datagram.sourcePort());
    }

    @Override
    public void forward(long token) {
      throw new AssertionError();
    }

    @Override
    public void forward(long token, byte[] payload) {
      throw new AssertionError();
    }

    @Override
    public void consume(long token) {
      throw new AssertionError();
    }

    @Override
    public void listen(Listener listener) {
      throw new AssertionError();
    }
  }

  private static OutboundDatagram datagram(int number) {
    InetAddress nowhere = InetAddress.getLoopbackAddress();
    return new OutboundDatagram(null, number, nowhere, 270, 64, 0, 0, -1, new byte[0]);
  }

  @Test
  void aBurstWaitsInOrder() {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(i);
      assertTrue(limiter.send(datagram(i)));
    }
    assertEquals(BURST, sent.size());
    clock.pass(400);
    assertEquals(all, sent);
    assertEquals(40, counters.get(Counter.SEND_QUEUED));
    assertEquals(0, counters.get(Counter.SEND_OVERFLOW));
    assertEquals(0, clock.pending());
  }

  @Test
  void theRateHoldsInTheLongRun() {
    for (int second = 0; second < 20; second++) {
      for (int i = 0; i < 2 * RATE; i++) {
        limiter.send(datagram(i));
      }
      clock.pass(1000);
    }
    assertTrue(sent.size() <= 20 * RATE + BURST, sent.size() + " sent");
    assertTrue(sent.size() >= 20 * RATE, sent.size() + " sent");
  }

  @Test
  void theQueueEnds() {
    int accepted = 0;
    for (int i = 0; i < 1000; i++) {
      accepted += limiter.send(datagram(i)) ? 1 : 0;
    }
    assertEquals(BURST + 4 * RATE, accepted);
    assertEquals(1000 - accepted, counters.get(Counter.SEND_OVERFLOW));
  }

  @Test
  void answersToStrangersDoNotHoldUpOurOwn() {
    for (int i = 0; i < 1000; i++) {
      limiter.answer(datagram(0));
    }
    assertFalse(limiter.answer(datagram(0)));
    assertTrue(limiter.send(datagram(1)));
    clock.pass(20);
    assertTrue(sent.contains(1), "it is among the next two");
  }
}
