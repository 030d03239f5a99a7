// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.Wait;

/**
 * An nginx that knows nothing of NetServ, with random bytes as {@code /file} and 100 zeros as
 * {@code /small}.
 */
public final class PlainWeb {
  /** Of most scenarios. */
  public static final int PORT = 8080;

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int SEED = 17;

  private final Path file;
  private final String digest;

  private PlainWeb(Path file, String digest) {
    this.file = file;
    this.digest = digest;
  }

  /** Starts it on all addresses of a node, and waits until it answers. It ends with the testbed. */
  public static PlainWeb start(Testbed testbed, String node, int port, int bytes)
      throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("plain-nginx"));
    Path file = Files.createDirectories(directory.resolve("www")).resolve("file");
    byte[] content = new byte[bytes];
    new Random(SEED).nextBytes(content);
    Files.write(file, content);
    Files.write(file.resolveSibling("small"), new byte[100]);
    String text = Files.readString(LabHome.file("nginx/plain.conf"));
    text = text.replace("listen @PORT@;", "listen @PORT@; listen [::]:@PORT@;");
    Path settings = directory.resolve("plain.conf");
    Files.writeString(
        settings,
        text.replace("@DIR@", directory.toString()).replace("@PORT@", Integer.toString(port)));
    Tool.start(testbed, node, "nginx", List.of("nginx", "-e", "stderr", "-c", settings.toString()));
    String ask = "curl -s -o /dev/null http://127.0.0.1:" + port + "/file && echo up || true";
    Wait.until("nginx", PATIENCE, () -> testbed.run(node, "sh", "-c", ask).strip().equals("up"));
    return new PlainWeb(file, Sha256.of(content));
  }

  /** Counts the requests whose client begins with this regular expression. */
  public long clients(String pattern) throws IOException {
    Path log = file.getParent().resolveSibling("access.log");
    Pattern begins = Pattern.compile("^" + pattern);
    return Files.readAllLines(log).stream().filter(line -> begins.matcher(line).find()).count();
  }

  public Path file() {
    return file;
  }

  /** Returns the SHA-256 of the file, as sha256sum prints it. */
  public String digest() {
    return digest;
  }
}
