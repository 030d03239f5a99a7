// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/**
 * Reads an expression by recursive descent:
 *
 * <pre>
 *   whole     = term { ("and" | "or") term }            of equal precedence, from left to right
 *   term      = "not" term | "(" whole ")" | primitive
 *   primitive = family | protocol                       ip, ip6; tcp, udp, sctp, icmp, icmp6
 *             | [family] [direction] ["host" | "net"] prefix | [family] "proto" number
 *             | [family | protocol] [direction] ("port" port | "portrange" range)
 *             | (family | protocol) "[" index "]" comparison | "len" comparison
 *             | value                                   like the one before: port 80 or 443
 * </pre>
 */
final class Parser {
  private static final int DEEPEST = 16;
  private static final int SCTP = 132;
  private static final List<Integer> WITH_PORTS = List.of(Protocols.TCP, Protocols.UDP, SCTP);
  private static final Map<String, Integer> PROTOCOLS =
      Map.of(
          "tcp", Protocols.TCP,
          "udp", Protocols.UDP,
          "sctp", SCTP,
          "icmp", Protocols.ICMP,
          "icmp6", Protocols.ICMPV6);
  private static final Set<String> DIRECTIONS = Set.of("src", "dst");
  private static final Set<String> KINDS = Set.of("host", "net", "proto", "port", "portrange");

  /** Joins the conditions on source and destination. */
  private interface Ends extends BinaryOperator<Expression> {}

  /** Makes a primitive from a value. */
  @FunctionalInterface
  private interface Values {
    Expression of(String value) throws BadValueException;
  }

  private final Tokens words;
  private int depth;

  /** Maker of the primitive before, for a value that stands alone. */
  private Values last;

  Parser(Tokens words) {
    this.words = words;
  }

  Expression whole() throws BadValueException {
    Expression all = terms();
    if (!words.atEnd()) {
      throw words.unexpected("and, or or the end expected");
    }
    return all;
  }

  private Expression terms() throws BadValueException {
    Expression left = term();
    while (true) {
      if (words.take("and", "&&")) {
        left = left.and(term());
      } else if (words.take("or", "||")) {
        left = left.or(term());
      } else {
        return left;
      }
    }
  }

  private Expression term() throws BadValueException {
    if (++depth > DEEPEST) {
      throw words.unexpected("nested more than " + DEEPEST + " times");
    }
    Expression term;
    if (words.take("not", "!")) {
      term = term().not();
    } else if (words.take("(")) {
      term = terms();
      words.expect(")");
    } else {
      term = primitive();
    }
    depth--;
    return term;
  }

  private Expression primitive() throws BadValueException {
    if (words.take("len")) {
      Condition comparison = new Comparison(words).read();
      return v6 -> Field.loaded(Program.LOAD_LENGTH, 0, comparison);
    }
    if (words.take("ip")) {
      return ofFamily(false);
    }
    if (words.take("ip6")) {
      return ofFamily(true);
    }
    if (PROTOCOLS.containsKey(words.peek())) {
      return ofProtocol(PROTOCOLS.get(words.next()));
    }
    if (described()) {
      return description();
    }
    if (last == null || words.atEnd()) {
      throw words.unexpected("a primitive expected");
    }
    return last.of(words.next());
  }

  private boolean described() {
    return DIRECTIONS.contains(words.peek()) || KINDS.contains(words.peek());
  }

  private Expression ofFamily(boolean six) throws BadValueException {
    Expression family = v6 -> Condition.constant(v6 == six);
    if (words.take("[")) {
      int[] index = index();
      Condition comparison = new Comparison(words).read();
      return family.and(v6 -> Field.loaded(index[1], index[0], comparison));
    }
    return described() ? family.and(description()) : family;
  }

  private Expression ofProtocol(int protocol) throws BadValueException {
    if (words.take("[")) {
      int[] index = index();
      Condition comparison = new Comparison(words).read();
      return inFamily(
          protocol, v6 -> Field.transport(v6, List.of(protocol), index[1], index[0], comparison));
    }
    if (!described()) {
      return inFamily(protocol, v6 -> Field.protocol(v6, protocol));
    }
    Ends ends = direction();
    if (!WITH_PORTS.contains(protocol) || !words.peek().startsWith("port")) {
      throw words.unexpected("port or portrange of tcp, udp or sctp expected");
    }
    return ports(ends, List.of(protocol));
  }

  /** Limits the expression to the protocol's family. ICMP and ICMPv6 are of one family each. */
  private static Expression inFamily(int protocol, Expression expression) {
    return v6 ->
        protocol == (v6 ? Protocols.ICMP : Protocols.ICMPV6) ? Condition.NEVER : expression.in(v6);
  }

  private Expression description() throws BadValueException {
    if (words.take("proto")) {
      int number = Protocols.parse(words.next());
      return v6 -> Field.protocol(v6, number);
    }
    Ends ends = direction();
    if (words.peek().startsWith("port")) {
      return ports(ends, WITH_PORTS);
    }
    boolean net = words.take("net");
    if (!net) {
      words.take("host");
    }
    last = value -> addresses(ends, net, value);
    return last.of(words.next());
  }

  private Ends direction() {
    if (!DIRECTIONS.contains(words.peek())) {
      return Expression::or;
    }
    boolean source = words.next().equals("src");
    String other = source ? "dst" : "src";
    if (words.takeAll("or", other)) {
      return Expression::or;
    }
    if (words.takeAll("and", other)) {
      return Expression::and;
    }
    return source ? (src, dst) -> src : (src, dst) -> dst;
  }

  private static Expression addresses(Ends ends, boolean net, String value)
      throws BadValueException {
    if (!net && value.indexOf('/') >= 0) {
      throw new BadValueException("not a host: " + BadValueException.quote(value));
    }
    Prefix prefix = Prefix.parse(value);
    return ends.apply(
        v6 -> Field.address(v6, true, prefix), v6 -> Field.address(v6, false, prefix));
  }

  private Expression ports(Ends ends, List<Integer> protocols) throws BadValueException {
    boolean range = words.next().equals("portrange");
    last =
        value -> {
          if (!range && value.indexOf('-') >= 0) {
            throw new BadValueException("not a port: " + BadValueException.quote(value));
          }
          PortRange ports = PortRange.parse(value);
          return ends.apply(port(protocols, 0, ports), port(protocols, 2, ports));
        };
    return last.of(words.next());
  }

  private static Expression port(List<Integer> protocols, int offset, PortRange ports) {
    Condition within = Comparison.between(ports.first(), ports.last());
    return v6 -> Field.transport(v6, protocols, Program.LOAD_HALF, offset, within);
  }

  /** Returns the offset, and the load of one, two or four bytes. */
  private int[] index() throws BadValueException {
    String[] parts = words.index().split(":", -1);
    int offset = Integer.parseInt(parts[0]);
    int load =
        switch (parts.length == 1 ? "1" : parts[1]) {
          case "2" -> Program.LOAD_HALF;
          case "4" -> Program.LOAD_WORD;
          default -> Program.LOAD_BYTE;
        };
    words.expect("]");
    return new int[] {offset, load};
  }
}
