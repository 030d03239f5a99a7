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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may look at the page, and what they get. */
class DashboardServerTest {
  private final AtomicInteger asked = new AtomicInteger();
  private DashboardServer server;
  private URI link;

  @BeforeEach
  void start() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = new DashboardServer(any, () -> "{\"number\":" + asked.incrementAndGet() + "}");
    link = URI.create(server.link());
  }

  @AfterEach
  void stop() {
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

  private static String data(BufferedReader from) throws IOException {
    String line = from.readLine();
    while (!line.startsWith("data: ")) {
      line = from.readLine();
    }
    return line;
  }

  @Test
  void allWhoWatchGetTheSameDocumentsAndNobodyAsksOtherwise() throws Exception {
    Thread.sleep(1_200); // longer than a period
    assertEquals(0, asked.get(), "nobody watches");
    try (BufferedReader one = watch();
        BufferedReader other = watch()) {
      String second = data(other);
      String first = data(one);
      while (!first.equals(second)) { // one of them may have come a document earlier
        first = data(one);
      }
      assertEquals(data(one), data(other));
    }
  }

  @Test
  void moreThanTheMostAreTurnedAway() throws IOException {
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
