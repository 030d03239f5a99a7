// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A web server of {@link LoadObjects}, with ranges and conditions: {@code LoadOrigin PORT}. Its
 * path {@code /count} tells how many requests it has had, how many for a range, and the bytes sent.
 */
public final class LoadOrigin {
  private static final Pattern PATH = Pattern.compile("/load/[0-9]+/([0-9]{1,6})");
  private static final Pattern RANGE = Pattern.compile("bytes=([0-9]{1,9})-([0-9]{0,9})");
  private static final int PIECE = 1 << 14;

  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong parts = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  private LoadOrigin() {}

  public static void main(String[] args) throws IOException {
    LoadOrigin origin = new LoadOrigin();
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 64);
    server.createContext("/load/", origin::answer);
    server.createContext("/count", origin::count);
    server.setExecutor(Executors.newFixedThreadPool(32));
    server.start();
  }

  private void count(HttpExchange exchange) throws IOException {
    String text =
        "requests=%d parts=%d bytes=%d".formatted(requests.get(), parts.get(), bytes.get());
    byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
    try (exchange) {
      exchange.sendResponseHeaders(200, octets.length);
      exchange.getResponseBody().write(octets);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    try (exchange) {
      Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
      if (!path.matches()) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      answer(exchange, Integer.parseInt(path.group(1)));
    }
  }

  private void answer(HttpExchange exchange, int number) throws IOException {
    long version = LoadObjects.version(number, System.currentTimeMillis());
    String tag = "\"" + version + "\"";
    Headers asked = exchange.getRequestHeaders();
    Headers told = exchange.getResponseHeaders();
    told.set("Cache-Control", "max-age=" + LoadObjects.MAX_AGE);
    told.set("ETag", tag);
    told.set("Surrogate-Key", "group-" + LoadObjects.group(number));
    if (tag.equals(asked.getFirst("If-None-Match"))) {
      exchange.sendResponseHeaders(304, -1);
      return;
    }
    int size = LoadObjects.size(number, version);
    String condition = asked.getFirst("If-Range");
    String range = asked.getFirst("Range");
    Matcher wanted = RANGE.matcher(range == null ? "" : range);
    if (!wanted.matches() || (condition != null && !condition.equals(tag))) {
      exchange.sendResponseHeaders(200, size);
      send(exchange, number, version, 0, size);
      return;
    }
    int from = Integer.parseInt(wanted.group(1));
    int to =
        wanted.group(2).isEmpty() ? size : Math.min(size, Integer.parseInt(wanted.group(2)) + 1);
    if (from >= size) {
      told.set("Content-Range", "bytes */" + size);
      exchange.sendResponseHeaders(416, -1);
      return;
    }
    parts.incrementAndGet();
    told.set("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + size);
    exchange.sendResponseHeaders(206, to - from);
    send(exchange, number, version, from, to);
  }

  private void send(HttpExchange exchange, int number, long version, int from, int to)
      throws IOException {
    byte[] piece = new byte[PIECE];
    OutputStream out = exchange.getResponseBody();
    for (int at = from; at < to; at += PIECE) {
      int count = Math.min(PIECE, to - at);
      LoadObjects.fill(number, version, at, piece, count);
      out.write(piece, 0, count);
      bytes.addAndGet(count);
    }
  }
}
