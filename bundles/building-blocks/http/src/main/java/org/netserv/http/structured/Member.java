// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

/** A member of a list or dictionary: an {@link Item} or an {@link InnerList}. */
public sealed interface Member permits Item, InnerList {
  /** The member's parameters. */
  Parameters parameters();
}
