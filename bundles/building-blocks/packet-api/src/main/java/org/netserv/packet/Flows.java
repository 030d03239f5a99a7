// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.List;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The traffic that bypasses the modules of this container. It consists of flows that the kernel
 * decides because {@link Decision#offload} asked for it, and of packets that the kernel only
 * counts. An OSGi service, read-only. The numbers are at most 0.2 s old.
 *
 * <p>A flow appears here within 0.2 s after its module asked. If it does not appear, the node has
 * refused. The reasons are no fast path, the publisher's quota of flows met, no filter for this
 * flow, or a rewrite that breaks the publisher's rules. The node's counters tell which. An ended
 * flow stays until its place is needed.
 *
 * <p>The calls allocate nothing and cost a few microseconds. Each bundle has an object of its own,
 * for one thread at a time. A bundle that needs the fast path declares {@code Require-Capability:
 * netserv.fastpath}, and a node without a fast path then refuses the bundle.
 */
@ProviderType
public interface Flows {
  /**
   * Returns this node's features, by the names of {@code docs/protocols/bpfd.md}; empty = no fast
   * path.
   */
  List<String> features();

  /** Shows each flow of this container, in no order. */
  void flows(Consumer<? super Flow> visitor);

  /**
   * Shows each count of this container. A count has packets of the container's filters with {@code
   * filter-count}, told apart by the fields of that header. Counts only grow, until these filters
   * change and all counts begin anew. A count that is being written at this moment is left out, and
   * is there the next time. There are 4,095 counts, and none ages. A count with a family and all
   * else 0 sums up the packets that found no place.
   */
  void counts(Consumer<? super Flow> visitor);
}
