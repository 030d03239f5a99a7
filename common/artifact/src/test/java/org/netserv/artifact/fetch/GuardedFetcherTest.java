// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.artifact.fetch.FetchException.Reason;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

class GuardedFetcherTest {
  private static final int MILLIS = 20_000;
  private static final int SHORT = 300;
  private static final byte[] SECRET =
      "secret words of the server".getBytes(StandardCharsets.UTF_8);
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new TestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void refused(Reason reason, int status, String url, FetchRules rules) {
    try (GuardedFetcher fetcher = new GuardedFetcher(rules, Resolver.SYSTEM, Set.of(), null)) {
      FetchException e = assertThrows(FetchException.class, () -> fetcher.get(url));
      assertEquals(reason, e.reason(), e.getMessage());
      assertEquals(status, e.status());
      assertFalse(e.getMessage().contains("secret"), e.getMessage());
    }
  }

  private static InetAddress literal(String text) {
    try {
      return Addresses.parse(text);
    } catch (BadValueException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private byte[] get(String url, FetchRules rules) throws FetchException {
    try (GuardedFetcher fetcher = new GuardedFetcher(rules, Resolver.SYSTEM, Set.of(), null)) {
      return fetcher.get(url);
    }
  }

  @Test
  void fetches() throws Exception {
    byte[] body = new byte[300_000];
    server.body("/a", body);
    assertArrayEquals(body, get(server.url("/a"), server.rules(300_000, MILLIS)));
  }

  @Test
  void fetchesChunkedAndFollowsRedirects() throws Exception {
    server.on(
        "/chunked",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(SECRET);
          }
        });
    server.redirect("/there", "/chunked");
    server.redirect("/here", server.url("/there"));
    assertArrayEquals(SECRET, get(server.url("/here"), server.rules(1000, MILLIS)));
  }

