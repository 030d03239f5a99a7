// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The handling of kernel settings that must be right for turned packets. */
public enum SysctlMode {
  /** Report the wrong settings. */
  @JsonProperty("check")
  CHECK,
  /** Set them, and restore them at the end. */
  @JsonProperty("set")
  SET;

  /** The name in files and on the spawner's socket. */
  public String text() {
    return this == CHECK ? "check" : "set";
  }
}
