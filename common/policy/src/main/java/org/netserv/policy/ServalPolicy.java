// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.List;
import org.netserv.values.ServiceIdPrefix;

/**
 * The rights of a publisher's service routers of Serval.
 *
 * @param prefixes serviceIDs for which they may have rules; empty = none
 */
public record ServalPolicy(List<ServiceIdPrefix> prefixes) {
  public ServalPolicy {
    prefixes = List.copyOf(prefixes);
  }
}
