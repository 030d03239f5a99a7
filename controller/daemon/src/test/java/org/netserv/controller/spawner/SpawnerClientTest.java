// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.loop.ControllerLoop;

/** The client against a spawner played by the test, over a real UNIX socket. */
final class SpawnerClientTest {
  @TempDir Path directory;
  private final ControllerLoop loop = new ControllerLoop();
  private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
  private Path path;
  private ServerSocketChannel server;
  private SpawnerClient client;
  private SocketChannel peer;
  private BufferedReader lines;

  private final SpawnerListener listener =
      new SpawnerListener() {
        @Override
        public void connected() {
          news.add("connected");
        }

        @Override
        public void disconnected() {
          news.add("disconnected");
        }

        @Override
        public void event(String name, Map<String, String> values) {
          news.add(name + " " + values);
        }
      };

  @BeforeEach
  void open() throws IOException {
    path = directory.resolve("s.sock");
    client = new SpawnerClient(path, "test", loop, listener);
    client.start();
    listen();
  }

  private void listen() throws IOException {
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
  }

  private void accept() throws IOException {
    peer = server.accept();
    lines = new BufferedReader(Channels.newReader(peer, StandardCharsets.US_ASCII));
    assertEquals("hello protocol=1.0 build=test", lines.readLine());
  }

  private void greet() throws Exception {
    accept();
    say("hello protocol=1.7 build=fake");
    assertEquals("connected", next());
  }

  private void say(String line) throws IOException {
    ByteBuffer bytes = StandardCharsets.US_ASCII.encode(line + "\n");
    while (bytes.hasRemaining()) {
      peer.write(bytes);
    }
  }

  private String next() throws InterruptedException {
    String one = news.poll(20, TimeUnit.SECONDS);
    assertTrue(one != null, "nothing came");
    return one;
  }

  private void ask(SpawnerRequest request) {
    loop.execute(
        () -> client.request(request, reply -> news.add(reply.ok() + " " + reply.reason())));
  }

  @AfterEach
  void close() throws IOException {
    loop.execute(client::close);
    if (peer != null) {
      peer.close();
    }
    server.close();
    loop.close();
  }

  @Test
  void asksAndHears() throws Exception {
    greet();
    ask(SpawnerRequest.stop("jane", 3000, true));
    assertEquals("stop id=1 container=jane grace=3000 dump=1", lines.readLine());
    ask(
        SpawnerRequest.worker(
            "fetch-1", 128, 60, List.of(80, 443), List.of("192.0.2.0/24"), List.of(), true));
    assertEquals(
        "worker id=2 job=fetch-1 memory=128 timeout=60 ports=80,443 allow=192.0.2.0/24 deny= spare=1",
        lines.readLine());
    say("event report container=jane text=kind%3Dexit%20code%3D7");
    assertEquals("report {container=jane, text=kind=exit code=7}", next());
    say("error id=2 reason=too%20many%20jobs");
    assertEquals("false too many jobs", next());
    say("ok id=1");
    assertEquals("true ", next());
  }

  @Test
  void filtersComeWithTheirLines() throws Exception {
    greet();
    ask(SpawnerRequest.filters(List.of("family=4 proto=17 queue=2", "family=6 proto=0 queue=4")));
    assertEquals("filters id=1 count=2", lines.readLine());
    assertEquals("family=4 proto=17 queue=2", lines.readLine());
    assertEquals("family=6 proto=0 queue=4", lines.readLine());
  }

  @Test
  void comesBackAndAnswersWhatWasLost() throws Exception {
    greet();
    ask(SpawnerRequest.list());
    lines.readLine();
    peer.close();
    assertEquals("false spawner: connection lost", next());
    assertEquals("disconnected", next());
    ask(SpawnerRequest.list());
    assertEquals("false spawner: not connected", next());
    server.close();
    Files.delete(path);
    listen();
    greet();
    ask(SpawnerRequest.list());
    assertEquals("list id=2", lines.readLine());
  }

  @Test
  void anotherMajorIsNoConnection() throws Exception {
    accept();
    say("hello protocol=2.0 build=fake");
    assertEquals(null, lines.readLine(), "the client hangs up");
    greet();
    assertFalse(news.contains("disconnected"), "what never stood is not lost");
  }

  @Test
  void garbageEndsTheConnection() throws Exception {
    greet();
    say("ok id=1 id=2");
    assertEquals("disconnected", next());
    greet();
    say("x".repeat(SpawnerLine.MAX + 1));
    assertEquals("disconnected", next());
    greet();
    say("surprise a=1");
    assertEquals("disconnected", next());
    greet();
    say("ok id=99");
    ask(SpawnerRequest.list());
    assertTrue(lines.readLine().startsWith("list id="), "an answer to nothing is nothing");
  }

  @Test
  void aRequestThatIsTooLongIsNotSent() throws Exception {
    greet();
    ask(SpawnerRequest.stop("x".repeat(SpawnerLine.MAX + 1), 1, false));
    assertEquals("false spawner: request stop is too long", next());
    ask(SpawnerRequest.list());
    assertEquals("list id=2", lines.readLine());
  }

  @Test
  void anEndThatIsWantedIsNoLoss() throws Exception {
    greet();
    ask(SpawnerRequest.list());
    assertEquals("list id=1", lines.readLine());
    loop.execute(client::close);
    assertEquals("false spawner: connection closed", next());
    assertEquals(null, lines.readLine(), "the client hangs up");
    ask(SpawnerRequest.list());
    assertEquals("false spawner: not connected", next());
    assertTrue(news.isEmpty(), "the listener is not told");
  }

  /** The reader hears that the socket has gone, while the loop ends before the reader tells it. */
  @Test
  void aLoopThatHasEndedTakesNoMoreNews() throws Exception {
    greet();
    loop.close();
    loop.after(0, () -> news.add("timer")).cancel();
    loop.execute(() -> news.add("task"));
    peer.close();
    client.close();
    assertTrue(news.isEmpty(), "nothing runs any more");
  }
}
