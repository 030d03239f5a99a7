// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** Hello-ID (appendix A.3.8): 32 bits; 0 when no reply is requested. */
public record HelloId(int value) implements GistObject {
  public static final int TYPE = 10;

  @Override
  public int type() {
    return TYPE;
  }
}
