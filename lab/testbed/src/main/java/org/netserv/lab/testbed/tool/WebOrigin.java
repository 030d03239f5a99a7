// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A publisher's web server: {@code WebOrigin PORT}.
 *
 * <pre>
 *   /fast/NAME     128 KiB at once          fresh for a minute; byte i is i modulo 251
 *   /slow/NAME     the same, over a second
 *   /sized/BYTES   so many bytes, at most 16 MiB, fresh for an hour
 *   /count         the number of other requests until now
 * </pre>
 */
public final class WebOrigin {
  /** Bytes of an object. */
  static final int SIZE = 131_072;

  /** Byte i of an object is i modulo this. */
  static final int PERIOD = 251;

  private static final int MOST = 16 << 20;
  private static final int PIECES = 10;
  private static final long PAUSE_MILLIS = 100;

  private final AtomicLong requests = new AtomicLong();

  private WebOrigin() {}

  public static void main(String[] args) throws IOException {
    start(new InetSocketAddress(Integer.parseInt(args[0])));
  }

  /** Starts a web server at that address. */
  static HttpServer start(InetSocketAddress address) throws IOException {
    WebOrigin origin = new WebOrigin();
    HttpServer server = HttpServer.create(address, 64);
    server.createContext("/fast/", exchange -> origin.answer(exchange, 0));
    server.createContext("/slow/", exchange -> origin.answer(exchange, PAUSE_MILLIS));
    server.createContext("/sized/", origin::sized);
    server.createContext("/count", origin::count);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.start();
    return server;
  }

  private void answer(HttpExchange exchange, long pause) throws IOException {
    requests.incrementAndGet();
    try (exchange) {
      exchange.getResponseHeaders().set("Cache-Control", "max-age=60");
      exchange.getResponseHeaders().set("ETag", "\"1\"");
      exchange.sendResponseHeaders(200, SIZE);
      OutputStream out = exchange.getResponseBody();
      for (int piece = 0; piece < PIECES; piece++) {
        int from = SIZE / PIECES * piece;
        int to = piece == PIECES - 1 ? SIZE : from + SIZE / PIECES;
        byte[] bytes = new byte[to - from];
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = (byte) ((from + i) % PERIOD);
        }
        out.write(bytes);
        out.flush();
        pause(pause);
      }
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private void sized(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String path = exchange.getRequestURI().getPath();
    try (exchange) {
      if (!path.matches("/sized/[1-9][0-9]{0,7}")) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      byte[] bytes = new byte[Math.min(MOST, Integer.parseInt(path.substring("/sized/".length())))];
      exchange.getResponseHeaders().set("Cache-Control", "max-age=3600");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private void count(HttpExchange exchange) throws IOException {
    byte[] text = Long.toString(requests.get()).getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(200, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }
}
