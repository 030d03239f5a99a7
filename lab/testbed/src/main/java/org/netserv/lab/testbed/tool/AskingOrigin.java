// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;

/**
 * A publisher's web server in Java that asks the director as nginx does: {@code AskingOrigin PORT
 * DIRECTOR}. A user with an edge is sent there by 307, and any other gets a line of text.
 */
public final class AskingOrigin {
  private static final int GO = 403;
  private static final Duration PATIENCE = Duration.ofMillis(200);
  private static final byte[] CONTENT = "served here\n".getBytes(StandardCharsets.US_ASCII);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final URI director;

  private AskingOrigin(URI director) {
    this.director = director;
  }

  public static void main(String[] args) throws IOException {
    AskingOrigin origin = new AskingOrigin(URI.create(args[1]));
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 64);
    server.createContext("/", origin::answer);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
    System.out.println("ready");
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Optional<String> edge = edge(exchange.getRemoteAddress().getAddress().getHostAddress());
      if (edge.isPresent()) {
        exchange.getResponseHeaders().set("Location", edge.get() + exchange.getRequestURI());
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(307, -1);
        return;
      }
      exchange.sendResponseHeaders(200, CONTENT.length);
      exchange.getResponseBody().write(CONTENT);
    }
  }

  /** Asks the director. Without an answer in time the user is served here. */
  private Optional<String> edge(String user) {
    HttpRequest question =
        HttpRequest.newBuilder(director).timeout(PATIENCE).header("NetServ-Client", user).build();
    try {
      HttpResponse<Void> answer = client.send(question, HttpResponse.BodyHandlers.discarding());
      return answer.statusCode() == GO
          ? answer.headers().firstValue("NetServ-Edge")
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
