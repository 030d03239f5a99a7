// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetches from a real server, and the weather in two calls. */
class FetchTest {
  private HttpServer server;
  private URI base;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    base = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void serve(String path, int status, String content, String location) {
    server.createContext(
        path,
        exchange -> {
          if (!location.isEmpty()) {
            exchange.getResponseHeaders().add("Location", location);
          }
          answer(exchange, status, content.getBytes(StandardCharsets.UTF_8));
        });
  }

  private static void answer(HttpExchange exchange, int status, byte[] content) throws IOException {
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(content);
    }
  }

  private byte[] get(String path, long most) throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    Fetch.copy(base.resolve(path), most, new Deadline(System::nanoTime, 10_000), to);
    return to.toByteArray();
  }

  @Test
  void aContentComesWhole() throws IOException {
    serve("/a", 200, "x".repeat(100_000), "");
    assertArrayEquals("x".repeat(100_000).getBytes(StandardCharsets.UTF_8), get("a", 100_000));
    assertThrows(IOException.class, () -> get("a", 99_999));
  }

  @Test
  void aStatusIsTold() {
    serve("/missing", 404, "", "");
    Fetch.StatusException e = assertThrows(Fetch.StatusException.class, () -> get("missing", 10));
    assertEquals(404, e.status());
  }

  @Test
  void redirectsStayWithinTheServerAndEnd() throws IOException {
    serve("/there", 200, "here", "");
    serve("/one", 301, "", "/there");
    serve("/loop", 302, "", "/loop");
    serve("/away", 302, "", "http://127.0.0.2:1/there");
    serve("/nowhere", 302, "", "");
    assertEquals("here", new String(get("one", 10), StandardCharsets.UTF_8));
    assertThrows(IOException.class, () -> get("loop", 10));
    assertTrue(
        assertThrows(IOException.class, () -> get("away", 10))
            .getMessage()
            .contains("another server"));
    assertThrows(IOException.class, () -> get("nowhere", 10));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1/x",
        "http://127.0.0.1:1/x",
        "http://other/x",
        "//other/x",
        "http://u@127.0.0.1/x",
        "file:/etc/passwd",
        "ftp://127.0.0.1/x",
        "http:// /",
        "data:x"
      })
  void otherServersAreRefused(String reference) {
    assertThrows(IOException.class, () -> Fetch.within(URI.create("http://127.0.0.1/"), reference));
  }

  @Test
  void theTimeOfAllStepsIsOne() throws IOException {
    AtomicLong now = new AtomicLong();
    Deadline deadline = new Deadline(now::get, 5000);
    now.set(3_000_000_000L);
    assertEquals(2000, deadline.millis());
    now.set(5_000_000_000L);
    assertThrows(SocketTimeoutException.class, deadline::millis);
  }

  @Test
  void theWeatherIsAskedInTwoCalls() throws IOException {
    String forecast = base + "f";
    serve("/points/1,2", 200, "{\"properties\":{\"forecast\":\"" + forecast + "\"}}", "");
    serve(
        "/f",
        200,
        "{\"properties\":{\"periods\":[{\"temperature\":3,\"temperatureUnit\":\"C\","
            + "\"shortForecast\":\"Fog\"}]}}",
        "");
    WeatherReport report = new WeatherService(base, "1,2", System::nanoTime).ask();
    assertEquals("3\u00b0C Fog", report.line());
  }

  @Test
  void aForecastElsewhereIsNotAskedFor() {
    serve("/points/1,2", 200, "{\"properties\":{\"forecast\":\"http://127.0.0.2:1/f\"}}", "");
    assertTrue(
        assertThrows(
                IOException.class, () -> new WeatherService(base, "1,2", System::nanoTime).ask())
            .getMessage()
            .contains("another server"));
  }
}