  @Test
  void refusesLongerThanPermitted() throws Exception {
    server.body("/announced", new byte[1001]);
    refused(Reason.TOO_LARGE, 413, server.url("/announced"), server.rules(1000, MILLIS));
    server.on(
        "/chunked",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 1000; i++) {
              out.write(new byte[1000]);
            }
          }
        });
    refused(Reason.TOO_LARGE, 413, server.url("/chunked"), server.rules(1000, MILLIS));
  }

  @Test
  void endsWhenTheServerHangs() throws Exception {
    server.on("/hang", exchange -> server.hang());
    refused(Reason.TIMEOUT, 504, server.url("/hang"), server.rules(1000, SHORT));
    server.on(
        "/half",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write(1);
          exchange.getResponseBody().flush();
          server.hang();
        });
    refused(Reason.TIMEOUT, 504, server.url("/half"), server.rules(1000, SHORT));
  }

  /** Silence on one connection does not mean a silent server, because loss causes it, too. */
  @Test
  void asksAgainWhereAConnectionFellSilent() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    server.on(
        "/third",
        exchange -> {
          if (asked.incrementAndGet() < GuardedFetcher.MAX_ATTEMPTS) {
            server.hang();
          } else {
            TestServer.reply(exchange, 200, SECRET);
          }
        });
    assertArrayEquals(SECRET, get(server.url("/third"), silentSoon(server.rules(1000, MILLIS))));
    assertEquals(GuardedFetcher.MAX_ATTEMPTS, asked.get());
    server.on("/never", exchange -> server.hang());
    server.requests.set(0);
    refused(Reason.TIMEOUT, 504, server.url("/never"), silentSoon(server.rules(1000, MILLIS)));
    assertEquals(GuardedFetcher.MAX_ATTEMPTS, server.requests.get());
  }

  /** The server may have heard a POST, and would act on it twice. */
  @Test
  void postsOnce() throws Exception {
    server.on("/call", exchange -> server.hang());
    FetchRules rules = silentSoon(server.rules(1000, MILLIS));
    try (GuardedFetcher fetcher = new GuardedFetcher(rules, Resolver.SYSTEM, Set.of(), null)) {
      FetchException e =
          assertThrows(FetchException.class, () -> fetcher.post(server.url("/call"), SECRET));
      assertEquals(Reason.TIMEOUT, e.reason());
    }
    assertEquals(1, server.requests.get());
  }

  private static FetchRules silentSoon(FetchRules rules) {
    return new FetchRules(
        rules.allow(), rules.deny(), rules.ports(), rules.maxBytes(), MILLIS, SHORT, MILLIS);
  }

  @Test
  void endsWhenTheServerDripsForEver() throws Exception {
    server.on(
        "/drip",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 100_000; i++) {
              out.write(1);
              out.flush();
              Thread.sleep(20);
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    FetchRules rules = server.rules(1_000_000, MILLIS);
    // Never silent, but never done either: only the time in all can end it.
    refused(
        Reason.TIMEOUT,
        504,
        server.url("/drip"),
        new FetchRules(rules.allow(), List.of(), rules.ports(), 1_000_000, MILLIS, MILLIS, 1_000));
  }

  @Test
  void namesStatusWithoutTheServersWords() throws Exception {
    server.on("/missing", exchange -> TestServer.reply(exchange, 404, SECRET));
    refused(Reason.STATUS, 502, server.url("/missing"), server.rules(1000, MILLIS));
  }

  @Test
  void checksEveryRedirectAgain() throws Exception {
    server.redirect("/address", "http://169.254.169.254:" + server.port() + "/");
    refused(Reason.ADDRESS, 403, server.url("/address"), server.rules(1000, MILLIS));
    server.redirect("/port", "http://127.0.0.1:1/");
    refused(Reason.PORT, 403, server.url("/port"), server.rules(1000, MILLIS));
    server.redirect("/scheme", "file:///etc/passwd");
    refused(Reason.URL, 403, server.url("/scheme"), server.rules(1000, MILLIS));
    server.redirect("/user", "http://me:secret@127.0.0.1:" + server.port() + "/");
    refused(Reason.URL, 403, server.url("/user"), server.rules(1000, MILLIS));
    server.redirect("/bad", "http://[secret");
    refused(Reason.REDIRECTS, 502, server.url("/bad"), server.rules(1000, MILLIS));
  }

  @Test
  void endsCircles() throws Exception {
    server.redirect("/circle", "/circle");
    refused(Reason.REDIRECTS, 502, server.url("/circle"), server.rules(1000, MILLIS));
    assertEquals(GuardedFetcher.MAX_REDIRECTS + 1, server.requests.get());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://10.0.0.1/",
        "http://[fe80::1]/",
        "http://169.254.169.254/latest",
        "http://0.0.0.0/",
        "http://[64:ff9b::7f00:1]/"
      })
  void refusesAddressesByDefault(String url) {
    refused(Reason.ADDRESS, 403, url, FetchRules.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://example.com/",
        "http:///x",
        "http://a@8.8.8.8/",
        "nonsense",
        "http://127.1/",
        "http://[fe80::1%25eth0]/",
        "http://a b/"
      })
  void refusesUrls(String url) {
    refused(Reason.URL, 403, url, FetchRules.DEFAULT);
  }

  /**
   * The fetcher asks for the name once. A second answer, changed meanwhile, would open a way in.
   */
  @Test
  void connectsToTheAddressThatWasLookedAt() throws Exception {
    server.on(
        "/host",
        exchange ->
            TestServer.reply(
                exchange,
                200,
                exchange.getRequestHeaders().getFirst("Host").getBytes(StandardCharsets.UTF_8)));
    AtomicInteger lookups = new AtomicInteger();
    Resolver rebinding =
        host ->
            List.of(lookups.getAndIncrement() == 0 ? literal("127.0.0.1") : literal("10.0.0.1"));
    try (GuardedFetcher fetcher =
        new GuardedFetcher(server.rules(1000, MILLIS), rebinding, Set.of(), null)) {
      String host = "bundles.example:" + server.port();
      assertEquals(
          host, new String(fetcher.get("http://" + host + "/host"), StandardCharsets.UTF_8));
      assertEquals(1, lookups.get());
    }
  }

  @Test
  void ownAddressesAreRefused() throws Exception {
    Set<InetAddress> own = Set.of(literal("8.8.8.8"));
    try (GuardedFetcher fetcher =
        new GuardedFetcher(FetchRules.DEFAULT, Resolver.SYSTEM, own, null)) {
      FetchException e = assertThrows(FetchException.class, () -> fetcher.get("http://8.8.8.8/"));
      assertEquals(Reason.ADDRESS, e.reason());
    }
  }

  @Test
  void endsWhenTheResolverHangs() throws Exception {
    Resolver hanging =
        host -> {
          server.hang();
          return List.of();
        };
    try (GuardedFetcher fetcher =
        new GuardedFetcher(server.rules(1000, SHORT), hanging, Set.of(), null)) {
      String url = "http://name.example:" + server.port() + "/";
      assertEquals(
          Reason.TIMEOUT, assertThrows(FetchException.class, () -> fetcher.get(url)).reason());
    }
  }

  @Test
  void refusedConnectionAndNoise() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FetchRules rules =
          new FetchRules(
              List.of(Prefix.parse("127.0.0.1/32")),
              List.of(),
              Set.of(socket.getLocalPort()),
              1000,
              MILLIS,
              MILLIS,
              MILLIS);
      String url = "http://127.0.0.1:" + socket.getLocalPort() + "/";
      Thread noise =
          new Thread(
              () -> {
                try (Socket peer = socket.accept()) {
                  peer.getOutputStream()
                      .write("secret noise\r\n\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                  peer.getOutputStream().flush();
                  peer.getInputStream().readAllBytes();
                } catch (IOException e) {
                  // The fetcher has gone. The test asserts its reaction to the noise.
                }
              });
      noise.start();
      refused(Reason.PROTOCOL, 502, url, rules);
      noise.join();
    }
  }

  @Test
  void nobodyListens() throws Exception {
    FetchRules rules = server.rules(1000, MILLIS);
    String url = server.url("/");
    server.close();
    refused(Reason.CONNECT, 502, url, rules);
  }
}
