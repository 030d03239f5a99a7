// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.media.Transcoder;

/** Whatever fails but the video itself, the original is the result. */
class OverlayMakerTest {
  private static final WeatherReport SUNNY = new WeatherReport(72, "F", "Sunny");

  @TempDir Path directory;

  private final Counts counts = new Counts();
  private HttpServer origin;

  @BeforeEach
  void start() throws IOException {
    origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.createContext(
        "/videos/a.mp4",
        exchange -> {
          byte[] content = "original".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    origin.start();
  }

  @AfterEach
  void stop() {
    origin.stop(0);
  }

  private OverlayMaker maker(OverlayMaker.Weather weather, OverlayMaker.Overlaying overlaying) {
    String base = "http://127.0.0.1:" + origin.getAddress().getPort() + "/videos/";
    OverlayMaker.Plan plan =
        new WatermarkSettings(Map.of("origin", base, "latitude", "1", "longitude", "2"), directory)
            .plan();
    assertEquals(URI.create(base), plan.origin());
    return new OverlayMaker(plan, weather, overlaying, System::nanoTime, counts);
  }

  private static String content(Video video) throws IOException {
    assertEquals(Files.size(video.file()), video.length());
    return Files.readString(video.file());
  }

  @Test
  void theResultReplacesTheOriginal() throws IOException {
    Video video =
        maker(
                () -> SUNNY,
                (from, picture, how, to, most) -> {
                  to.write(from.readAllBytes());
                  to.write('+');
                })
            .make("/a.mp4", directory);
    assertTrue(video.applied());
    assertEquals("original+", content(video));
    assertFalse(Files.exists(directory.resolve("original")));
    assertEquals(1, counts.get(Why.MADE));
  }

  @Test
  void withoutWeatherNoProcessRuns() throws IOException {
    Video video =
        maker(
                () -> {
                  throw new IOException("no service");
                },
                (from, picture, how, to, most) -> {
                  throw new AssertionError("runs");
                })
            .make("/a.mp4", directory);
    assertEquals("weather", video.omitted());
    assertEquals("original", content(video));
    assertEquals(1, counts.get(Why.OMITTED_WEATHER));
  }

  @Test
  void withoutAProcessTheOriginalIsServed() throws IOException {
    Transcoder nobody = Transcoder.of(OverlayMakerTest.class);
    Video video = maker(() -> SUNNY, nobody::overlay).make("/a.mp4", directory);
    assertEquals("not-declared", video.omitted());
    assertEquals("original", content(video));
    assertEquals(1, counts.get(Why.OMITTED_PROCESS));
  }

  @Test
  void aHalfResultIsNotServed() throws IOException {
    Video video =
        maker(
                () -> SUNNY,
                (from, picture, how, to, most) -> {
                  to.write('x');
                  throw new IOException("no room");
                })
            .make("/a.mp4", directory);
    assertEquals("disk", video.omitted());
    assertEquals("original", content(video));
    assertFalse(Files.exists(directory.resolve("made")));
  }

  @Test
  void withoutTheVideoThereIsNone() {
    assertThrows(
        Fetch.StatusException.class,
        () -> maker(() -> SUNNY, (a, b, c, d, e) -> {}).make("/b.mp4", directory));
  }
}
