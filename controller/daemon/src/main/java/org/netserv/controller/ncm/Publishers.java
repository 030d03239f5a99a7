// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Optional;

/** The publishers of the present policy; a reload changes the answers. */
public interface Publishers {
  Optional<Publisher> find(String user);

  /** How far a message's date may be from the node's clock, in milliseconds. */
  long window();

  /** PROBEs a minute by strangers, all together. */
  int probesPerMinute();
}
