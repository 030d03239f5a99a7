// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Names to addresses; called once for each request and redirect, from a thread that may block. */
@FunctionalInterface
public interface Resolver {
  /** The platform's resolver. */
  Resolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  List<InetAddress> resolve(String host) throws UnknownHostException;
}
