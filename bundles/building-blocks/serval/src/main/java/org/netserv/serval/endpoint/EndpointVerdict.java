// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

/** The outcome for a datagram at an endpoint, and for each packet that the endpoint sends. */
public enum EndpointVerdict {
  SENT("packets sent, control messages among them"),
  DELIVERED("datagrams given to the program"),
  REGISTRATION("answers of the router to a signed registration"),
  /** The published stack has no empty datagrams either. */
  EMPTY("datagrams without payload, which no program sees"),
  PROTOCOL("packets of another transport than their flow has, or than UDP and TCP"),
  SEGMENT("packets of streams with a faulty segment"),
  HANDSHAKE("messages whose segment is not the one of a handshake that goes with them"),
  LENGTH("datagrams that are shorter or longer than their UDP header says"),
  CHECKSUM("datagrams with a wrong checksum"),
  LATE("datagrams for a flow or a service that the program has closed"),
  NOT_ACCEPTED("flows that the program did not accept"),
  NO_RULE("SYNs and datagrams for which the service table has no address"),
  TOO_LONG("datagrams beyond the longest payload of the settings"),
  NOT_OPEN("datagrams that the program sent on a flow that is not open"),
  NOT_SENT("packets that the socket did not take"),
  REFUSED("packets that the system refused behind the socket, which counted as sent before");

  private final String text;

  EndpointVerdict(String text) {
    this.text = text;
  }

  /** Returns the verdict in words. */
  public String text() {
    return text;
  }
}
