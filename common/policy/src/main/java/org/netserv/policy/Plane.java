// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The way of packets to a publisher's modules. */
public enum Plane {
  /** By netfilter's queues. */
  @JsonProperty("queue")
  QUEUE("queue"),
  /** By AF_XDP, on the interfaces of the fast path. All other packets come by the queues. */
  @JsonProperty("afxdp")
  AFXDP("afxdp");

  private final String text;

  Plane(String text) {
    this.text = text;
  }

  /** The name in files and on the spawner's socket. */
  public String text() {
    return text;
  }
}
