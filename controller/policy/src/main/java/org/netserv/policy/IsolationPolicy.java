// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Set;

/**
 * Which layers of isolation containers have; their names are those of docs/protocols/spawner.md.
 *
 * @param without left out on purpose; {@code all} = every one
 * @param acceptMissing that may be missing without publishers other than the operator's being
 *     refused
 */
public record IsolationPolicy(
    Set<String> without, @JsonProperty("accept-missing") Set<String> acceptMissing) {
  public IsolationPolicy {
    without = Set.copyOf(without);
    acceptMissing = Set.copyOf(acceptMissing);
  }
}
