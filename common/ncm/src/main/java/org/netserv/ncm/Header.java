// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.netserv.values.BadValueException;

/**
 * The headers, in ascending order of their TLV type, which is also the order of printing. Each
 * header has its name in the text form, and its type and kind of value in the binary form. It also
 * has the methods that it may appear in (S SETUP, R REMOVE, P PROBE; with a star: needed there).
 * {@code HeaderValues} has the syntax of the values.
 */
public enum Header {
  DEPENDENCIES("dependencies", 0x10, ValueKind.TEXT, "S"),
  FILTER_PORT("filter-port", 0x11, ValueKind.TEXT, "S"),
  FILTER_PROTO("filter-proto", 0x12, ValueKind.TEXT, "S"),
  FILTER_PREFIX("filter-prefix", 0x13, ValueKind.TEXT, "S"),
  FILTER_SAMPLE("filter-sample", 0x14, ValueKind.TEXT, "S"),
  NOTIFICATION("notification", 0x15, ValueKind.TEXT, "S R"),
  NODE_ID("node-id", 0x16, ValueKind.TEXT, "S R P"),
  WHERE("where", 0x17, ValueKind.TEXT, "S R P"),
  PROBE("probe", 0x18, ValueKind.TEXT, "P*"),
  PROPERTIES("properties", 0x19, ValueKind.TEXT, "S"),
  SEALED("sealed", 0x1a, ValueKind.BASE64, "S"),
  TTL("ttl", 0x1b, ValueKind.UINT32, "S*"),
  IDLE_TTL("idle-ttl", 0x1c, ValueKind.UINT32, "S"),
  URL("url", 0x1d, ValueKind.TEXT, "S"),
  USER("user", 0x1e, ValueKind.TEXT, "S* R* P"),
  DIGEST("digest", 0x1f, ValueKind.HEX, "S*"),
  DATE("date", 0x20, ValueKind.SECONDS, "S* R* P"),
  NONCE("nonce", 0x21, ValueKind.HEX, "S* R* P"),
  TO("to", 0x22, ValueKind.ADDRESS, "S* R* P"),
  SEQ("seq", 0x23, ValueKind.UINT64, "S* R*"),
  FILTER_MATCH("filter-match", 0x24, ValueKind.TEXT, "S"),
  FILTER_COUNT("filter-count", 0x25, ValueKind.TEXT, "S"),
  DELEGATION("delegation", 0x26, ValueKind.BASE64, "S R P"),
  REVOKE("revoke", 0x27, ValueKind.TEXT, "R"),
  ACTIVATE("activate", 0x28, ValueKind.TEXT, "S"),
  TAKE("take", 0x29, ValueKind.TEXT, "S"),
  SIGNATURE("signature", 0x7f, ValueKind.BASE64, "S* R* P");

  /** The longest value of any header in the text form, in bytes of UTF-8. */
  public static final int MAX_VALUE = 12_288;

  private static final Map<String, Header> BY_TEXT =
      Arrays.stream(values()).collect(Collectors.toMap(h -> h.text, Function.identity()));
  private static final Map<Integer, Header> BY_TYPE =
      Arrays.stream(values()).collect(Collectors.toMap(h -> h.type, Function.identity()));

  private final String text;
  private final int type;
  private final ValueKind kind;
  private final String methods;

  Header(String text, int type, ValueKind kind, String methods) {
    this.text = text;
    this.type = type;
    this.kind = kind;
    this.methods = methods;
  }

  /** The name in the text form: lower case, with dashes. */
  public String text() {
    return text;
  }

  /** The TLV type, 0x10 to 0x7f. */
  public int type() {
    return type;
  }

  /** Returns the form of the value in the binary form. */
  public ValueKind kind() {
    return kind;
  }

  /** Tells whether the header may appear in that method. */
  public boolean allowedIn(Method method) {
    return methods.indexOf(method.letter()) >= 0;
  }

  /** Tells whether the header must appear in that method (in messages of protocol 1.0). */
  public boolean mandatoryIn(Method method) {
    return methods.contains(method.letter() + "*");
  }

  /** The header of that name in the text form (exact, lower case), or null. */
  public static Header ofText(String text) {
    return BY_TEXT.get(text);
  }

  /** The header of that TLV type, or null. */
  public static Header ofType(int type) {
    return BY_TYPE.get(type);
  }

  /**
   * Checks a value and gives its canonical text.
   *
   * @throws NcmException 400, naming this header
   */
  public String canonical(String value) throws NcmException {
    try {
      requirePlain(value);
      return HeaderValues.canonical(this, value);
    } catch (BadValueException e) {
      throw NcmException.bad(this, e.getMessage());
    }
  }

  /**
   * Refuses control characters (CR, LF and NUL among them), half surrogates and long values, in any
   * header.
   */
  private static void requirePlain(String value) throws BadValueException {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isISOControl(c)) {
        throw new BadValueException(
            String.format("a control character 0x%02x in the value", (int) c));
      }
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
      throw new BadValueException("not Unicode text");
    }
    if (value.length() > MAX_VALUE || value.getBytes(StandardCharsets.UTF_8).length > MAX_VALUE) {
      throw new BadValueException("longer than " + MAX_VALUE + " bytes");
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
