// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** Hello-ID (appendix A.3.8): 32 bits; 0 when no reply is requested. */
public record HelloId(int value) implements GistObject {
  public static final int TYPE = 10;

  static HelloId decode(ObjectReader in) throws GistFormatException {
    return new HelloId((int) in.u32());
  }

  void encode(WireWriter out) {
    out.put32(value);
  }

  @Override
  public int type() {
    return TYPE;
  }
}
