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
import org.netserv.gist.routing.RateLimiter.Rank;
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
      assertTrue(limiter.send(Rank.OWN, datagram(i)));
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
        limiter.send(Rank.OWN, datagram(i));
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
      accepted += limiter.send(Rank.OWN, datagram(i)) ? 1 : 0;
    }
    assertEquals(BURST + 4 * RATE, accepted);
    assertEquals(1000 - accepted, counters.get(Counter.SEND_OVERFLOW));
  }

  @Test
  void answersToStrangersDoNotHoldUpOurOwn() {
    for (int i = 0; i < 1000; i++) {
      limiter.send(Rank.ANSWER, datagram(0));
    }
    assertFalse(limiter.send(Rank.ANSWER, datagram(0)));
    assertTrue(limiter.send(Rank.OWN, datagram(1)));
    clock.pass(20);
    assertTrue(sent.contains(1), "it is among the next two");
  }

  @Test
  void whatKeepsUpSessionsGoesFirst() {
    for (int i = 0; i < 300; i++) {
      limiter.send(Rank.OWN, datagram(0));
      limiter.send(Rank.ANSWER, datagram(0));
    }
    sent.clear();
    for (int i = 1; i <= 5; i++) {
      assertTrue(limiter.send(Rank.UPKEEP, datagram(i)));
    }
    assertEquals(50, limiter.delay(Rank.UPKEEP));
    clock.pass(60);
    assertEquals(List.of(1, 2, 3, 4, 5), sent.subList(0, 5));
    assertEquals(0, limiter.delay(Rank.UPKEEP));
    assertTrue(limiter.delay(Rank.OWN) > 1000, limiter.delay(Rank.OWN) + " ms");
  }

  @Test
  void theOthersHaveWhatIsLeft() {
    for (int second = 0; second < 10; second++) {
      for (int i = 0; i < RATE / 2; i++) {
        limiter.send(Rank.UPKEEP, datagram(1));
        limiter.send(Rank.OWN, datagram(2));
        limiter.send(Rank.ANSWER, datagram(3));
      }
      clock.pass(1000);
    }
    assertEquals(10 * RATE / 2, sent.stream().filter(n -> n == 1).count());
    long own = sent.stream().filter(n -> n == 2).count();
    long answers = sent.stream().filter(n -> n == 3).count();
    assertTrue(own >= 2 * RATE && answers >= 2 * RATE, own + " and " + answers);
  }
}
