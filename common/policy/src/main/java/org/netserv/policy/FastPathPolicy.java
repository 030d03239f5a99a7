// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * The fast path: the kernel decides flows that modules have given away (docs/protocols/bpfd.md).
 *
 * @param interfaces with packets that it looks at; empty = there is no fast path
 */
public record FastPathPolicy(List<String> interfaces, Mode mode, Forward forward) {
  /** The place where the fast path takes an interface's packets. */
  public enum Mode {
    /** In the driver if the driver supports it, else generic. */
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

  /** The way out for a packet that the fast path has decided. */
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
