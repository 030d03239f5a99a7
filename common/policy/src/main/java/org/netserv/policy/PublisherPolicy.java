// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.security.PublicKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.netserv.ncm.Ncm;
import org.netserv.values.Prefix;

/**
 * A publisher on this node: {@code publishers.d/<name>.yaml}, defaults filled in. {@code
 * publisher.schema.json} describes each key.
 *
 * @param name the user of its messages and the name of its container
 * @param index 0 to 4095, given once and kept
 * @param keys the keys that sign for the publisher; at least one
 * @param prefixes proven to be its own; empty = it gets no packets
 * @param listen where the network reaches its servers: addresses of the node
 * @param take connections to its own prefixes that its modules may take
 * @param serval rights of its service routers of Serval
 * @param operator the operator's own: accepted even where a layer of isolation is missing
 * @param plane the way of packets to its modules
 * @param process programs that the node may start beside its container
 * @param signers names of the anchors that may vouch for its bundles; empty = every anchor of the
 *     node
 * @param delegation what its delegates may do; null = it has none on this node
 * @param revokedCertificates of signers: serial numbers, or {@code spki:} and a hash
 */
public record PublisherPolicy(
    @JacksonInject("name") String name,
    int index,
    List<PublicKey> keys,
    List<Prefix> prefixes,
    List<PortRule> ports,
    List<ConnectRule> connect,
    List<ConnectRule> listen,
    List<ConnectRule> take,
    ServalPolicy serval,
    boolean operator,
    Set<Grant> grants,
    List<RewriteRule> rewrite,
    Quotas quotas,
    PacketLimits limits,
    Plane plane,
    Set<Program> process,
    List<String> signers,
    @JsonProperty("revoked-certificates") Set<String> revokedCertificates,
    DelegationPolicy delegation,
    boolean legacy,
    boolean revoked) {

  /**
   * Pattern of a publisher's name, which is also the name of a message's user, of a container and
   * of a file.
   */
  public static final String NAME = "[A-Za-z0-9_][A-Za-z0-9._-]{0,63}";

  /** Highest index; containers' user ids are 700000 + index. */
  public static final int MAX_INDEX = 4095;

  public PublisherPolicy {
    keys = List.copyOf(keys);
    prefixes = List.copyOf(prefixes);
    ports = List.copyOf(ports);
    connect = List.copyOf(connect);
    listen = List.copyOf(listen);
    take = List.copyOf(take);
    grants = Set.copyOf(grants);
    rewrite = List.copyOf(rewrite);
    process = Set.copyOf(process);
    signers = List.copyOf(signers);
    revokedCertificates = Set.copyOf(revokedCertificates);
  }

  /** Returns the rules for its delegates; empty if this node takes none of them. */
  public Optional<DelegationPolicy> delegates() {
    return Optional.ofNullable(delegation);
  }

  public boolean has(Grant grant) {
    return grants.contains(grant) || (grant == Grant.MONITOR && grants.contains(Grant.MONITOR_ANY));
  }

  /**
   * Decides about a message of this publisher with a verified signature. A pure function without
   * clock and counters. The controller checks freshness and quotas in time.
   */
  public Decision authorise(Ncm ncm, NodePolicy node) {
    return new Authoriser(this, node, ncm).decide();
  }
}
