// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A manifest or signature file, read so that only one reading is possible. Sections keep their raw
 * bytes, because signatures are over the raw bytes.
 *
 * <pre>
 *   Main-Attribute: value CRLF            lines end in CRLF, LF or CR
 *    continued CRLF                       a leading space continues the value
 *   CRLF                                  a blank line ends a section and belongs to it
 *   Name: a/b.class CRLF
 *   SHA-256-Digest: ... CRLF
 *   CRLF
 * </pre>
 */
final class Manifest {
  private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,69}");
  static final int MAX_BYTES = 2 << 20;

  /**
   * One section. Attribute names compare without case. The raw bytes end with the section's blank
   * line.
   */
  record Section(String name, Map<String, String> attributes, ByteBuffer raw) {
    Optional<String> get(String attribute) {
      return Optional.ofNullable(attributes.get(attribute));
    }
  }

  private final byte[] bytes;
  private final Section main;
  private final Map<String, Section> sections = new LinkedHashMap<>();
  private final Map<String, String> mainHeaders = new LinkedHashMap<>();

  /**
   * Reads the file.
   *
   * @throws BadManifestException with the line
   */
  Manifest(byte[] bytes) throws BadManifestException {
    if (bytes.length > MAX_BYTES) {
      throw new BadManifestException("has " + bytes.length + " bytes, over " + MAX_BYTES);
    }
    this.bytes = bytes;
    Reader reader = new Reader(bytes);
    this.main = reader.section(true, mainHeaders);
    while (!reader.atEnd()) {
      Section section = reader.section(false, new HashMap<>());
      if (sections.put(section.name(), section) != null) {
        throw new BadManifestException("two sections for " + section.name());
      }
    }
  }

  byte[] bytes() {
    return bytes;
  }

  Section main() {
    return main;
  }

  /** The main attributes as they are spelled, in order. */
  Map<String, String> mainHeaders() {
    return mainHeaders;
  }

  /** The named sections in order. */
  Map<String, Section> sections() {
    return sections;
  }

  /** A fault of the file, without the file's name. */
  static final class BadManifestException extends Exception {
    private static final long serialVersionUID = 1L;

    BadManifestException(String text) {
      super(text);
    }
  }

  private static final class Reader {
    private final byte[] bytes;
    private int at;
    private int line;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean atEnd() {
      return at == bytes.length;
    }

    Section section(boolean isMain, Map<String, String> spelled) throws BadManifestException {
      int start = at;
      Map<String, String> attributes = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      String name = null;
      boolean first = true;
      while (true) {
        if (atEnd()) {
          // Other readers disagree about a named section that the end of the file cuts off.
          if (!isMain || first) {
            throw error("ends without a blank line");
          }
          break;
        }
        String text = logicalLine();
        if (text.isEmpty()) {
          break;
        }
        int colon = text.indexOf(": ");
        String key = colon < 0 ? "" : text.substring(0, colon);
        if (!ATTRIBUTE.matcher(key).matches()) {
          throw error("not an attribute");
        }
        String value = text.substring(colon + 2);
        if (first && !isMain) {
          if (!key.equalsIgnoreCase("Name") || value.isEmpty()) {
            throw error("a section does not begin with its Name");
          }
          name = value;
        } else if (attributes.put(key, value) != null) {
          throw error("the attribute " + key + " twice");
        } else {
          spelled.put(key, value);
        }
        first = false;
      }
      if (first) {
        throw error(isMain ? "no main section" : "a section without attributes");
      }
      return new Section(
          name, attributes, ByteBuffer.wrap(bytes, start, at - start).slice().asReadOnlyBuffer());
    }

    private String logicalLine() throws BadManifestException {
      byte[] text = line();
      if (text.length > 0 && text[0] == ' ') {
        throw error("continues nothing");
      }
      if (text.length == 0) {
        return "";
      }
      List<byte[]> parts = new ArrayList<>(List.of(text));
      int length = text.length;
      while (!atEnd() && bytes[at] == ' ') {
        byte[] next = line();
        parts.add(Arrays.copyOfRange(next, 1, next.length));
        length += next.length - 1;
      }
      ByteBuffer joined = ByteBuffer.allocate(length);
      parts.forEach(joined::put);
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(joined.flip()).toString();
      } catch (CharacterCodingException e) {
        throw error("not UTF-8");
      }
    }

    private byte[] line() throws BadManifestException {
      int start = at;
      line++;
      while (at < bytes.length && bytes[at] != '\r' && bytes[at] != '\n') {
        if (bytes[at] >= 0 && bytes[at] < ' ' && bytes[at] != '\t') {
          throw error("has a control character");
        }
        at++;
      }
      byte[] text = Arrays.copyOfRange(bytes, start, at);
      if (atEnd()) {
        throw error("does not end in a line end");
      }
      at += bytes[at] == '\r' && at + 1 < bytes.length && bytes[at + 1] == '\n' ? 2 : 1;
      return text;
    }

    private BadManifestException error(String what) {
      return new BadManifestException("line " + line + " " + what);
    }
  }
}
