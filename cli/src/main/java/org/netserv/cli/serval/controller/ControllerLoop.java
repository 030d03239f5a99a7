// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.netserv.cli.serval.Sald;
import org.netserv.command.JsonCommand;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.Router;

/**
 * Joins a {@link HostController} to sald. When sald ends, the loop waits and connects again.
 *
 * <pre>
 *   router address=... registration=signed, for each router
 *   hear
 *   services -> offers -> HostController -> tell
 *   heard, route -------> HostController
 * </pre>
 */
public final class ControllerLoop implements Closeable {
  private static final System.Logger LOG = System.getLogger(ControllerLoop.class.getName());
  private static final long MOST_MILLIS = 1000;
  private static final int END_SECONDS = 3;

  /** Programs that listen on all addresses are asked at that of sal0, where clients come from. */
  private static final String INSIDE = "198.18.0.1";

  private final ControllerSettings settings;
  private final HostController controller;
  private final ExecutorService checkers;
  private final Thread thread = new Thread(this::run, "controller");
  private Conversation sald;
  private String lastTrouble = "";
  private volatile boolean ends;

  private ControllerLoop(ControllerSettings settings) {
    this.settings = settings;
    checkers = Executors.newCachedThreadPool(ControllerLoop::daemon);
    controller =
        new HostController(
            settings.routers(),
            this::check,
            new SecureRandom(),
            this::tell,
            line -> LOG.log(System.Logger.Level.INFO, line));
  }

  /** Starts a controller on a thread of its own. */
  public static ControllerLoop start(ControllerSettings settings) {
    ControllerLoop loop = new ControllerLoop(settings);
    loop.thread.start();
    return loop;
  }

  private static Thread daemon(Runnable work) {
    Thread made = new Thread(work, "check");
    made.setDaemon(true);
    return made;
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private BooleanSupplier check(Offer offer) {
    for (Check check : settings.checks()) {
      if (check.prefix().equals(offer.prefix()) && !offer.target().isEmpty()) {
        return check.of(program(offer.target()), checkers);
      }
    }
    return null;
  }

  private static InetSocketAddress program(String target) {
    InetSocketAddress address = Addresses.socketAddress(Texts.endpoint(target, 1));
    InetAddress ip = address.getAddress();
    return ip.isAnyLocalAddress() ? new InetSocketAddress(INSIDE, address.getPort()) : address;
  }

  // ---- sald

  private void run() {
    while (!ends) {
      try (Conversation made = Conversation.open(settings.sald(), settings.socket())) {
        sald = made;
        begin();
        serve();
      } catch (IOException | RuntimeException e) {
        trouble(String.valueOf(e.getMessage())); // a bad line ends the conversation, too
      }
      sald = null;
      pause();
    }
  }

  private void begin() throws IOException {
    for (Router router : settings.routers()) {
      String address = Sald.encode(Texts.print(router.address()));
      need("router address=" + address + " registration=signed");
    }
    need("hear");
    LOG.log(System.Logger.Level.INFO, "sald answers");
    lastTrouble = "";
  }

  private void need(String order) throws IOException {
    String reply = sald.ask(order);
    if (!reply.equals("ok")) {
      throw new IOException(order + ": " + Sald.decode(reply));
    }
  }

  private void serve() throws IOException {
    while (!ends) {
      String event = sald.event(Math.max(0, Math.min(MOST_MILLIS, controller.dueAt() - now())));
      if (event != null) {
        take(event);
      }
      controller.due(now());
    }
    controller.close(now());
  }

  private void take(String event) throws IOException {
    Map<String, String> pairs = Sald.pairs(event);
    switch (event.split(" ", 2)[0]) {
      case "services" -> {
        String view = sald.ask("offers");
        controller.offers(Offer.read(JsonCommand.MAPPER.readTree(view)), now());
      }
      case "route" -> controller.route(endpoint(pairs, "router"), endpoint(pairs, "own"), now());
      case "heard" -> {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(pairs.get("bytes")));
        ServiceId id = ServiceId.parse(pairs.get("id"));
        controller.heard(endpoint(pairs, "from"), id, bytes, now());
      }
      case "" -> {} // woken up
      default -> trouble(event); // a message of the program itself, on standard error
    }
  }

  private static Endpoint endpoint(Map<String, String> pairs, String key) {
    return Texts.endpoint(pairs.get(key), 1);
  }

  /** Sends a message to a router. One that sald refuses is repeated by the timer of its service. */
  private void tell(ServicePrefix service, Router router, ByteBuffer message) {
    if (sald == null) {
      return; // sald is away
    }
    byte[] bytes = new byte[message.capacity()];
    message.get(0, bytes);
    String order =
        "tell to=%s id=%s bytes=%s"
            .formatted(
                Sald.encode(Texts.print(router.address())),
                Sald.encode(Texts.print(service)),
                HexFormat.of().formatHex(bytes));
    try {
      String reply = sald.ask(order);
      if (!reply.equals("ok")) {
        trouble(Texts.shortened(service) + ": " + Sald.decode(reply));
      }
    } catch (IOException e) {
      trouble(e.getMessage()); // the loop finds the end of sald by itself
    }
  }

  /** Tells the log of a trouble once. */
  private void trouble(String text) {
    if (!text.equals(lastTrouble)) {
      LOG.log(System.Logger.Level.WARNING, text);
    }
    lastTrouble = text;
  }

  private void pause() {
    long until = now() + MOST_MILLIS;
    while (!ends && now() < until) {
      controller.due(now());
      try {
        Thread.sleep(MOST_MILLIS / 10);
      } catch (InterruptedException e) {
        return; // close() wakes the thread
      }
    }
  }

  /** Withdraws all services, and ends the thread. */
  @Override
  public void close() {
    ends = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    checkers.shutdownNow();
  }
}
