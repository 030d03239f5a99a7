// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.netserv.values.BadValueException;

/**
 * The text form:
 *
 * <pre>
 *   METHOD SP name SP "NETSERV/" protocol LF
 *   *( header ":" value LF )
 *   LF
 * </pre>
 *
 * UTF-8. Lines end in LF; a CR just before an LF belongs to the line's end. Everything between the
 * first colon and the line's end is the value, spaces included. Nothing may follow the blank line.
 */
public final class NcmText {
  private static final String PROTOCOL = "NETSERV/";

  private NcmText() {}

  /** Reads a message from UTF-8. */
  public static Ncm parse(byte[] utf8) throws NcmException {
    requireSize(utf8.length);
    try {
      return parse(ValueKind.strictUtf8(utf8));
    } catch (BadValueException e) {
      throw NcmException.bad("the message is " + e.getMessage());
    }
  }

  /** Reads a message. */
  public static Ncm parse(String text) throws NcmException {
    requireSize(text.length());
    requireSize(text.getBytes(StandardCharsets.UTF_8).length);
    String[] lines = text.split("\n", -1);
    Ncm.Builder builder = requestLine(line(lines, 0));
    headers(lines).forEach(builder::set);
    return builder.build();
  }

  /** Prints a message: headers in ascending order of type, LF line ends. */
  public static String print(Ncm ncm) {
    StringBuilder text = new StringBuilder(requestLine(ncm)).append('\n');
    ncm.headers()
        .forEach(
            (header, value) -> text.append(header.text()).append(':').append(value).append('\n'));
    return text.append('\n').toString();
  }

  static byte[] bytes(Ncm ncm) {
    return print(ncm).getBytes(StandardCharsets.UTF_8);
  }

  static String requestLine(Ncm ncm) {
    return ncm.method() + " " + ncm.fullName() + " " + PROTOCOL + ncm.protocol();
  }

  private static Ncm.Builder requestLine(String line) throws NcmException {
    String[] words = line.split(" ", -1);
    if (words.length != 3 || !words[2].startsWith(PROTOCOL)) {
      throw NcmException.bad(
          "request line: not 'METHOD name NETSERV/1.0' but " + BadValueException.quote(line));
    }
    Method method = Method.ofName(words[0]);
    if (method == null) {
      throw NcmException.bad("request line: unknown method " + BadValueException.quote(words[0]));
    }
    try {
      ModuleName name = ModuleName.parse(words[1]);
      return Ncm.builder(method, name.symbolicName())
          .version(name.version())
          .protocol(words[2].substring(PROTOCOL.length()));
    } catch (BadValueException e) {
      throw NcmException.bad("request line: " + e.getMessage());
    }
  }

  /** The lines after the first, down to the blank one, which must be there and be the last. */
  static Map<Header, String> headers(String[] lines) throws NcmException {
    Map<Header, String> headers = new HashMap<>();
    int at = 1;
    while (at < lines.length - 1 && !line(lines, at).isEmpty()) {
      header(line(lines, at), at + 1, headers);
      at++;
    }
    if (at >= lines.length - 1) {
      throw NcmException.bad("no blank line at the end");
    }
    if (at != lines.length - 2 || !lines[at + 1].isEmpty()) {
      throw NcmException.bad("something follows the blank line");
    }
    return headers;
  }

  private static void header(String line, int number, Map<Header, String> headers)
      throws NcmException {
    int colon = line.indexOf(':');
    if (colon < 0) {
      throw NcmException.bad("line " + number + " has no colon: " + BadValueException.quote(line));
    }
    String name = line.substring(0, colon);
    Header header = Header.ofText(name);
    if (header == null) {
      throw NcmException.bad("unknown header " + BadValueException.quote(name));
    }
    if (headers.put(header, line.substring(colon + 1)) != null) {
      throw NcmException.bad(header, "given twice");
    }
  }

  /**
   * A line without its end. The last piece of the split had no LF, so a CR there is not part of a
   * line end.
   */
  private static String line(String[] lines, int index) {
    String line = lines[index];
    return index < lines.length - 1 && line.endsWith("\r")
        ? line.substring(0, line.length() - 1)
        : line;
  }

  private static void requireSize(int length) throws NcmException {
    if (length > Ncm.MAX_BYTES) {
      throw NcmException.tooLarge("longer than " + Ncm.MAX_BYTES + " bytes");
    }
  }
}
