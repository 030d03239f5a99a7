// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.List;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * What goes past the modules of this container: flows that the kernel decides because {@link
 * Packet#offload} asked for it, and packets that it only counts. An OSGi service, read-only; the
 * numbers are at most 0.2 s old.
 *
 * <p>A flow is in it within that time after its module asked. If it is not, the node has refused:
 * no fast path, the publisher's quota of flows met, no filter for this flow, a rewrite that its
 * rules do not have; the node's counters tell which. An ended flow stays until its place is needed.
 *
 * <p>The calls allocate nothing and cost a few microseconds; each bundle has an object of its own,
 * for one thread at a time. A bundle that cannot do without the fast path says so, and is refused
 * by a node that has none: {@code Require-Capability: netserv.fastpath}.
 */
@ProviderType
public interface Flows {
  /**
   * What this node offers, by the names of {@code docs/protocols/bpfd.md}; empty = no fast path.
   */
  List<String> features();

  /** Shows each flow of this container, in no order. */
  void flows(Consumer<? super Flow> visitor);

  /**
   * Shows each count of this container: packets of its filters with {@code filter-count}, told
   * apart by the fields of that header. They only grow until these filters change, which begins
   * anew from none; one that is being written at this moment is left out, and there the next time.
   * There are 4,095, of which none ages; one with family and all else 0 sums up what found no
   * place.
   */
  void counts(Consumer<? super Flow> visitor);
}
