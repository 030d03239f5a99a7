// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.isolation;

import org.netserv.policy.IsolationPolicy;

/** What policy says about layers of isolation; a reload changes the answers. */
public interface IsolationRules {

  /** Layers that are left out, accepted as missing, or required. */
  IsolationPolicy isolation();

  /** Whether a publisher is the operator's own: accepted whatever is missing. */
  boolean operator(String user);
}
