// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.List;

/**
 * A packet's way through the chain.
 *
 * @param seq its number in the ring
 * @param source address and port as it came, {@code 192.0.2.1:5060}
 * @param length bytes of the IP packet as it came
 * @param steps one for each module that saw it, in order
 * @param verdict the chain's verdict, as told to the node
 */
public record TracedPacket(
    long seq,
    String source,
    String destination,
    int protocol,
    int length,
    List<Step> steps,
    String verdict) {
  public TracedPacket {
    steps = List.copyOf(steps);
  }

  /**
   * The verdict of one module.
   *
   * @param reason as the module gave it, or null
   */
  public record Step(String module, String verdict, String reason) {}
}
