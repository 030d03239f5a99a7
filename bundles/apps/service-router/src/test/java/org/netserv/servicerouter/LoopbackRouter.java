// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.net.Router;

/** A router by its properties, on an address of the loopback interface. */
public final class LoopbackRouter implements Closeable {
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);
  private final Router router;

  /**
   * Opens a router.
   *
   * @param properties names and values
   */
  public LoopbackRouter(Endpoint at, LongSupplier millis, String... properties) throws IOException {
    Map<String, String> all =
        new TreeMap<>(Map.of("listen", text(at), ServiceGrant.PROPERTY, "default"));
    for (int i = 0; i < properties.length; i += 2) {
      all.put(properties[i], properties[i + 1]);
    }
    RouterSettings settings = RouterSettings.of(all);
    router =
        new Router(
            settings.plan(),
            settings.local(),
            null,
            settings.feeding().feeders(new Random(3), millis, tally),
            List.of(),
            new Random(3),
            millis,
            tally);
    router.start();
  }

  /** Returns a free port of 127.0.0.x. */
  public static Endpoint free(int last) throws IOException {
    byte[] address = {127, 0, 0, (byte) last};
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(address))) {
      return Endpoint.ofIpv4(0x7f000000 + last, socket.getLocalPort());
    }
  }

  /** Returns the text of an address in properties. */
  public static String text(Endpoint address) {
    return "127.0.0." + (address.ipv4() & 0xff) + ":" + address.port();
  }

  public long count(Outcome outcome) {
    return tally.get(outcome);
  }

  /** Waits until a counter has a value. */
  public void await(Outcome outcome, long count) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (tally.get(outcome) != count) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(outcome + " is not " + count + ": " + tally.snapshot());
      }
      Thread.sleep(1);
    }
  }

  @Override
  public void close() {
    router.close();
  }
}
