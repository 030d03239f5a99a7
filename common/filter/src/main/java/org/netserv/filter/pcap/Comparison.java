// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.Map;
import org.netserv.filter.pcap.Program.Label;
import org.netserv.values.BadValueException;

/** Reads the comparison of a loaded number: {@code [& mask] operator number}. */
final class Comparison {
  private static final Map<String, Integer> NAMES =
      Map.of(
          "tcp-fin", 0x01,
          "tcp-syn", 0x02,
          "tcp-rst", 0x04,
          "tcp-push", 0x08,
          "tcp-ack", 0x10,
          "tcp-urg", 0x20);
  private static final long WHOLE = 0xffffffffL;

  private final Tokens words;

  Comparison(Tokens words) {
    this.words = words;
  }

  Condition read() throws BadValueException {
    long mask = words.take("&") ? mask() : WHOLE;
    String operator = words.next();
    int code =
        switch (operator) {
          case "=", "==", "!=" -> Program.IF_EQUAL;
          case ">", "<=" -> Program.IF_GREATER;
          case ">=", "<" -> Program.IF_NOT_LESS;
          default ->
              throw new BadValueException("not a comparison: " + BadValueException.quote(operator));
        };
    long value = number();
    Condition test = (program, yes, no) -> program.test(code, value, yes, no);
    boolean not = operator.equals("!=") || operator.startsWith("<");
    return masked(mask, not ? test.not() : test);
  }

  /** At least {@code low} and at most {@code high}. */
  static Condition between(long low, long high) {
    if (low == high) {
      return (program, yes, no) -> program.test(Program.IF_EQUAL, low, yes, no);
    }
    return (program, yes, no) -> {
      Label second = new Label();
      program.test(Program.IF_NOT_LESS, low, second, no);
      program.place(second);
      program.test(Program.IF_GREATER, high, no, yes);
    };
  }

  private static Condition masked(long mask, Condition test) {
    if (mask == WHOLE) {
      return test;
    }
    return (program, yes, no) -> {
      program.add(Program.AND, mask);
      test.write(program, yes, no);
    };
  }

  private long mask() throws BadValueException {
    if (!words.take("(")) {
      return number();
    }
    long mask = number();
    while (words.take("|")) {
      mask |= number();
    }
    words.expect(")");
    return mask;
  }

  /** 32 bits, decimal or hexadecimal, or the name of a flag of TCP. */
  private long number() throws BadValueException {
    String word = words.next();
    Integer named = NAMES.get(word);
    if (named != null) {
      return named;
    }
    boolean hexadecimal = word.matches("0x[0-9A-Fa-f]{1,8}");
    if (!hexadecimal && !word.matches("[0-9]{1,10}")) {
      throw new BadValueException("not a number: " + BadValueException.quote(word));
    }
    long value = hexadecimal ? Long.parseLong(word.substring(2), 16) : Long.parseLong(word);
    if (value > WHOLE) {
      throw new BadValueException("more than 32 bits: " + BadValueException.quote(word));
    }
    return value;
  }
}
