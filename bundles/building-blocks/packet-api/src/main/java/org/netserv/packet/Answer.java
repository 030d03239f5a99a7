// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * An answer by template, from {@link Answers#make} to {@link #withdraw}. The states are those of a
 * {@link Relay}: {@code ASKED} until the node has answered, and before {@link Decision#answerNext}.
 *
 * <p>An answer whose budget is used up stays {@code ACTIVE}, and all packets come to the module,
 * until the module hands it over again.
 *
 * <p>The numbers are at most 0.2 s old, and begin anew when the kernel gets the template anew.
 * Reading allocates nothing and takes no lock. {@link #withdraw} may be called by any thread, the
 * other methods by one thread at a time.
 */
@ProviderType
public interface Answer {
  AnswerTemplate template();

  Relay.State state();

  /**
   * Returns the name of the reason why the node has refused, by the names of {@code
   * docs/protocols/bpfd.md}, for example {@code filter} or {@code quota}. Empty unless {@code
   * REFUSED}.
   */
  String refusal();

  /** Packets that the kernel has answered, or dropped if the reply is empty. */
  long packets();

  /** Bytes of IP of these packets, as they came. */
  long bytes();

  /**
   * Returns the time of the last of these packets, in microseconds of the monotonic clock ({@link
   * Answers#nowMicros}). 0 = there was none.
   */
  long lastMicros();

  /** Packets of the flow that came to the module while the kernel had the answer. */
  long longWayPackets();

  /**
   * Takes the answer out of the kernel, within 0.2 s, and gives its place back. Packets that come
   * meanwhile may still be answered. A second call does nothing.
   */
  void withdraw();
}
