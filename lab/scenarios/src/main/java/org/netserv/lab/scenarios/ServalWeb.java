// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** An nginx that knows nothing of Serval, with a file of random bytes. */
final class ServalWeb {
  static final int PORT = 8080;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path file;
  private final String digest;

  private ServalWeb(Path file, String digest) {
    this.file = file;
    this.digest = digest;
  }

  /**
   * Starts nginx on all addresses of a node, with {@code file} of this length and {@code small}.
   */
  static ServalWeb start(Testbed testbed, String node, int bytes) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("plain-nginx"));
    Path file = Files.createDirectories(directory.resolve("www")).resolve("file");
    byte[] content = new byte[bytes];
    new Random(17).nextBytes(content);
    Files.write(file, content);
    Files.write(file.resolveSibling("small"), new byte[100]);
    Path settings = directory.resolve("plain.conf");
    String text = Files.readString(LabHome.file("nginx/plain.conf"));
    text = text.replace("listen @PORT@;", "listen @PORT@; listen [::]:@PORT@;");
    text = text.replace("@DIR@", directory.toString());
    Files.writeString(settings, text.replace("@PORT@", Integer.toString(PORT)));
    Tool.start(testbed, node, "nginx", List.of("nginx", "-e", "stderr", "-c", settings.toString()));
    String ask = "curl -s -o /dev/null http://127.0.0.1:" + PORT + "/file && echo up || true";
    Wait.until("nginx", PATIENCE, () -> testbed.run(node, "sh", "-c", ask).strip().equals("up"));
    return new ServalWeb(file, digest(content));
  }

  /** Returns the SHA-256 of some bytes, in hexadecimal. */
  static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Counts the requests whose client begins with this regular expression. */
  long clients(String pattern) throws IOException {
    Path log = file.getParent().resolveSibling("access.log");
    Pattern begins = Pattern.compile("^" + pattern);
    return Files.readAllLines(log).stream().filter(line -> begins.matcher(line).find()).count();
  }

  Path file() {
    return file;
  }

  /** Returns the SHA-256 of the file, in hexadecimal. */
  String digest() {
    return digest;
  }

  /** Returns the SHA-256 of the output of a command at a host. */
  static String sum(SalHost host, String command) throws IOException {
    return host.run(command + " | sha256sum").split(" ", 2)[0];
  }
}
