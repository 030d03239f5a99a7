// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import org.netserv.lab.testbed.Testbed;

/** Random bytes that the testbed's download server has as {@code file}, and digests. */
final class Payload {
  private static final int SEED = 17;

  private Payload() {}

  /** Writes the file, and returns its digest. */
  static String write(Testbed testbed, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(SEED).nextBytes(content);
    Path file = testbed.state().resolve("bundles/file");
    Files.write(file, content);
    return digest(file);
  }

  static String digest(Path file) throws IOException {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
