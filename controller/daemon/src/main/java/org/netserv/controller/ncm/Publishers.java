// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.List;
import java.util.Optional;

/** The publishers of the present policy; a reload changes the answers. */
public interface Publishers {
  Optional<Publisher> find(String user);

  /** All of them, in the order of names, revoked ones included. */
  List<Publisher> all();

  /** How far a message's date may be from the node's clock, in milliseconds. */
  long window();

  /** PROBEs a minute by strangers, from one source. */
  int probesPerMinute();
}
