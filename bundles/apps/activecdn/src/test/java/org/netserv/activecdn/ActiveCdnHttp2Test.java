// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.activecdn.net.ScriptedOrigin;

/** The module over HTTP/2 on real sockets, with the JDK's client. */
class ActiveCdnHttp2Test {
  private static final byte[] CONTENT = new byte[200_000];
  private static final int CLIENTS = 50;

  /** Windows of the JDK's client that are smaller than a content, and than all of them. */
  private static final Map<String, String> WINDOWS =
      Map.of("jdk.httpclient.windowsize", "65536", "jdk.httpclient.connectionWindowSize", "131072");

  private static final AtomicInteger asked = new AtomicInteger();
  private static ScriptedOrigin origin;
  private static ActiveCdn module;
  private static HttpClient client;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    WINDOWS.forEach(System::setProperty);
    new Random(1).nextBytes(CONTENT);
    origin =
        new ScriptedOrigin(
            (head, out) -> {
              asked.incrementAndGet();
              if (head.contains("/cut")) {
                out.write(latin("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"));
                return false;
              }
              if (head.startsWith("POST ")) {
                out.write(latin("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"));
                return true;
              }
              String fields = "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nContent-Length: ";
              out.write(latin(fields + CONTENT.length + "\r\nX-Two: a\r\nX-Two: b\r\n\r\n"));
              out.write(CONTENT);
              return true;
            });
    Path file = directory.resolve("keys.p12");
    TestKeys.add(file, "edge", "EC", "dns:localhost,ip:127.0.0.1");
    module = TestKeys.module(origin, file);
    client = HttpClient.newBuilder().sslContext(TestKeys.trusting()).build();
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @AfterAll
  static void stop() throws IOException {
    WINDOWS.keySet().forEach(System::clearProperty);
    module.deactivate();
    origin.close();
  }

  private static HttpRequest.Builder ask(String path) {
    return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + module.tlsPort() + path));
  }

  private static HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
    return client.send(ask(path).build(), BodyHandlers.ofByteArray());
  }

  @Test
  void missesAndHitsAreTheOriginsBytes() throws IOException, InterruptedException {
    for (String status : List.of("fwd=uri-miss", "hit")) {
      HttpResponse<byte[]> response = get("/first");
      assertEquals(HttpClient.Version.HTTP_2, response.version());
      assertEquals(200, response.statusCode());
      assertArrayEquals(CONTENT, response.body());
      assertTrue(response.headers().firstValue("cache-status").orElse("").contains(status));
      assertEquals(List.of("a", "b"), response.headers().allValues("x-two"));
      assertTrue(response.headers().firstValue("connection").isEmpty());
    }
  }

  @Test
  void manyStreamsOfOneConnectionShareOneFetch() {
    int before = asked.get();
    List<CompletableFuture<HttpResponse<byte[]>>> responses = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      responses.add(client.sendAsync(ask("/many").build(), BodyHandlers.ofByteArray()));
    }
    for (var response : responses) {
      assertArrayEquals(CONTENT, response.join().body());
    }
    assertEquals(before + 1, asked.get());
  }

  @Test
  void headHasNoContent() throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(
            ask("/x").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofByteArray());
    assertEquals(200, response.statusCode());
    assertEquals(0, response.body().length);
    assertEquals(CONTENT.length, response.headers().firstValueAsLong("content-length").orElse(0));
  }

  @Test
  void rangesAreParts() throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(ask("/x").header("Range", "bytes=5-8").build(), BodyHandlers.ofByteArray());
    assertEquals(206, response.statusCode());
    assertEquals(4, response.body().length);
  }

  @Test
  void contentOfRequestsReachesTheOrigin() throws IOException, InterruptedException {
    for (var body : List.of(BodyPublishers.ofByteArray(CONTENT), BodyPublishers.noBody())) {
      HttpResponse<byte[]> response =
          client.send(ask("/post").POST(body).build(), BodyHandlers.ofByteArray());
      assertEquals(201, response.statusCode());
    }
  }

  @Test
  void aResponseThatBreaksIsCut() {
    assertThrows(IOException.class, () -> get("/cut"));
  }

  @Test
  void ordersNeedTheirSecret() throws IOException, InterruptedException {
    assertEquals(200, get("/.activecdn/purge").statusCode()); // without a secret it is a path
  }
}
