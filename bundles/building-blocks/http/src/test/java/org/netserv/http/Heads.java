// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;

/** Makes heads of lines, without their line ends. */
public final class Heads {
  private Heads() {}

  /** Ends each line with CRLF and adds the empty line. */
  public static byte[] bytes(String... lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      text.append(line).append("\r\n");
    }
    return latin(text.append("\r\n").toString());
  }

  public static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Reads a sound request. */
  public static RequestHead request(String... lines) {
    RequestHead head = new RequestHead(HeadLimits.USUAL);
    byte[] bytes = bytes(lines);
    assertEquals(HeadError.OK, head.reset(bytes, 0, bytes.length));
    return head;
  }

  /** Reads a sound GET for http://a/ with some fields. */
  public static RequestHead get(String... fields) {
    return request(join("GET / HTTP/1.1", "Host: a", fields));
  }

  /** Reads a sound response. */
  public static ResponseHead response(int status, String... fields) {
    ResponseHead head = new ResponseHead(HeadLimits.USUAL);
    String[] lines = new String[fields.length + 1];
    lines[0] = "HTTP/1.1 " + status + " ";
    System.arraycopy(fields, 0, lines, 1, fields.length);
    byte[] bytes = bytes(lines);
    assertEquals(HeadError.OK, head.reset(bytes, 0, bytes.length));
    return head;
  }

  /** Reads a sound section of fields. */
  public static FieldSection fields(String... lines) {
    FieldSection fields = new FieldSection(100);
    byte[] bytes = bytes(lines);
    assertEquals(HeadError.OK, fields.reset(bytes, 0, bytes.length));
    return fields;
  }

  /** Returns the text of a written head, lines ended by \n. */
  public static String text(HeadWriter out) {
    return new String(out.bytes(), 0, out.length(), StandardCharsets.ISO_8859_1)
        .replace("\r\n", "\n");
  }

  private static String[] join(String first, String second, String... rest) {
    String[] all = new String[rest.length + 2];
    all[0] = first;
    all[1] = second;
    System.arraycopy(rest, 0, all, 2, rest.length);
    return all;
  }
}
