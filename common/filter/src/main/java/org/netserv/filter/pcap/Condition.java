// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import org.netserv.filter.pcap.Program.Label;

/** A test of packets of one family. The constants drop out of conditions that contain them. */
@FunctionalInterface
interface Condition {
  Condition ALWAYS = (program, yes, no) -> program.test(Program.IF_NOT_LESS, 0, yes, no);
  Condition NEVER = (program, yes, no) -> program.test(Program.IF_NOT_LESS, 0, no, yes);

  /** Writes instructions that end in a jump to one of the two; neither is placed yet. */
  void write(Program program, Label yes, Label no);

  static Condition constant(boolean value) {
    return value ? ALWAYS : NEVER;
  }

  /**
   * Returns a condition that holds if the value that {@code code} loads from the offset equals the
   * operand.
   */
  static Condition equal(int code, int offset, long operand) {
    return (program, yes, no) -> {
      program.add(code, offset);
      program.test(Program.IF_EQUAL, operand, yes, no);
    };
  }

  default Condition and(Condition other) {
    if (this == NEVER || other == NEVER) {
      return NEVER;
    }
    if (this == ALWAYS || other == ALWAYS) {
      return this == ALWAYS ? other : this;
    }
    return (program, yes, no) -> {
      Label second = new Label();
      write(program, second, no);
      program.place(second);
      other.write(program, yes, no);
    };
  }

  default Condition or(Condition other) {
    return not().and(other.not()).not();
  }

  default Condition not() {
    if (this == ALWAYS || this == NEVER) {
      return this == ALWAYS ? NEVER : ALWAYS;
    }
    return (program, yes, no) -> write(program, no, yes);
  }
}
