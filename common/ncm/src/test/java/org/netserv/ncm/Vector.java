// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A vector: its text form (empty for answers) and its binary form. */
public record Vector(String name, String text, String block, String hex) {
  private static final String BINARY = "binary:\n";

  public static Vector of(String block) {
    String name = block.substring(0, block.indexOf('\n'));
    String rest = block.substring(block.indexOf('\n') + 1);
    int at = rest.indexOf(BINARY);
    String hex = rest.substring(at + BINARY.length()).replace("\n", "");
    return new Vector(name, rest.substring(0, at), rest.strip(), hex);
  }

  public byte[] binary() {
    return HexFormat.of().parseHex(hex);
  }

  @Override
  public String toString() {
    return name;
  }

  /** All vectors of ncm-vectors.txt. */
  public static List<Vector> all() throws IOException {
    try (InputStream in = Vector.class.getResourceAsStream("ncm-vectors.txt")) {
      String file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(file.split("(?m)^@ "))
          .filter(block -> !block.isEmpty())
          .map(Vector::of)
          .toList();
    }
  }

  public static Vector named(String name) throws IOException {
    return all().stream().filter(v -> v.name().equals(name)).findFirst().orElseThrow();
  }
}
