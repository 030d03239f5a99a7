// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

/** An Item (RFC 9651, 3.3): a bare item with parameters. */
public record Item(BareItem value, Parameters parameters) implements Member {
  /** Makes an item without parameters. */
  public static Item of(BareItem value) {
    return new Item(value, Parameters.NONE);
  }
}
