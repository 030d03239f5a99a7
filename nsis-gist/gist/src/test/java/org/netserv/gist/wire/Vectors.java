// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Messages as bytes, from the resources beside this class. In a {@code .hex} file everything from a
 * '#' to the end of its line is a comment and blanks do not count.
 */
public final class Vectors {
  /** The hand-written messages that are right, by name of the file without {@code .hex}. */
  public static final List<String> MESSAGES =
      List.of(
          "query",
          "query-payload",
          "query-stack",
          "query-loose-end",
          "query-nat",
          "response",
          "response-stack",
          "confirm",
          "confirm-stack",
          "data-datagram",
          "data-association",
          "data-intercepted",
          "error",
          "error-header",
          "hello");

  private Vectors() {}

  /** The bytes of a hand-written message, common header first. */
  public static byte[] bytes(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (String line : lines(name + ".hex")) {
      int comment = line.indexOf('#');
      String hex = (comment < 0 ? line : line.substring(0, comment)).replace(" ", "");
      out.writeBytes(HexFormat.of().parseHex(hex));
    }
    return out.toByteArray();
  }

  /** All rows of the captured handshakes. */
  public static List<Captured> captured() {
    return lines("captured-handshakes.tsv").stream()
        .filter(line -> !line.startsWith("#"))
        .map(Captured::of)
        .toList();
  }

  /** Every right message that there is: hand-written and captured. */
  public static List<byte[]> all() {
    return Stream.concat(
            MESSAGES.stream().map(Vectors::bytes), captured().stream().map(Captured::bytes))
        .toList();
  }

  /**
   * A captured message.
   *
   * @param via UDP or TCP
   * @param objects their names with '+' between them
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  public record Captured(String via, String message, String objects, byte[] bytes) {
    private static Captured of(String line) {
      String[] columns = line.split("\t", -1);
      return new Captured(columns[0], columns[1], columns[2], HexFormat.of().parseHex(columns[3]));
    }
  }

  private static List<String> lines(String file) {
    try (InputStream in = Vectors.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
