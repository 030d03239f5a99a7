// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

/** The outcome for a packet at a host. All from {@link #FLOW_REFUSES} on drop it. */
public enum HostVerdict {
  /** A control message that its flow has taken. */
  CONTROL("control messages that a flow has taken"),
  /** The transport of the flow gets the packet. */
  DATA("packets of data for a flow"),
  /** The socket gets the datagram. */
  DATAGRAM("unconnected datagrams for a socket"),
  /** A SYN has made a flow that waits for its client. */
  REQUEST("SYNs that made a request"),
  /** A SYN was answered without state. */
  ANSWERED("SYNs answered without state, because there are too many requests"),
  /** An acknowledgement proved that the client has got such an answer, and made a flow. */
  PROVEN("flows made by the acknowledgement of an answer without state"),
  /** {@link FlowTable#refusal} has the reason. */
  FLOW_REFUSES("control messages that their flow refused"),
  SENDER(
      "packets from a group or broadcast address, and SYN-ACKs that lead to one or to the loopback"),
  GROUP("packets to a group or broadcast address that are no SYN and no datagram"),
  NO_SERVICE("SYNs without a serviceID"),
  NO_LISTENER("SYNs and datagrams for which nobody listens here"),
  LISTENER_FULL("SYNs and acknowledgements that the listener has no room for"),
  FLOWS_FULL("SYNs and acknowledgements beyond the limit of flows"),
  TOO_MANY_HOPS("SYNs whose list of hops has no room for this host"),
  NO_FLOW("packets for a flow that is not there; most get a RST"),
  /** No RST, because the acknowledgement that makes the flow may still be on its way. */
  EARLY("data for a flow that is not there yet, or not open"),
  WRONG_FLOW("data whose source is not the peer's flowID"),
  NOTHING("packets without flowID, message and serviceID");

  private final String text;

  HostVerdict(String text) {
    this.text = text;
  }

  /** Returns the verdict in words. */
  public String text() {
    return text;
  }

  /** Tells whether the packet is dropped. */
  public boolean drops() {
    return compareTo(FLOW_REFUSES) >= 0;
  }
}
