// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 in hexadecimal, as sha256sum prints it. */
public final class Sha256 {
  private Sha256() {}

  public static String of(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  public static String of(Path file) throws IOException {
    return of(Files.readAllBytes(file));
  }
}
