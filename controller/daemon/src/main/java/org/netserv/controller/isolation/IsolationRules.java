// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.isolation;

import java.util.Set;

/** What policy says about layers of isolation; a reload changes the answers. */
public interface IsolationRules {

  /** Layers that containers do without, by name. */
  Set<String> leftOut();

  /** Layers without which every publisher is accepted all the same. */
  Set<String> acceptMissing();

  /** Whether a publisher is the operator's own: accepted whatever is missing. */
  boolean operator(String user);
}
