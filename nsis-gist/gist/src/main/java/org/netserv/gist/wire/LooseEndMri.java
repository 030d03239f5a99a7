// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;

/**
 * The loose-end MRM (appendix A.3.1.2), after the head that {@code MriCodec} draws:
 *
 * <pre>
 *   +-------------------------------+-------+-+---------------------+
 *   |                               |IP ver.|D|      reserved       |
 *   +-------------------------------+-------+-+---------------------+
 *   //            source address, destination address              //
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * @param destination of the same IP version
 */
public record LooseEndMri(InetAddress source, InetAddress destination, boolean upstream)
    implements Mri {
  public static final int METHOD = 1;
  private static final int D = 0x0800;

  public LooseEndMri {
    IpAddresses.requireSameVersion(source, destination);
  }

  static LooseEndMri decode(ObjectReader in, int version, int flags) throws GistFormatException {
    InetAddress source = in.address(version);
    InetAddress destination = in.address(version);
    return new LooseEndMri(source, destination, (flags & D) != 0);
  }

  void encode(WireWriter out) {
    MriCodec.encodeHead(out, METHOD, upstream ? D : 0, source, destination);
  }

  @Override
  public byte[] value() {
    return MriCodec.value(this);
  }

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
    return IpAddresses.version(destination);
  }
}
