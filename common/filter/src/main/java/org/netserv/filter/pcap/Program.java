// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import java.util.ArrayList;
import java.util.List;

/**
 * A classic BPF program in the making. Offsets count from the IP header. Jumps go to labels, which
 * are placed later: such programs only jump forward.
 */
final class Program {
  /** The most instructions that a rule of the kernel's firewall takes. */
  static final int MOST = 64;

  static final int LOAD_WORD = 0x20;
  static final int LOAD_HALF = 0x28;
  static final int LOAD_BYTE = 0x30;
  static final int LOAD_LENGTH = 0x80;

  /** Makes a load count from the index register on, when added to the load's code. */
  static final int INDEXED = 0x20;

  static final int AND = 0x54;
  static final int IF_EQUAL = 0x15;
  static final int IF_GREATER = 0x25;
  static final int IF_NOT_LESS = 0x35;
  static final int IF_ANY_BIT = 0x45;

  private static final int INDEX_BY_IPV4_HEADER = 0xb1;
  private static final int RETURN = 0x06;
  private static final int MATCH = 0xffff;

  /** A place in the program. */
  static final class Label {
    private int at;
  }

  private record Step(int code, Label yes, Label no, long operand) {}

  private final List<Step> steps = new ArrayList<>();

  void add(int code, long operand) {
    steps.add(new Step(code, null, null, operand));
  }

  /** Loads the length of the IPv4 header, in bytes, into the index register. */
  void index() {
    add(INDEX_BY_IPV4_HEADER, 0);
  }

  /** Compares the value loaded last. */
  void test(int code, long operand, Label yes, Label no) {
    steps.add(new Step(code, yes, no, operand));
  }

  /** Lets the label lead to the next instruction. */
  void place(Label label) {
    label.at = steps.size();
  }

  void end(Label yes, Label no) {
    place(yes);
    add(RETURN, MATCH);
    place(no);
    add(RETURN, 0);
  }

  int size() {
    return steps.size();
  }

  /** {@code code:yes:no:operand} of each instruction, separated by commas. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      text.append(i == 0 ? "" : ",").append(step.code);
      text.append(':').append(step.yes == null ? 0 : step.yes.at - i - 1);
      text.append(':').append(step.no == null ? 0 : step.no.at - i - 1);
      text.append(':').append(step.operand);
    }
    return text.toString();
  }
}
