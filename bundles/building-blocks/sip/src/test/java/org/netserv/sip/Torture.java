// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * The messages of RFC 4475, byte for byte, from the archive in its appendix A. The jar of this
 * module's tests carries them to the tests of other modules.
 */
public final class Torture {
  private static final int BLOCK = 512;

  private Torture() {}

  /** Returns the 49 messages that the RFC describes, by the name it gives them. */
  public static Map<String, byte[]> messages() throws IOException {
    Map<String, byte[]> all = archive();
    all.remove("test"); // in the archive, but in no section of the RFC
    return all;
  }

  /** Returns every file of the archive, by name without ".dat". */
  static Map<String, byte[]> archive() throws IOException {
    byte[] tar = new GZIPInputStream(new ByteArrayInputStream(packed())).readAllBytes();
    Map<String, byte[]> files = new TreeMap<>();
    int at = 0;
    while (at + BLOCK <= tar.length && tar[at] != 0) {
      String name = field(tar, at, 100);
      int size = Integer.parseInt(field(tar, at + 124, 12).strip(), 8);
      int start = at + BLOCK;
      if (name.endsWith(".dat")) {
        String file = name.substring(name.lastIndexOf('/') + 1, name.length() - 4);
        files.put(file, Arrays.copyOfRange(tar, start, start + size));
      }
      at = start + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    return files;
  }

  private static byte[] packed() throws IOException {
    try (InputStream in = Torture.class.getResourceAsStream("rfc4475.tar.gz.b64")) {
      return Base64.getMimeDecoder().decode(in.readAllBytes());
    }
  }

  private static String field(byte[] tar, int at, int length) {
    String text = new String(tar, at, length, StandardCharsets.US_ASCII);
    int end = text.indexOf('\0');
    return end < 0 ? text : text.substring(0, end);
  }
}
