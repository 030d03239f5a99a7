// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.netserv.gist.port.LocalNetwork;

/** This host's interfaces and routes; needs no capability. */
public final class HostNetwork implements LocalNetwork {
  /**
   * Facts that are at most two seconds old.
   *
   * @param now milliseconds of a clock that does not step
   */
  public HostNetwork(LongSupplier now) {
    Objects.requireNonNull(now);
  }

  @Override
  public boolean isLocal(InetAddress address) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<InetAddress> addressTowards(InetAddress destination) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int interfaceTowards(InetAddress destination) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int mtu(int interfaceIndex) {
    throw new UnsupportedOperationException();
  }
}
