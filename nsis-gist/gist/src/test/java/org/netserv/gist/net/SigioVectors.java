// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** Frames that the tests of both sides read. */
final class SigioVectors {
  private static final Map<String, byte[]> FRAMES = load();

  private SigioVectors() {}

  private static Map<String, byte[]> load() {
    Map<String, byte[]> frames = new HashMap<>();
    try {
      for (String line :
          Files.readAllLines(Path.of("../../container-native/tests/vectors/sigio.txt"))) {
        int equals = line.indexOf('=');
        if (!line.startsWith("#") && equals > 0) {
          frames.put(
              line.substring(0, equals), HexFormat.of().parseHex(line.substring(equals + 1)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return frames;
  }

  /** A copy, with its length. */
  static byte[] whole(String name) {
    return FRAMES.get(name).clone();
  }

  /** A copy, without its length. */
  static byte[] frame(String name) {
    byte[] whole = FRAMES.get(name);
    return Arrays.copyOfRange(whole, 4, whole.length);
  }
}
