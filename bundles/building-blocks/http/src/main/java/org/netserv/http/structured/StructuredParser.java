// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;

/**
 * Parses field values by the steps of RFC 9651 section 4.2. Each step is a method with the step's
 * name. Inner lists do not nest, so the depth is bounded, and nothing is larger than the value.
 *
 * <p>The octets are copied once. One parser parses one value, on one thread.
 */
public final class StructuredParser {
  private static final int MOST_DIGITS = 15;
  private static final int MOST_DIGITS_OF_DECIMAL = 12;
  private static final int END = -1;

  private final byte[] value;
  private int at;

  private StructuredParser(byte[] value) {
    this.value = value;
  }

  /**
   * Parses a List.
   *
   * @return the members in order, unmodifiable; empty for an empty value
   */
  public static List<Member> list(byte[] value) throws StructuredException {
    StructuredParser parser = new StructuredParser(value.clone());
    List<Member> members = new ArrayList<>();
    parser.skipSpaces();
    while (parser.peek() != END) {
      members.add(parser.itemOrInnerList());
      parser.nextMember();
    }
    return Collections.unmodifiableList(members);
  }

  /**
   * Parses a Dictionary. Of members with the same key the last one counts.
   *
   * @return the members by key in order, unmodifiable; empty for an empty value
   */
  public static Map<String, Member> dictionary(byte[] value) throws StructuredException {
    StructuredParser parser = new StructuredParser(value.clone());
    Map<String, Member> members = new LinkedHashMap<>();
    parser.skipSpaces();
    while (parser.peek() != END) {
      String key = parser.key();
      members.put(key, parser.dictionaryMember());
      parser.nextMember();
    }
    return Collections.unmodifiableMap(members);
  }

  /** Parses an Item. */
  public static Item item(byte[] value) throws StructuredException {
    StructuredParser parser = new StructuredParser(value.clone());
    parser.skipSpaces();
    Item item = parser.item();
    parser.skipSpaces();
    if (parser.peek() != END) {
      throw parser.fault("nothing may follow the Item");
    }
    return item;
  }

  /** Joins the lines of a field with ", " as section 4.2 demands; empty if there is no line. */
  public static byte[] combined(FieldSection fields, Field field) {
    return combined(fields, field.text().getBytes(StandardCharsets.US_ASCII));
  }

  /** Joins the lines of a field of any name. */
  public static byte[] combined(FieldSection fields, byte[] name) {
    int length = 0;
    int lines = 0;
    for (int i = next(fields, name, 0); i >= 0; i = next(fields, name, i + 1)) {
      length += fields.valueEnd(i) - fields.valueStart(i);
      lines++;
    }
    byte[] joined = new byte[length + 2 * Math.max(0, lines - 1)];
    int end = 0;
    for (int i = next(fields, name, 0); i >= 0; i = next(fields, name, i + 1)) {
      int size = fields.valueEnd(i) - fields.valueStart(i);
      System.arraycopy(fields.bytes(), fields.valueStart(i), joined, end, size);
      end += size;
      if (end < joined.length) {
        joined[end++] = ',';
        joined[end++] = ' ';
      }
    }
    return joined;
  }

  private static int next(FieldSection fields, byte[] name, int from) {
    return fields.next(name, 0, name.length, from);
  }

  /** Takes the comma between two members of a list or dictionary, or stays at the end. */
  private void nextMember() throws StructuredException {
    skipBlanks();
    if (peek() == END) {
      return;
    }
    take(',', "a comma has to follow a member");
    skipBlanks();
    if (peek() == END) {
      throw fault("a comma ends the value");
    }
  }

  private Member itemOrInnerList() throws StructuredException {
    return peek() == '(' ? innerList() : item();
  }

  private Member dictionaryMember() throws StructuredException {
    if (peek() != '=') {
      return new Item(BareItem.TRUE, parameters());
    }
    at++;
    return itemOrInnerList();
  }

  private InnerList innerList() throws StructuredException {
    take('(', "an Inner List begins with (");
    List<Item> items = new ArrayList<>();
    while (peek() != END) {
      skipSpaces();
      if (peek() == ')') {
        at++;
        return new InnerList(items, parameters());
      }
      items.add(item());
      if (peek() != ' ' && peek() != ')') {
        throw fault("a space or ) has to follow an item of an Inner List");
      }
    }
    throw fault("an Inner List has no end");
  }

  private Item item() throws StructuredException {
    BareItem bare = bareItem();
    return new Item(bare, parameters());
  }

  private Parameters parameters() throws StructuredException {
    if (peek() != ';') {
      return Parameters.NONE;
    }
    Map<String, BareItem> values = new LinkedHashMap<>();
    while (peek() == ';') {
      at++;
      skipSpaces();
      String key = key();
      BareItem bare = BareItem.TRUE;
      if (peek() == '=') {
        at++;
        bare = bareItem();
      }
      values.put(key, bare);
    }
    return new Parameters(values);
  }

