// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;

/** The loose-end MRM (appendix A.3.1.2). */
public record LooseEndMri(InetAddress source, InetAddress destination, boolean upstream)
    implements Mri {
  public static final int METHOD = 1;

  @Override
  public int method() {
    return METHOD;
  }

  @Override
  public LooseEndMri flipped() {
    return new LooseEndMri(source, destination, !upstream);
  }

  @Override
  public int ipVersion() {
    return destination.getAddress().length == 4 ? 4 : 6;
  }
}
