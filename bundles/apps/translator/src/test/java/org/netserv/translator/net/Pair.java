// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.netserv.packet.Tally;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.Router;
import org.netserv.servicerouter.ServiceRouter;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.Plan;

/**
 * Two translators in a row on the loopback interface, with a service router between them.
 *
 * <pre>
 *   client -- TCP --> near -- SYN --> router -- SYN --> far -- TCP --> server
 * </pre>
 */
final class Pair implements AutoCloseable {
  static final ServiceId SHOP = ServiceId.parse("00004001");
  static final Limits LIMITS = new Limits(1000, 1000, 5000, 20_000, 64 * 1024, 0);

  final ServerSocket server;
  final Tally<Outcome> nearTally = new Tally<>(Outcome.class);
  final Tally<Outcome> farTally = new Tally<>(Outcome.class);
  final Server near;
  final Server far;
  private final ServiceRouter router;
  private final InetSocketAddress routerAddress = free(50);
  private final InetSocketAddress nearAddress = free(51);
  private final int port;

  Pair(Limits nearLimits, Limits farLimits) throws IOException {
    server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    router =
        new ServiceRouter(
            new HashMap<>(
                Map.of(
                    "listen", text(routerAddress),
                    "netserv.serval", "default",
                    "registrations", "0000")),
            null);
    port = freeTcp();
    near = new Server(nearPlan(nearLimits), nearTally);
    Plan.Host host = host(free(52));
    InetSocketAddress to = (InetSocketAddress) server.getLocalSocketAddress();
    far = new Server(new Plan(host, Map.of(), Map.of(SHOP, to), Names.NONE, farLimits), farTally);
  }

  Plan nearPlan(Limits limits) {
    return new Plan(
        host(nearAddress),
        Map.of(new Plan.Destination(null, port), SHOP),
        Map.of(),
        Names.NONE,
        limits);
  }

  private Plan.Host host(InetSocketAddress address) {
    return new Plan.Host(address, address, routerAddress, Router.PUBLISHED);
  }

  static InetSocketAddress free(int host) throws IOException {
    InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host});
    try (DatagramSocket socket = new DatagramSocket(0, address)) {
      return new InetSocketAddress(address, socket.getLocalPort());
    }
  }

  private static int freeTcp() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    return socket;
  }

  SocketChannel connectChannel() throws IOException {
    return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  Socket accept() throws IOException {
    server.setSoTimeout(20_000);
    Socket socket = server.accept();
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Waits until a counter has a value. */
  static void await(Tally<Outcome> tally, Outcome outcome, long count) throws Exception {
    for (int i = 0; i < 1000 && tally.get(outcome) < count; i++) {
      Thread.sleep(20);
    }
    assertEquals(count, tally.get(outcome), outcome + " " + tally.snapshot());
  }

  /** Waits until something holds. */
  static void until(BooleanSupplier holds) throws InterruptedException {
    for (int i = 0; i < 1000 && !holds.getAsBoolean(); i++) {
      Thread.sleep(20);
    }
    assertTrue(holds.getAsBoolean());
  }

  @Override
  public void close() throws IOException {
    near.close();
    far.close();
    router.deactivate();
    server.close();
  }
}
