// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * What a path answered to one message.
 *
 * @param end how the path ended, or where it was lost sight of
 * @param reason in words, for people; may be empty
 * @param nodes in path order, from this host toward the user; empty when no node is on the path, or
 *     none answered
 * @param far of a TRIGGER: what the flow met that its last node started; else null
 */
public record PathAnswer(End end, String reason, List<NodeAnswer> nodes, PathAnswer far) {
  /** A node whose download server, or whose own work, was not in time. */
  private static final int GATEWAY_TIMEOUT = 504;

  public PathAnswer {
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(reason, "reason");
    nodes = List.copyOf(nodes);
  }

  /** How a path ended; the first seven are the protocol's. */
  public enum End {
    /** The last node is the destination itself. */
    ENDPOINT,
    /** The destination has no signaling: ICMP port unreachable. */
    PORT_UNREACHABLE,
    /** The destination has signaling, but not NetServ's. */
    ENDPOINT_FOUND,
    /** Beyond the last node nobody answered. */
    NOBODY_ANSWERED,
    /** A node did not answer in time: there may be more of the path than is listed. */
    TIMEOUT,
    /** Signaling, or a node on the way, refused to go on. */
    REFUSED,
    /** Too many nodes: a loop. */
    HOPS_USED_UP,
    /** This host could not send. */
    NOT_SENT;

    /** The word in JSON: lower case, with dashes. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the path is known to its end. */
    public boolean complete() {
      return switch (this) {
        case ENDPOINT, PORT_UNREACHABLE, ENDPOINT_FOUND, NOBODY_ANSWERED -> true;
        case TIMEOUT, REFUSED, HOPS_USED_UP, NOT_SENT -> false;
      };
    }
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
    return here == Outcome.DONE && far != null ? far.outcome() : here;
  }

  private Outcome outcomeOfNodes() {
    if (nodes.isEmpty()) {
      return switch (end) {
        case TIMEOUT -> Outcome.TIMEOUT;
        case REFUSED, HOPS_USED_UP -> Outcome.REFUSED;
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
    if (end == End.TIMEOUT) {
      return Outcome.TIMEOUT;
    }
    return end.complete() ? Outcome.DONE : Outcome.SOME_REFUSED;
  }

  /** The answer of one node. */
  public Optional<NodeAnswer> node(String nodeId) {
    return nodes.stream().filter(node -> node.nodeId().equals(nodeId)).findFirst();
  }
}
