// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Sha256;

/** Random bytes that the testbed's download server has as {@code file}. */
final class Payload {
  private static final int SEED = 17;

  private Payload() {}

  /** Writes the file, and returns its digest. */
  static String write(Testbed testbed, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(SEED).nextBytes(content);
    Path file = testbed.state().resolve("bundles/file");
    Files.write(file, content);
    return Sha256.of(content);
  }
}
