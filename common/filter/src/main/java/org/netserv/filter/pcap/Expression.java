// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

/** An expression, or a part of one, that becomes a {@link Condition} for packets of each family. */
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
