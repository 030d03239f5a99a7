// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A program that the node may start beside a publisher's container, for its modules. */
public enum Program {
  /** Content processing. */
  @JsonProperty("ffmpeg")
  FFMPEG("ffmpeg");

  private final String text;

  Program(String text) {
    this.text = text;
  }

  /** The name in files and on the spawner's socket. */
  public String text() {
    return text;
  }
}
