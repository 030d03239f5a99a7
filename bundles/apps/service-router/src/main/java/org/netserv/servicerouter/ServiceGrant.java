// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.util.List;
import org.netserv.serval.ServicePrefix;

/**
 * The serviceIDs for which the node lets this module route. Rules and registrations outside of them
 * are refused before anything is bound. A publisher's file cannot name such prefixes yet, so the
 * module begins with {@link #ALL}.
 */
record ServiceGrant(List<ServicePrefix> prefixes) {
  static final ServiceGrant ALL = new ServiceGrant(List.of(ServicePrefix.DEFAULT));

  boolean covers(ServicePrefix prefix) {
    return prefixes.stream().anyMatch(each -> each.covers(prefix));
  }
}
