// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.netserv.ncm.PathEnd;

/**
 * What a path answered to one message.
 *
 * @param end how the path ended, or where it was lost sight of
 * @param reason in words, for people; may be empty
 * @param nodes in path order, from this host toward the user; empty when no node is on the path, or
 *     none answered
 * @param far of a TRIGGER: what the flow met that its last node started; else null
 */
public record PathAnswer(PathEnd end, String reason, List<NodeAnswer> nodes, PathAnswer far) {
  /** A node whose download server, or whose own work, was not in time. */
  private static final int GATEWAY_TIMEOUT = 504;

  public PathAnswer {
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(reason, "reason");
    nodes = List.copyOf(nodes);
  }

  /** The answer in one word. */
  public enum Outcome {
    /** Every node that was asked did it (status 2xx), up to the end of the path. */
    DONE,
    /** Some nodes did; others, or the rest of the path, refused. */
    SOME_REFUSED,
    /** Every node refused, or the path did. */
    REFUSED,
    /** What is known is not all: an answer did not come in time. */
    TIMEOUT,
    /** There is no NetServ node on the path; {@link #end} and {@link #reason} say how we know. */
    NO_NODE
  }

  /** The answer in one word; of a TRIGGER, that of the message inside when it was sent. */
  public Outcome outcome() {
    Outcome here = outcomeOfNodes();
    boolean passed = nodes.isEmpty() || here == Outcome.DONE;
    return far != null && passed ? far.outcome() : here;
  }

  private Outcome outcomeOfNodes() {
    if (nodes.isEmpty()) {
      return switch (end) {
        case TIMED_OUT -> Outcome.TIMEOUT;
        case REFUSED, HOPS -> Outcome.REFUSED;
        default -> Outcome.NO_NODE;
      };
    }
    long done = nodes.stream().filter(NodeAnswer::done).count();
    if (done == 0) {
      boolean late = nodes.stream().allMatch(node -> node.status() == GATEWAY_TIMEOUT);
      return late ? Outcome.TIMEOUT : Outcome.REFUSED;
    }
    if (done < nodes.size()) {
      return Outcome.SOME_REFUSED;
    }
    if (end == PathEnd.TIMED_OUT) {
      return Outcome.TIMEOUT;
    }
    return end.last() ? Outcome.DONE : Outcome.SOME_REFUSED;
  }

  /** The answer of one node. */
  public Optional<NodeAnswer> node(String nodeId) {
    return nodes.stream().filter(node -> node.nodeId().equals(nodeId)).findFirst();
  }
}
