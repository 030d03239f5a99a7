// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import java.net.InetAddress;
import org.netserv.values.Addresses;

/**
 * A pattern of URLs of nodes: {@code {address}}, {@code {dashed}} (the address with dashes in place
 * of dots and colons, for a name in the DNS) and {@code {node}} (the node-id) are filled in.
 */
public record EdgeUrl(String pattern) {
  /** Returns the URL of a node. */
  public String of(String nodeId, InetAddress address) {
    String text = Addresses.print(address);
    String host = text.indexOf(':') < 0 ? text : "[" + text + "]";
    return pattern
        .replace("{address}", host)
        .replace("{dashed}", text.replace('.', '-').replace(':', '-'))
        .replace("{node}", nodeId);
  }
}
