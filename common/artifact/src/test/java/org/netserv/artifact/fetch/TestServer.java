// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.netserv.values.Prefix;

/** A web server on 127.0.0.1, and rules that let requests reach it and nothing else. */
public final class TestServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Requests that arrived. */
  public final AtomicInteger requests = new AtomicInteger();

  public TestServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  /** The server's reaction to a request. */
  public interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  public void on(String path, Handler handler) {
    server.createContext(
        path,
        exchange -> {
          requests.incrementAndGet();
          handler.handle(exchange);
          exchange.close();
        });
  }

  public void body(String path, byte[] body) {
    on(path, exchange -> reply(exchange, 200, body));
  }

  public void redirect(String path, String location) {
    on(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Location", location);
          exchange.sendResponseHeaders(302, -1);
        });
  }

  public static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  /** Says nothing until the test is over. */
  public void hang() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  public FetchRules rules(long maxBytes, int millis) throws Exception {
    return new FetchRules(
        List.of(Prefix.parse("127.0.0.1/32")),
        List.of(),
        Set.of(port()),
        maxBytes,
        millis,
        millis,
        millis);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
