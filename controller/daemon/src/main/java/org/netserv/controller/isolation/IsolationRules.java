// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.isolation;

import org.netserv.policy.IsolationPolicy;

/** The rules of policy about layers of isolation. A reload changes the answers. */
public interface IsolationRules {

  /** Layers that are left out, accepted as missing, or required. */
  IsolationPolicy isolation();

  /**
   * Returns true if a publisher is the operator's own, which is accepted whatever layer is missing.
   */
  boolean operator(String user);
}
