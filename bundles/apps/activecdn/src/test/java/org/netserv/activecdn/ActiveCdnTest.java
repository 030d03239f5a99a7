// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.net.Fetcher;
import org.netserv.activecdn.net.ScriptedOrigin;

/** The module on real sockets, with an origin that misbehaves byte by byte. */
class ActiveCdnTest {
  private static final int CLIENTS = 50;
  private static final int SECONDS = 60;

  private ScriptedOrigin origin;
  private ActiveCdn module;

  private static Map<String, Object> properties(String origin, String... more) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("origin", origin);
    properties.put("port", "0");
    properties.put("connections-per-address", "1000");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  private void start(ScriptedOrigin.Script script, String... more) throws IOException {
    origin = new ScriptedOrigin(script);
    module = new ActiveCdn(properties(origin.text(), more));
  }

  @AfterEach
  void stop() throws IOException {
    if (module != null) {
      module.deactivate();
    }
    if (origin != null) {
      origin.close();
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] lines(String... lines) {
    return latin(String.join("\r\n", lines));
  }

  private static byte[] head(int length) {
    return latin(headText(length));
  }

  private static String headText(int length) {
    return "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }

  private String get(String path) throws IOException {
    try (Fetcher client = new Fetcher(module.port())) {
      client.get(path, "").head();
      return new String(client.content(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void responsesOnTheDiskOutliveTheModule(@TempDir Path data) throws IOException {
    String home = System.setProperty("user.home", data.toString());
    try {
      start(
          (head, out) -> {
            out.write(head(5));
            out.write(latin("hello"));
            return true;
          },
          "disk-mib",
          "16");
      assertEquals("hello", get("/x"));
      module.deactivate();
      module = new ActiveCdn(properties(origin.text(), "disk-mib", "16"));
      assertEquals("hello", get("/x"));
      assertEquals(1, origin.requests().size());
      module.deactivate();
      module = new ActiveCdn(properties(origin.text()));
      assertEquals("hello", get("/x"));
      assertEquals(2, origin.requests().size(), "without disk-mib nothing is kept");
      try (Stream<Path> left = Files.list(data)) {
        assertEquals(List.of(), left.toList());
      }
      Files.writeString(data.resolve("activecdn-responses"), "a file");
      Map<String, Object> wrong = properties(origin.text(), "disk-mib", "16");
      assertThrows(IOException.class, () -> new ActiveCdn(wrong));
    } finally {
      System.setProperty("user.home", home);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"all stay", "the first leaves", "ranges", "the first of ranges leaves"})
  void fiftyClientsOfAColdObjectReadOneFetchWhileItComes(String what) throws Exception {
    byte[] content = new byte[400_000];
    new Random(1).nextBytes(content);
    CountDownLatch gate = new CountDownLatch(1);
    start(
        (head, out) -> {
          out.write(head(content.length));
          out.write(content, 0, content.length / 2);
          out.flush();
          assertTrue(gate.await(SECONDS, TimeUnit.SECONDS));
          out.write(content, content.length / 2, content.length - content.length / 2);
          return true;
        });
    boolean ranges = what.contains("ranges");
    CountDownLatch began = new CountDownLatch(CLIENTS);
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (Fetcher first = new Fetcher(module.port())) {
      first.get("/cold", ranges ? "Range: bytes=0-\r\n" : "");
      List<Future<byte[]>> bodies = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        String fields = ranges ? "Range: bytes=" + i + "-\r\n" : "";
        bodies.add(
            threads.submit(
                () -> {
                  try (Fetcher client = new Fetcher(module.port())) {
                    client.get("/cold", fields).head();
                    int octet = client.octet();
                    began.countDown();
                    byte[] rest = client.content();
                    byte[] body = new byte[rest.length + 1];
                    body[0] = (byte) octet;
                    System.arraycopy(rest, 0, body, 1, rest.length);
                    return body;
                  }
                }));
      }
      if (what.contains("leaves")) {
        first.head();
        first.octet();
        first.leave();
      }
      assertTrue(began.await(SECONDS, TimeUnit.SECONDS), "the first bytes come before the last");
      gate.countDown();
      for (int i = 0; i < CLIENTS; i++) {
        byte[] expected = ranges ? Arrays.copyOfRange(content, i, content.length) : content;
        assertArrayEquals(expected, bodies.get(i).get(SECONDS, TimeUnit.SECONDS));
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(1, origin.requests().size());
  }

  @Test
  void anOriginThatDiesInTheContentSpoilsNothing() throws IOException {
    AtomicInteger count = new AtomicInteger();
    start(
        (head, out) -> {
          out.write(head(10));
          boolean dies = count.incrementAndGet() == 1;
          out.write(latin(dies ? "01234" : "0123456789"));
          return !dies;
        });
    assertEquals("01234", get("/x"), "short, so that the client notices");
    assertEquals("0123456789", get("/x"));
    assertEquals("0123456789", get("/x"));
    assertEquals(2, origin.requests().size());
  }

  @Test
  void bytesBehindTheLengthNeverReachAnybody() throws IOException {
    start(
        (head, out) -> {
          // At once: what comes after the next request is its response, for nothing tells it apart.
          out.write(latin(headText(5) + "hello" + headText(4) + "evil"));
          return true;
        });
    assertEquals("hello", get("/x"));
    assertEquals("hello", get("/y"));
    assertEquals("hello", get("/x"));
    assertEquals(2, origin.requests().size());
  }

  @Test
  void anOriginThatSendsOctetByOctetIsRead() throws IOException {
    start(
        (head, out) -> {
          byte[] response =
              lines(
                  "HTTP/1.1 103 ",
                  "",
                  "HTTP/1.1 200 OK",
                  "Cache-Control: max-age=100",
                  "ETag: \"1\"",
                  "Content-Length: 5",
                  "",
                  "hello");
          for (byte octet : response) {
            out.write(octet);
            out.flush();
          }
          return true;
        });
    try (Fetcher client = new Fetcher(module.port())) {
      assertTrue(client.get("/x", "").head().startsWith("HTTP/1.1 103 "));
      client.head();
      assertEquals("hello", new String(client.content(), StandardCharsets.ISO_8859_1));
      assertTrue(client.get("/x", "").head().contains("Cache-Status: activecdn; hit; ttl="));
    }
  }

  @Test
  void aRedirectIsTheClientsToFollow() throws IOException {
    start(
        (head, out) -> {
          out.write(
              lines(
                  "HTTP/1.1 302 Found",
                  "Location: http://169.254.169.254/",
                  "Content-Length: 0",
                  "\r\n"));
          return true;
        });
    try (Fetcher client = new Fetcher(module.port())) {
      assertTrue(client.get("/x", "").head().startsWith("HTTP/1.1 302 "));
      client.get("http://169.254.169.254/latest", "");
      assertTrue(client.head().startsWith("HTTP/1.1 302 "), "and the host is not dialed");
    }
    assertEquals(2, origin.requests().size());
  }

  @Test
  void aContentLargerThanTheStoreComesThroughWhole() throws IOException {
    byte[] content = new byte[3_000_000];
    new Random(2).nextBytes(content);
    start(
        (head, out) -> {
          out.write(latin("HTTP/1.1 200 OK\r\nContent-Length: " + content.length + "\r\n\r\n"));
          out.write(content);
          return true;
        },
        "store-kib",
        "100");
    try (Fetcher client = new Fetcher(module.port())) {
      client.get("/x", "").head();
      assertArrayEquals(content, client.content());
    }
  }

  @Test
  void anOriginThatIsNotThereIsABadGateway() throws IOException {
    try (Socket held = new Socket()) { // has the port, but does not listen
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      module = new ActiveCdn(properties("127.0.0.1:" + held.getLocalPort()));
      try (Fetcher client = new Fetcher(module.port())) {
        assertTrue(client.get("/x", "").head().startsWith("HTTP/1.1 502 "));
      }
    }
  }

  @Test
  void newPropertiesTakeEffectAndWrongOnesDoNot() throws IOException {
    start(
        (head, out) -> {
          out.write(head(3));
          out.write(latin("one"));
          return true;
        });
    int port = module.port();
    assertEquals("one", get("/x"));
    assertThrows(IllegalArgumentException.class, () -> module.modified(Map.of("origin", "x")));
    assertEquals(port, module.port());
    assertEquals("one", get("/x"));
    module.modified(Map.of("origin", origin.text(), "port", "0", "hosts", "b"));
    try (Fetcher client = new Fetcher(module.port())) {
      assertTrue(client.get("/x", "").head().startsWith("HTTP/1.1 421 "));
    }
  }
}
