// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VideoServerTest {
  @TempDir Path directory;

  private final Counts counts = new Counts();
  private Videos videos;
  private VideoServer server;

  @BeforeEach
  void start() throws IOException {
    Videos.Room room = new Videos.Room(directory.resolve("v"), 1 << 20, 1800, 30);
    videos = new Videos(room, VideoServerTest::make, System::nanoTime, counts);
    server = new VideoServer(0, 2, 30, videos, counts);
  }

  @AfterEach
  void stop() {
    videos.close();
    server.close();
  }

  private static Video make(String path, Path to) throws IOException {
    if (path.contains("missing")) {
      throw new Fetch.StatusException(404);
    }
    if (path.contains("broken")) {
      throw new IOException("cut");
    }
    Path file = Files.writeString(to.resolve("made"), "video of " + path);
    return new Video(file, Files.size(file), path.contains("plain") ? "weather" : "");
  }

  private String ask(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private String get(String path) throws IOException {
    return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  @Test
  void aVideoComesWithItsHeader() throws IOException {
    String answer = get("/a/b.mp4");
    assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
    assertTrue(answer.endsWith("\r\n\r\nvideo of /a/b.mp4"), answer);
    assertTrue(answer.contains("Watermark: applied\r\n"), answer);
    assertTrue(answer.contains("content-length: 17\r\n"), answer);
    assertTrue(get("/plain.mp4").contains("Watermark: omitted; reason=weather\r\n"));
    assertEquals(2, counts.get(Why.SERVED));
  }

  @Test
  void aHeadHasNoContent() throws IOException {
    assertTrue(ask("HEAD /a.mp4 HTTP/1.1\r\nHost: x\r\n\r\n").endsWith("\r\n\r\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "/a.txt",
        "/../a.mp4",
        "/a/../b.mp4",
        "/.hidden.mp4",
        "/a.mp4?x=1",
        "/%2e%2e/a.mp4",
        "//a.mp4",
        "a.mp4",
        "http://other/a.mp4",
        "*",
        "/a b.mp4"
      })
  void otherPathsAreNotFound(String path) throws IOException {
    String status = get(path).split("\r\n", 2)[0];
    assertTrue(status.matches("HTTP/1.1 (404|400) .*"), path + " " + status);
    assertEquals(0, counts.get(Why.SERVED));
  }

  @Test
  void aLongPathIsRefused() throws IOException {
    assertTrue(get("/" + "x".repeat(200) + ".mp4").startsWith("HTTP/1.1 404"));
    assertTrue(get("/" + "x".repeat(5000) + ".mp4").startsWith("HTTP/1.1 4"));
  }

  @Test
  void failuresOfTheOriginHaveAStatus() throws IOException {
    assertTrue(get("/missing.mp4").startsWith("HTTP/1.1 404"));
    assertTrue(get("/broken.mp4").startsWith("HTTP/1.1 502"));
    assertTrue(ask("POST /a.mp4 HTTP/1.1\r\nContent-Length: 0\r\n\r\n").contains(" 405 "));
    assertEquals(1, counts.get(Why.REFUSED_METHOD));
  }

  @Test
  void connectionsHaveALimit() throws IOException {
    try (Socket one = new Socket(InetAddress.getLoopbackAddress(), server.port());
        Socket two = new Socket(InetAddress.getLoopbackAddress(), server.port());
        Socket three = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      assertEquals(-1, three.getInputStream().read());
      assertTrue(one.isConnected() && two.isConnected());
    }
    assertEquals(1, counts.get(Why.CONNECTIONS_FULL));
  }
}
