// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/** Status of routing state (RFC 5971 section 7.1.3). */
public enum RoutingStatus {
  GOOD,
  TENTATIVE,
  BAD
}