  private String key() throws StructuredException {
    if (!Syntax.beginsKey(peek())) {
      throw fault("a key begins with a lower-case letter or *");
    }
    int start = at;
    while (Syntax.isInKey(peek())) {
      at++;
    }
    return ascii(start, at);
  }

  private BareItem bareItem() throws StructuredException {
    int first = peek();
    if (first == '-' || Syntax.isDigit(first)) {
      return number();
    }
    if (Syntax.beginsToken(first)) {
      return token();
    }
    return switch (first) {
      case '"' -> string();
      case ':' -> bytes();
      case '?' -> bool();
      case '@' -> date();
      case '%' -> display();
      default -> throw fault("no item begins so");
    };
  }

  private BareItem number() throws StructuredException {
    int start = at;
    at += peek() == '-' ? 1 : 0;
    int digits = at;
    digits();
    int whole = at - digits;
    if (whole == 0) {
      throw fault("a number has no digit");
    }
    if (peek() != '.') {
      if (whole > MOST_DIGITS) {
        throw fault("an Integer has more than 15 digits");
      }
      return new BareItem.Int(Long.parseLong(ascii(start, at)));
    }
    at++;
    int point = at;
    digits();
    int behind = at - point;
    if (whole > MOST_DIGITS_OF_DECIMAL || behind == 0 || behind > 3) {
      throw fault("a Decimal has 1 to 12 digits, a point and 1 to 3 digits");
    }
    return new BareItem.Decimal(new BigDecimal(ascii(start, at)));
  }

  private void digits() {
    while (Syntax.isDigit(peek())) {
      at++;
    }
  }

  private BareItem string() throws StructuredException {
    take('"', "a String begins with a quote");
    StringBuilder text = new StringBuilder();
    while (peek() != END) {
      int c = printable();
      if (c == '"') {
        return new BareItem.Text(text.toString());
      }
      if (c == '\\') {
        c = peek();
        if (c != '"' && c != '\\') {
          throw fault("a backslash stands in front of a quote or backslash only");
        }
        at++;
      }
      text.append((char) c);
    }
    throw fault("a String has no end");
  }

  private int printable() throws StructuredException {
    int c = peek();
    if (c < 0x20 || c >= 0x7f) {
      throw fault("a string has an octet that is not printable ASCII");
    }
    at++;
    return c;
  }

  private BareItem token() {
    int start = at;
    while (Syntax.isInToken(peek())) {
      at++;
    }
    return new BareItem.Token(ascii(start, at));
  }

  private BareItem bytes() throws StructuredException {
    take(':', "a Byte Sequence begins with a colon");
    int start = at;
    while (peek() != ':') {
      if (peek() == END) {
        throw fault("a Byte Sequence has no end");
      }
      at++;
    }
    String base64 = ascii(start, at);
    at++;
    try {
      return BareItem.Bytes.of(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw fault("a Byte Sequence is not base64");
    }
  }

  private BareItem bool() throws StructuredException {
    take('?', "a Boolean begins with ?");
    int c = peek();
    if (c != '0' && c != '1') {
      throw fault("a Boolean is ?0 or ?1");
    }
    at++;
    return c == '1' ? BareItem.TRUE : new BareItem.Bool(false);
  }

  private BareItem date() throws StructuredException {
    take('@', "a Date begins with @");
    BareItem number = number();
    if (number instanceof BareItem.Int seconds) {
      return new BareItem.Date(seconds.value());
    }
    throw fault("a Date has no fraction");
  }

  private BareItem display() throws StructuredException {
    take('%', "a Display String begins with %");
    take('"', "a Display String has a quote behind %");
    ByteBuffer octets = ByteBuffer.allocate(value.length - at);
    while (peek() != END) {
      int c = printable();
      if (c == '"') {
        return new BareItem.Display(utf8(octets.flip()));
      }
      octets.put((byte) (c == '%' ? 16 * hex() + hex() : c));
    }
    throw fault("a Display String has no end");
  }

  private int hex() throws StructuredException {
    int c = peek();
    if (!Syntax.isDigit(c) && (c < 'a' || c > 'f')) {
      throw fault("two digits of lower-case hex have to follow %");
    }
    at++;
    return Character.digit(c, 16);
  }

  private String utf8(ByteBuffer octets) throws StructuredException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(octets).toString();
    } catch (CharacterCodingException e) {
      throw fault("a Display String is not UTF-8");
    }
  }

  private int peek() {
    return at < value.length ? value[at] & 0xff : END;
  }

  private void take(int octet, String rule) throws StructuredException {
    if (peek() != octet) {
      throw fault(rule);
    }
    at++;
  }

  private void skipSpaces() {
    while (peek() == ' ') {
      at++;
    }
  }

  private void skipBlanks() {
    while (peek() == ' ' || peek() == '\t') {
      at++;
    }
  }

  private String ascii(int start, int end) {
    return new String(value, start, end - start, StandardCharsets.US_ASCII);
  }

  private StructuredException fault(String reason) {
    return new StructuredException(reason, at);
  }
}
