// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.OptionalInt;

/** What {@link Modules} asks of policy and of the node while modules live. */
public interface ModuleSettings {

  /** The even queue number of a publisher's container; its copies go to the next one. */
  OptionalInt queue(String user);

  /** Whether a publisher's packets may come by AF_XDP. */
  boolean afxdp(String user);

  /** The node-id that notifications carry. */
  String nodeId();
}
