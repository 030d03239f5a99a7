// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.security.PublicKey;
import java.util.List;
import java.util.Set;
import org.netserv.values.Prefix;
import org.netserv.values.ServiceIdPrefix;

/**
 * The first settings of a new publisher. All other settings are the defaults of {@code
 * publisher.schema.json}.
 *
 * @param keys at least one
 * @param serval prefixes of serviceIDs for its service routers
 * @param signers names of anchors; empty = every anchor of the node
 */
public record PublisherDraft(
    String name,
    List<PublicKey> keys,
    List<Prefix> prefixes,
    List<PortRule> ports,
    List<ConnectRule> connect,
    List<ConnectRule> listen,
    List<ConnectRule> take,
    List<ServiceIdPrefix> serval,
    boolean operator,
    Set<Grant> grants,
    List<String> signers) {

  public PublisherDraft {
    keys = List.copyOf(keys);
    prefixes = List.copyOf(prefixes);
    ports = List.copyOf(ports);
    connect = List.copyOf(connect);
    listen = List.copyOf(listen);
    take = List.copyOf(take);
    serval = List.copyOf(serval);
    grants = Set.copyOf(grants);
    signers = List.copyOf(signers);
  }

  /** Returns a publisher with keys alone. It may run server modules and nothing else yet. */
  public static PublisherDraft of(String name, List<PublicKey> keys) {
    return new PublisherDraft(
        name, keys, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), false,
        Set.of(), List.of());
  }
}
