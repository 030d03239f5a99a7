// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** The JSON gateway of etcd with one lease and one watch, on the loopback interface. */
final class FakeEtcd implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Ends the answer of a watch. */
  static final String END = "end";

  final BlockingQueue<String> watch = new LinkedBlockingQueue<>();
  final Map<String, String> values = new TreeMap<>(); // in base64
  volatile boolean forgetsLeases;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private int leases;

  /** Starts a gateway in the clear. */
  FakeEtcd() throws IOException {
    this(HttpServer.create());
  }

  /** Starts a gateway that asks its clients for certificates. */
  FakeEtcd(SSLContext keys) throws IOException {
    this(secured(keys));
  }

  private FakeEtcd(HttpServer made) throws IOException {
    server = made;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext("/v3/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  private static HttpServer secured(SSLContext keys) throws IOException {
    HttpsServer made = HttpsServer.create();
    made.setHttpsConfigurator(
        new HttpsConfigurator(keys) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters tls = keys.getDefaultSSLParameters();
            tls.setNeedClientAuth(true);
            parameters.setSSLParameters(tls);
          }
        });
    return made;
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath().substring("/v3/".length());
      JsonNode body = JSON.readTree(exchange.getRequestBody());
      if (path.equals("watch")) {
        watch(exchange);
        return;
      }
      byte[] answer = answer(path, body).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private void watch(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    out.write("{\"result\":{\"created\":true}}\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
    try {
      for (String line = watch.take(); !line.equals(END); line = watch.take()) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized String answer(String path, JsonNode body) {
    return switch (path) {
      case "kv/range" -> range();
      case "kv/put" -> {
        values.put(body.path("key").asText(), body.path("value").asText());
        yield "{}";
      }
      case "kv/deleterange" -> {
        values.remove(body.path("key").asText());
        yield "{}";
      }
      case "lease/grant" -> "{\"ID\":\"" + ++leases + "\",\"TTL\":\"3\"}";
      case "lease/keepalive" ->
          forgetsLeases ? "{\"result\":{\"ID\":\"1\"}}" : "{\"result\":{\"TTL\":\"3\"}}";
      default -> {
        values.clear(); // the lease is revoked
        yield "{}";
      }
    };
  }

  private String range() {
    StringBuilder all = new StringBuilder();
    values.forEach((key, value) -> all.append(all.isEmpty() ? "" : ",").append(kv(key, value)));
    return "{\"header\":{\"revision\":\"7\"},\"kvs\":[" + all + "]}";
  }

  private static String kv(String key, String value) {
    return "{\"key\":\"" + key + "\",\"value\":\"" + value + "\",\"mod_revision\":\"8\"}";
  }

  /** Returns the line of an event. */
  static String event(String key, String value) {
    String type = value == null ? "\"type\":\"DELETE\"," : "";
    String text = value == null ? "" : value;
    return "{\"result\":{\"events\":[{"
        + type
        + "\"kv\":"
        + kv(EtcdClient.base64(key), EtcdClient.base64(text))
        + "}]}}";
  }

  synchronized void set(String key, String value) {
    values.put(EtcdClient.base64(key), EtcdClient.base64(value));
  }

  synchronized int leases() {
    return leases;
  }

  synchronized Map<String, String> all() {
    return Map.copyOf(values);
  }

  @Override
  public void close() {
    watch.add(END);
    server.stop(0);
    threads.shutdownNow();
  }
}
