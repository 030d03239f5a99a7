// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.dashboard;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves the page, its files and the stream of events. Nothing can be changed by it.
 *
 * <p>Who may look: whoever has the token, which the command prints. The link with the token leads
 * to a cookie, so that the token does not stay in the address. The Host has to be the address that
 * the server listens at, so that no other site's name leads here (DNS rebinding).
 */
public final class DashboardServer implements AutoCloseable {
  /** The most who look at once. */
  static final int VIEWERS = 16;

  private static final int TOKEN = 16; // bytes
  private static final String COOKIE = "netserv-dashboard";
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Map<String, String> FILES =
      Map.of(
          "/", "text/html; charset=utf-8",
          "/app.js", "text/javascript; charset=utf-8",
          "/style.css", "text/css; charset=utf-8");

  private final HttpServer server;
  private final ExecutorService threads;
  private final Feed feed;
  private final String token;
  private final String host;

  /**
   * Listens.
   *
   * @param address to listen at, port 0 = any
   * @param source of a JSON document on one line, also when the node does not answer
   */
  public DashboardServer(InetSocketAddress address, Supplier<String> source) throws IOException {
    byte[] random = new byte[TOKEN];
    new SecureRandom().nextBytes(random);
    token = HexFormat.of().formatHex(random);
    server = HttpServer.create(address, VIEWERS);
    String name = server.getAddress().getAddress().getHostAddress();
    host = (name.contains(":") ? "[" + name + "]" : name) + ":" + server.getAddress().getPort();
    feed = new Feed(source);
    threads =
        new ThreadPoolExecutor(
            0,
            2 * VIEWERS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            DashboardServer::thread);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "dashboard");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the link that opens the page. */
  public String link() {
    return "http://" + host + "/?token=" + token;
  }

  /** Returns the number of those who watch. */
  int watching() {
    return feed.watching();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Security-Policy", POLICY);
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cache-Control", "no-store");
      String path = exchange.getRequestURI().getPath();
      if (!exchange.getRequestMethod().equals("GET")) {
        headers.set("Allow", "GET");
        text(exchange, 405, "the dashboard is read-only");
      } else if (!host.equals(exchange.getRequestHeaders().getFirst("Host"))) {
        text(exchange, 421, "ask for http://" + host);
      } else if (("token=" + token).equals(exchange.getRequestURI().getRawQuery())) {
        headers.set("Set-Cookie", COOKIE + "=" + token + "; HttpOnly; SameSite=Strict; Path=/");
        headers.set("Location", "/");
        exchange.sendResponseHeaders(303, -1);
      } else if (!isAllowed(exchange)) {
        text(exchange, 403, "open the link that netserv dashboard has printed");
      } else if (path.equals("/favicon.ico")) {
        exchange.sendResponseHeaders(204, -1); // browsers ask for it, and log an error otherwise
      } else if (path.equals("/events")) {
        events(exchange);
      } else if (FILES.containsKey(path)) {
        file(exchange, path);
      } else {
        text(exchange, 404, "there is nothing of that name");
      }
    }
  }

  private boolean isAllowed(HttpExchange exchange) {
    byte[] wanted = bytes(COOKIE + "=" + token);
    boolean allowed = false;
    for (String line : exchange.getRequestHeaders().getOrDefault("Cookie", List.of())) {
      for (String cookie : line.split("; *", -1)) {
        allowed |= MessageDigest.isEqual(wanted, bytes(cookie));
      }
    }
    return allowed;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void text(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, "text/plain; charset=utf-8", bytes(text + "\n"));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private static void file(HttpExchange exchange, String path) throws IOException {
    String name = path.equals("/") ? "index.html" : path.substring(1);
    try (InputStream in = DashboardServer.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the build lacks " + name);
      }
      send(exchange, 200, FILES.get(path), in.readAllBytes());
    }
  }

  private void events(HttpExchange exchange) throws IOException {
    long seen = feed.join();
    try {
      if (feed.watching() > VIEWERS) {
        text(exchange, 503, VIEWERS + " look already");
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      out.flush(); // on JDK 25 the head would wait for the first document
      for (Feed.Event event = feed.next(seen); event != null; event = feed.next(seen)) {
        seen = event.number();
        out.write(event.bytes());
        out.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      feed.leave();
    }
  }

  @Override
  public void close() {
    feed.close();
    server.stop(0);
    threads.shutdownNow();
  }
}
