// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

/** What an expression, or a part of one, asks of packets of a family. */
@FunctionalInterface
interface Expression {
  Condition in(boolean v6);

  default Expression and(Expression other) {
    return v6 -> in(v6).and(other.in(v6));
  }

  default Expression or(Expression other) {
    return v6 -> in(v6).or(other.in(v6));
  }

  default Expression not() {
    return v6 -> in(v6).not();
  }
}
