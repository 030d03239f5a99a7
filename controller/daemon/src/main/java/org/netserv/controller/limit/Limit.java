// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

import java.util.Locale;
import org.netserv.policy.Quotas;

/**
 * A limit that a publisher can meet. The kernel, the spawner or the controller acts when it is met.
 */
public enum Limit {
  CPU("cpu", "periods throttled"),
  MEMORY("memory", "times its memory was used up"),
  PIDS("pids", "threads not made"),
  DISK("disk", "times its disk was full"),
  INODES("inodes", "times it could have no more files"),
  CONNECTIONS("connections", "connections not let through"),
  PACKETS("packets-per-second", "packets passed by unseen"),
  BYTES("bytes-per-second", "packets passed by unseen"),
  MODULES("modules", "SETUPs of one module too many"),
  SETUPS("setups-per-minute", "SETUPs too many");

  private final String quota;
  private final String words;

  Limit(String quota, String words) {
    this.quota = quota;
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

  /** Returns the publisher's own value of the limit. */
  long value(Quotas quotas) {
    return switch (this) {
      case CPU -> quotas.cpu();
      case MEMORY -> quotas.memory();
      case PIDS -> quotas.pids();
      case DISK -> quotas.disk();
      case INODES -> quotas.inodes();
      case CONNECTIONS -> quotas.connections();
      case PACKETS -> quotas.packetsPerSecond();
      case BYTES -> quotas.bytesPerSecond();
      case MODULES -> quotas.modules();
      case SETUPS -> quotas.setupsPerMinute();
    };
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
