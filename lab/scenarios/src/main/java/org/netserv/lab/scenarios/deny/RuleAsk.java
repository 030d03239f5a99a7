// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

/**
 * A question of a module for a rule of a service router in the kernel, each address with its port.
 *
 * @param router to which clients send
 * @param prefix the first byte of the serviceIDs, in hexadecimal, and the bits: {@code 51 8}
 */
record RuleAsk(String router, String prefix, String target) {
  /** A rule that the publisher may have, by the topology's lists. */
  static final RuleAsk OWN = new RuleAsk("10.1.0.1:7000", "51 8", "192.0.2.10:9000");

  RuleAsk router(String other) {
    return new RuleAsk(other, prefix, target);
  }

  RuleAsk prefix(String other) {
    return new RuleAsk(router, other, target);
  }

  RuleAsk target(String other) {
    return new RuleAsk(router, prefix, other);
  }

  /** Returns the argument of the attempt. */
  String inWords() {
    return String.join(" ", router, prefix, target);
  }
}
