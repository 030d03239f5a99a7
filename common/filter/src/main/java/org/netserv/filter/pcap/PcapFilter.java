// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.Optional;
import org.netserv.filter.pcap.Program.Label;
import org.netserv.values.BadValueException;

/**
 * An expression over packets: a part of pcap-filter(7), the words of which {@code
 * docs/protocols/ncm.md} lists. Immutable.
 */
public final class PcapFilter {
  /** The longest expression, in characters. */
  public static final int LONGEST = 256;

  private final String text;
  private final String v4;
  private final String v6;

  private PcapFilter(String text, Expression expression) throws BadValueException {
    this.text = text;
    this.v4 = compile(expression.in(false));
    this.v6 = compile(expression.in(true));
    if (v4.isEmpty() && v6.isEmpty()) {
      throw new BadValueException(
          "no packet of any family can match " + BadValueException.quote(text));
    }
  }

  /** Reads an expression of printable ASCII; the message of the exception names the word. */
  public static PcapFilter parse(String text) throws BadValueException {
    if (text.length() > LONGEST) {
      throw new BadValueException("longer than " + LONGEST + " characters");
    }
    Tokens words = new Tokens(text);
    return new PcapFilter(words.canonical(), new Parser(words).whole());
  }

  private static String compile(Condition condition) throws BadValueException {
    if (condition == Condition.NEVER) {
      return "";
    }
    Program program = new Program();
    Label yes = new Label();
    Label no = new Label();
    condition.write(program, yes, no);
    program.end(yes, no);
    if (program.size() > Program.MOST) {
      throw new BadValueException(
          "too long: " + program.size() + " instructions, and the kernel takes " + Program.MOST);
    }
    return program.toString();
  }

  /**
   * The program for packets of a family, {@code code:yes:no:operand} of each instruction, separated
   * by commas; offsets count from the IP header. Empty: none of them matches.
   *
   * @param family 4 or 6
   */
  public Optional<String> bytecode(int family) {
    String code = family == 6 ? v6 : v4;
    return code.isEmpty() ? Optional.empty() : Optional.of(code);
  }

  /** The words with one space between them, as far as they need it. */
  @Override
  public String toString() {
    return text;
  }
}
