// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Lets the kernel answer a flow's next packets in the module's place: the part of the node's fast
 * path for keep-alives. An OSGi service. A module makes an answer here, and hands it over with its
 * decision about a packet of the flow:
 *
 * <pre>
 *   Answer answer = answers.make(template);
 *   ...
 *   return decision.changed("answered").answerNext(answer, budget, seconds);
 * </pre>
 *
 * <p>The kernel answers only packets of a flow that the publisher's filter leads to this container,
 * and that no other container samples. All packets that do not fit the template come to the module.
 *
 * <p>Each bundle has an object of its own, and its answers end with it. Any thread may call.
 */
@ProviderType
public interface Answers {
  /** Tells whether the node can take answers now. It may change with the node's fast path. */
  boolean available();

  /** Returns the reason why {@link #available} is false, for a log. Empty if it is true. */
  String unavailable();

  /**
   * Returns how many more answers, relays and rules of service routers this container may have, of
   * all its bundles.
   */
  int free();

  /**
   * Makes an answer, which the kernel does not know yet. It takes a place until {@link
   * Answer#withdraw}.
   *
   * @return null if there is no place, or if {@link #available} is false
   */
  Answer make(AnswerTemplate template);

  /** Returns the present time of the clock of {@link Answer#lastMicros}. */
  long nowMicros();
}
