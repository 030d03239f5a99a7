// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.List;
import java.util.Optional;

/** The publishers of the present policy. A reload changes the answers. */
public interface Publishers {
  Optional<Publisher> find(String user);

  /** Returns all of them, in the order of names, revoked ones included. */
  List<Publisher> all();

  /** Returns the milliseconds that a message's date may be away from the node's clock. */
  long window();

  /** Returns the PROBEs a minute by strangers, from one source. */
  int probesPerMinute();
}
