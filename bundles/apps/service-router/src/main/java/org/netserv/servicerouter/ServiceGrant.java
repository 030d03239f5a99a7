// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.util.List;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.ServicePrefix;

/**
 * The serviceIDs for which the node's policy lets this module route. Rules and registrations
 * outside of them are refused before anything is bound.
 */
record ServiceGrant(List<ServicePrefix> prefixes) {
  /** The property by which the node tells them. No message can set it. */
  static final String PROPERTY = "netserv.serval";

  static ServiceGrant of(ModuleProperties properties) {
    return new ServiceGrant(
        properties.list(PROPERTY, "").stream()
            .map(text -> RuleText.prefix(PROPERTY, text))
            .toList());
  }

  /** Tells whether the policy grants a prefix. */
  boolean covers(ServicePrefix prefix) {
    return prefixes.stream().anyMatch(each -> each.covers(prefix));
  }

  /**
   * Requires that the policy grants a prefix.
   *
   * @param name of the property that has the prefix
   */
  void require(String name, ServicePrefix prefix) {
    if (!covers(prefix)) {
      throw new IllegalArgumentException(
          name + ": the policy (" + PROPERTY + ") does not grant " + prefix);
    }
  }
}
