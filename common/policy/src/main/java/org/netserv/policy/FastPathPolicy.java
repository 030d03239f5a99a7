// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Where the kernel decides flows that modules have given away, and how: docs/protocols/bpfd.md.
 *
 * @param interfaces on whose packets it looks; empty = there is no fast path
 */
public record FastPathPolicy(List<String> interfaces, Mode mode, Forward forward) {
  /** How it gets at an interface's packets. */
  public enum Mode {
    /** In the driver where that works, else generic. */
    @JsonProperty("auto")
    AUTO("auto"),
    @JsonProperty("native")
    NATIVE("native"),
    @JsonProperty("generic")
    GENERIC("generic");

    private final String text;

    Mode(String text) {
      this.text = text;
    }

    /** The name in files and on the spawner's socket. */
    public String text() {
      return text;
    }
  }

  /** Which way a packet goes on that it has decided. */
  public enum Forward {
    /** Through the kernel's stack, with the operator's own rules. */
    @JsonProperty("kernel")
    KERNEL("kernel"),
    /** Straight to the interface it leaves by, past netfilter. */
    @JsonProperty("direct")
    DIRECT("direct");

    private final String text;

    Forward(String text) {
      this.text = text;
    }

    /** The name in files and on the spawner's socket. */
    public String text() {
      return text;
    }
  }

  public FastPathPolicy {
    interfaces = List.copyOf(interfaces);
  }
}
