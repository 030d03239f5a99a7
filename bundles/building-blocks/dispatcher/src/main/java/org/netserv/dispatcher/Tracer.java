// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.netserv.dispatcher.TracedPacket.Step;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Verdict;

/** Records packets on the packet thread until it has enough; another thread waits for them. */
final class Tracer {
  private final List<TracedPacket> done = new ArrayList<>();
  private final CountDownLatch missing;
  private final List<Step> steps = new ArrayList<>();
  private TracedPacket current;

  Tracer(int count) {
    missing = new CountDownLatch(count);
  }

  void begin(long seq, Packet packet) {
    steps.clear();
    current =
        new TracedPacket(
            seq,
            endpoint(packet.sourceHigh(), packet.sourceLow(), packet.sourcePort()),
            endpoint(packet.destinationHigh(), packet.destinationLow(), packet.destinationPort()),
            packet.protocol(),
            packet.length(),
            List.of(),
            "");
  }

  /** A null verdict is a failure. */
  void step(Module module, Verdict verdict, String reason) {
    steps.add(new Step(module.name, verdict == null ? "ERROR" : verdict.name(), reason));
  }

  void end(int code) {
    TracedPacket p = current;
    synchronized (done) {
      if (missing.getCount() == 0) {
        return;
      }
      done.add(
          new TracedPacket(
              p.seq(), p.source(), p.destination(), p.protocol(), p.length(), steps, name(code)));
    }
    missing.countDown();
  }

  List<TracedPacket> await(Duration timeout) throws InterruptedException {
    boolean all = missing.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    synchronized (done) {
      while (!all && missing.getCount() > 0) {
        missing.countDown(); // too late for more
      }
      return List.copyOf(done);
    }
  }

  private static String name(int code) {
    String verdict =
        switch (code & Ring.VERDICT_MASK) {
          case Ring.DROP -> "DROP";
          case Ring.CHANGED -> "CHANGED";
          case Ring.STOLEN -> "STOLEN";
          default -> "PASS";
        };
    int seconds = code >>> Ring.SECONDS_SHIFT;
    return seconds == 0 ? verdict : verdict + ", the flow for " + seconds + " s";
  }

  private static String endpoint(long high, long low, int port) {
    try {
      byte[] address = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
      InetAddress ip = InetAddress.getByAddress(address);
      String text = ip.getHostAddress();
      return port < 0 ? text : address(ip, text) + ":" + port;
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String address(InetAddress ip, String text) {
    return ip.getAddress().length == 4 ? text : "[" + text + "]";
  }
}
