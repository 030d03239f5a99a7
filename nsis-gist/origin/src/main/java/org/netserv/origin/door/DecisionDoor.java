// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.door;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.route.Decision;
import org.netserv.origin.route.Director;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/**
 * Answers the web server over HTTP: {@code /decide} with the user's address in {@code
 * NetServ-Client}. 204 means that the web server serves the request, and 403 that the user goes to
 * the base URL in {@code NetServ-Edge}. {@code NetServ-Reason} has the reason of both.
 *
 * <p>A question that is not sound gets 204, so that no mistake here keeps content from users. When
 * many questions wait the listening thread answers, too, and takes no new ones meanwhile.
 */
public final class DecisionDoor implements AutoCloseable {
  static final String CLIENT = "NetServ-Client";
  static final String EDGE = "NetServ-Edge";
  static final String REASON = "NetServ-Reason";

  private static final int THREADS = 4;
  private static final int MOST_WAITING = 256;
  private static final int SERVE = 204;
  private static final int GO = 403;

  private final HttpServer server;
  private final ExecutorService threads;
  private final Director director;
  private final Counters counters;

  private DecisionDoor(HttpServer server, Director director, Counters counters) {
    this.server = server;
    this.director = director;
    this.counters = counters;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(MOST_WAITING),
            task -> {
              Thread thread = new Thread(task, "decide");
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.CallerRunsPolicy());
  }

  /**
   * Listens.
   *
   * @param at an address of the loopback
   */
  public static DecisionDoor open(InetSocketAddress at, Director director, Counters counters)
      throws IOException {
    DecisionDoor door = new DecisionDoor(HttpServer.create(at, MOST_WAITING), director, counters);
    door.server.createContext("/", door::elsewhere);
    door.server.createContext("/decide", door::decide);
    door.server.setExecutor(door.threads);
    door.server.start();
    return door;
  }

  /** Returns the port. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void elsewhere(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(404, -1);
    exchange.close();
  }

  private void decide(HttpExchange exchange) throws IOException {
    counters.add(OriginCounter.ASKED);
    Headers answer = exchange.getResponseHeaders();
    int status = SERVE;
    try {
      Decision decision = director.decide(client(exchange.getRequestHeaders()));
      answer.set(REASON, decision.reason().text());
      if (decision.edge() != null) {
        answer.set(EDGE, decision.edge().base());
        status = GO;
      }
    } catch (BadValueException e) {
      counters.add(OriginCounter.ASKED_BAD);
      answer.set(REASON, "bad");
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private static InetAddress client(Headers headers) throws BadValueException {
    List<String> values = headers.get(CLIENT);
    if (values == null || values.size() != 1) {
      throw new BadValueException("not one " + CLIENT);
    }
    return Addresses.parse(values.get(0).strip());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
