// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

import java.util.Locale;
import java.util.Optional;

/**
 * A limit that a publisher can meet. The kernel, the spawner or the controller acts when it is met.
 */
public enum Limit {
  CPU("cpu", "cpu", "periods throttled"),
  MEMORY("memory", "memory", "times its memory was used up"),
  PIDS("pids", "pids", "threads not made"),
  DISK("disk", "disk", "times its disk was full"),
  INODES("inodes", "inodes", "times it could have no more files"),
  CONNECTIONS("connections", "connections", "connections not let through"),
  PACKETS("packets-per-second", "packets", "packets passed by unseen"),
  BYTES("bytes-per-second", "bytes", "packets passed by unseen"),
  MODULES("modules", "", "SETUPs of one module too many"),
  SETUPS("setups-per-minute", "", "SETUPs too many");

  private final String quota;
  private final String order;
  private final String words;

  Limit(String quota, String order, String words) {
    this.quota = quota;
    this.order = order;
    this.words = words;
  }

  /** Returns the name of its counter, also in the spawner's answer to {@code stats}. */
  public String counter() {
    return "over-" + name().toLowerCase(Locale.ROOT);
  }

  /** Returns the words for the event that is counted. */
  public String words() {
    return words;
  }

  /**
   * Returns the key of the verb {@code start} that sets the limit; empty if the controller enforces
   * it itself.
   */
  Optional<String> order() {
    return Optional.of(order).filter(key -> !key.isEmpty());
  }

  /** Returns a text such as {@code over its limit: cpu, 37 periods throttled of quota cpu=100}. */
  public String text(long times, String value) {
    return "over its limit: "
        + name().toLowerCase(Locale.ROOT)
        + ", "
        + times
        + " "
        + words
        + " of quota "
        + quota
        + "="
        + value;
  }
}
