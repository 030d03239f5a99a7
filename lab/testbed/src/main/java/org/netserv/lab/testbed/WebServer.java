// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** A publisher's nginx on a node of a testbed, with the configuration of {@code lab/nginx}. */
public final class WebServer implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The port of users. */
  private static final int USERS = 80;

  private final Testbed testbed;
  private final String node;
  private final Path directory;
  private Process process;

  /** Makes its directory, and starts nothing. */
  public WebServer(Testbed testbed, String node) throws IOException {
    this.testbed = testbed;
    this.node = node;
    this.directory = Files.createDirectories(testbed.state().resolve(node + "-nginx"));
    Files.createDirectories(directory.resolve("www"));
    for (String name : List.of("netserv.conf", "origin.conf")) {
      String text = Files.readString(LabHome.file("nginx/" + name));
      Files.writeString(directory.resolve(name), text.replace("@DIR@", directory.toString()));
    }
  }

  /**
   * Puts a file of random bytes below the root.
   *
   * @param seed another one gives other bytes
   */
  public void content(String path, int bytes, long seed) throws IOException {
    byte[] content = new byte[bytes];
    new Random(seed).nextBytes(content);
    Files.write(file(path), content);
  }

  /** Returns the path of a file below the root, in a directory that is there. */
  public Path file(String path) throws IOException {
    Path file = directory.resolve("www").resolve(path);
    Files.createDirectories(file.getParent());
    return file;
  }

  /** Starts it and waits until it takes connections. */
  public void start() throws IOException {
    Path file = directory.resolve("origin.conf");
    process = testbed.spawn(node, "nginx", List.of("nginx", "-e", "stderr", "-c", file.toString()));
    String[] ask = {"sh", "-c", "curl -s -o /dev/null http://127.0.0.1:%d/ && echo up || true"};
    ask[2] = ask[2].formatted(USERS);
    Wait.until("nginx", PATIENCE, () -> testbed.run(node, ask).strip().equals("up"));
  }

  /** Returns the number of requests that came to a port. */
  public long requests(int port) throws IOException {
    try (Stream<String> lines = Files.lines(directory.resolve("access.log"))) {
      return lines.filter(line -> line.startsWith(port + " ")).count();
    }
  }

  @Override
  public void close() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }
}
