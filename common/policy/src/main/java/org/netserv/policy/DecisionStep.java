// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

/**
 * One question on the way to a decision.
 *
 * @param question such as {@code may alice filter udp/5060?}
 * @param answer such as {@code yes}
 * @param rule the line of policy, or the rule of NetServ, that gave the answer
 */
public record DecisionStep(String question, String answer, String rule) {
  @Override
  public String toString() {
    return question + " " + answer + " (" + rule + ")";
  }
}
