// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A rule of a service router that a module has given to the kernel, by {@link ServiceRules#ask}. It
 * is the module's until {@link #remove}. The states are those of a {@link Relay}.
 *
 * <p>{@link #refresh} and {@link #remove} may be called by any thread. The other methods may be
 * called by one thread at a time.
 */
@ProviderType
public interface ServiceRule {
  ServiceRuleEntry entry();

  Relay.State state();

  /**
   * Returns the name of the reason why the node has refused, by the names of {@code
   * docs/protocols/bpfd.md}, for example {@code prefix} or {@code quota}. Empty unless {@code
   * REFUSED}.
   */
  String refusal();

  /**
   * Lets the rule live for so many seconds from now on. If it is refused or ended, asks for it
   * again. Returns at once.
   *
   * @param seconds 1 to 65535
   * @throws IllegalArgumentException if the seconds are out of range
   * @throws IllegalStateException after {@link #remove}
   */
  void refresh(int seconds);

  /**
   * Takes the rule out of the kernel, within 0.2 s, and gives its place back. A second call does
   * nothing.
   */
  void remove();
}
