// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import java.net.SocketAddress;
import java.util.Objects;
import org.netserv.serval.ServiceId;

/** A serviceID in the place of an address: a client connects to it, a server binds to it. */
public final class ServalName extends SocketAddress {
  private static final long serialVersionUID = 1L;

  private final transient ServiceId id;

  public ServalName(ServiceId id) {
    this.id = Objects.requireNonNull(id, "id");
  }

  public ServiceId id() {
    return id;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ServalName name && name.id.equals(id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "serval:" + id;
  }
}
