// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import java.util.List;

/**
 * An Inner List (RFC 9651, 3.1.1): items, each with parameters, and parameters of the list.
 *
 * @param items a copy is kept
 */
public record InnerList(List<Item> items, Parameters parameters) implements Member {
  public InnerList {
    items = List.copyOf(items);
  }
}
