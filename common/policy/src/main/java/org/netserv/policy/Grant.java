// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A right beyond packets to the publisher's own prefixes. */
public enum Grant {
  /**
   * Copies (filter-sample) and counts (filter-count) of packets to the publisher's own prefixes.
   */
  @JsonProperty("monitor")
  MONITOR("monitor"),
  /** The same to any prefix. Contains {@link #MONITOR}. */
  @JsonProperty("monitor-any")
  MONITOR_ANY("monitor-any"),
  /** Strangers may learn by PROBE that the module runs. */
  @JsonProperty("public-module")
  PUBLIC_MODULE("public-module");

  private final String text;

  Grant(String text) {
    this.text = text;
  }

  /** The name in files. */
  public String text() {
    return text;
  }
}
