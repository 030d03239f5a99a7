// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Viewers with and without the token, and the documents that they get. */
class DashboardServerTest {
  private static final AtomicInteger asked = new AtomicInteger();
  private static DashboardServer server;
  private static URI link;

  @BeforeAll
  static void start() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = new DashboardServer(any, () -> "{\"number\":" + asked.incrementAndGet() + "}");
    link = URI.create(server.link());
  }

  @AfterAll
  static void stop() { // takes a second, so all tests have one server
    server.close();
  }

  private Socket send(String request) throws IOException {
    Socket socket = new Socket(link.getHost(), link.getPort());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private String get(String path, String... fields) throws IOException {
    return request("GET", path, "Host: " + link.getAuthority(), fields);
  }

  private String request(String method, String path, String host, String... fields)
      throws IOException {
    String head = method + " " + path + " HTTP/1.1\r\n" + host + "\r\nConnection: close\r\n";
    String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
    try (Socket socket = send(head + more + "\r\n")) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String cookie() {
    return "Cookie: other=1; netserv-dashboard=" + link.getQuery().substring("token=".length());
  }

  @Test
  void theLinkLeadsToACookieAndToAnAddressWithoutTheToken() throws IOException {
    String answer = get("/?" + link.getQuery());
    assertTrue(answer.startsWith("HTTP/1.1 303 "), answer);
    assertTrue(answer.contains("\nLocation: /\r\n"), answer);
    assertTrue(answer.contains("HttpOnly; SameSite=Strict"), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/app.js", "/style.css"})
  void thePageIsWholeAndLoadsNothingFromElsewhere(String path) throws IOException {
    String answer = get(path, cookie());
    assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    assertTrue(answer.contains("\nContent-security-policy: default-src 'none'; "), answer);
    String body = answer.substring(answer.indexOf("\r\n\r\n"));
    assertFalse(body.replace("http://www.w3.org/2000/svg", "").contains("//www"), body);
    assertFalse(body.contains("innerHTML"), body);
    assertFalse(body.contains("style="), "the policy forbids styles in the markup");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/app.js", "/events", "/?token=", "/?token=00", "/nothing"})
  void withoutTheTokenThereIsNothing(String path) throws IOException {
    assertTrue(get(path).startsWith("HTTP/1.1 403 "), path);
    assertTrue(get(path, "Cookie: netserv-dashboard=00").startsWith("HTTP/1.1 403 "), path);
  }

  @Test
  void anotherNameOfTheServerIsRefused() throws IOException {
    String answer = request("GET", "/", "Host: evil.example:" + link.getPort(), cookie());
    assertTrue(answer.startsWith("HTTP/1.1 421 "), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS"})
  void nothingCanBeChanged(String method) throws IOException {
    String answer = request(method, "/", "Host: " + link.getAuthority(), cookie());
    assertTrue(answer.startsWith("HTTP/1.1 405 "), answer);
  }

  @Test
  void whatIsNotThereIsNotFound() throws IOException {
    assertTrue(get("/index.html", cookie()).startsWith("HTTP/1.1 404 "));
    assertTrue(get("/../app.js", cookie()).startsWith("HTTP/1.1 404 "));
  }

  private BufferedReader watch() throws IOException {
    String host = "Host: " + link.getAuthority();
    Socket socket = send("GET /events HTTP/1.1\r\n" + host + "\r\n" + cookie() + "\r\n\r\n");
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Reads the next document, and returns its number. */
  private static int number(BufferedReader from) throws IOException {
    String line = from.readLine();
    while (!line.startsWith("data: ")) {
      line = from.readLine();
    }
    return Integer.parseInt(line.replaceAll("[^0-9]", ""));
  }

  /** The server notices a viewer that has gone when it writes the next documents. */
  private static void awaitNobody() throws InterruptedException {
    while (server.watching() > 0) {
      Thread.sleep(10);
    }
  }

  @Test
  void allWhoWatchGetTheSameDocumentsAndNobodyAsksOtherwise() throws Exception {
    awaitNobody();
    int before = asked.get();
    Thread.sleep(1_200); // longer than a period
    assertTrue(asked.get() <= before + 1, "nobody watches"); // one may have been under way
    try (BufferedReader one = watch();
        BufferedReader other = watch()) {
      int first = number(one);
      int second = number(other);
      while (first != second) { // one of them may have come a document earlier
        first = first < second ? number(one) : first;
        second = second < first ? number(other) : second;
      }
      assertEquals(number(one), number(other));
    }
  }

  @Test
  void moreThanTheMostAreTurnedAway() throws IOException, InterruptedException {
    awaitNobody();
    List<BufferedReader> all = new ArrayList<>();
    for (int i = 0; i < DashboardServer.VIEWERS; i++) {
      all.add(watch());
      assertEquals("HTTP/1.1 200 OK", all.get(i).readLine());
    }
    try (BufferedReader late = watch()) {
      assertEquals("HTTP/1.1 503 Service Unavailable", late.readLine());
    }
    for (BufferedReader each : all) {
      each.close();
    }
  }
}
