// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Serialises values by RFC 9651 section 4.1. The values were checked when they were made, so
 * writing does not fail. An empty list or dictionary is an empty text: its field is left out.
 */
public final class StructuredWriter {
  private final StringBuilder text = new StringBuilder();

  private StructuredWriter() {}

  /** Writes a List. */
  public static String list(List<? extends Member> members) {
    StructuredWriter writer = new StructuredWriter();
    for (Member member : members) {
      writer.separate();
      writer.member(member);
    }
    return writer.text.toString();
  }

  /**
   * Writes a Dictionary in the map's order.
   *
   * @throws IllegalArgumentException if a key is none by 3.1.2
   */
  public static String dictionary(Map<String, ? extends Member> members) {
    StructuredWriter writer = new StructuredWriter();
    members.forEach(writer::dictionaryMember);
    return writer.text.toString();
  }

  /** Writes an Item. */
  public static String item(Item item) {
    StructuredWriter writer = new StructuredWriter();
    writer.member(item);
    return writer.text.toString();
  }

  private void dictionaryMember(String key, Member member) {
    Parameters.checkKey(key);
    separate();
    text.append(key);
    if (member instanceof Item item && item.value().equals(BareItem.TRUE)) {
      parameters(item.parameters());
    } else {
      text.append('=');
      member(member);
    }
  }

  private void separate() {
    text.append(text.isEmpty() ? "" : ", ");
  }

  private void member(Member member) {
    if (member instanceof InnerList list) {
      innerList(list);
    } else if (member instanceof Item item) {
      bare(item.value());
      parameters(item.parameters());
    }
  }

  private void innerList(InnerList list) {
    text.append('(');
    for (int i = 0; i < list.items().size(); i++) {
      text.append(i == 0 ? "" : " ");
      member(list.items().get(i));
    }
    text.append(')');
    parameters(list.parameters());
  }

  private void parameters(Parameters parameters) {
    parameters.values().forEach(this::parameter);
  }

  private void parameter(String key, BareItem value) {
    text.append(';').append(key);
    if (!value.equals(BareItem.TRUE)) {
      text.append('=');
      bare(value);
    }
  }

  private void bare(BareItem item) {
    if (item instanceof BareItem.Int number) {
      text.append(number.value());
    } else if (item instanceof BareItem.Decimal decimal) {
      decimal(decimal.value());
    } else if (item instanceof BareItem.Text string) {
      string(string.value());
    } else if (item instanceof BareItem.Token token) {
      text.append(token.value());
    } else if (item instanceof BareItem.Bytes bytes) {
      text.append(':').append(bytes.base64()).append(':');
    } else if (item instanceof BareItem.Bool bool) {
      text.append(bool.value() ? "?1" : "?0");
    } else if (item instanceof BareItem.Date date) {
      text.append('@').append(date.seconds());
    } else if (item instanceof BareItem.Display display) {
      display(display.value());
    }
  }

  /** Writes one digit behind the point at least, and no zero behind that one (4.1.5). */
  private void decimal(BigDecimal value) {
    BigDecimal shortest = value.stripTrailingZeros();
    text.append(shortest.setScale(Math.max(1, shortest.scale())).toPlainString());
  }

  private void string(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      text.append(c == '"' || c == '\\' ? "\\" : "").append(c);
    }
    text.append('"');
  }

  private void display(String value) {
    text.append("%\"");
    for (byte octet : value.getBytes(StandardCharsets.UTF_8)) {
      int c = octet & 0xff;
      if (c == '%' || c == '"' || c < 0x20 || c >= 0x7f) {
        text.append('%').append(Character.forDigit(c >> 4, 16));
        text.append(Character.forDigit(c & 15, 16));
      } else {
        text.append((char) c);
      }
    }
    text.append('"');
  }
}
