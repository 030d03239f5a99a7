// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * Stack-Proposal (appendix A.3.4): profiles in order of preference, each the MA-Protocol-IDs of a
 * stack, top first (1 TCP, 2 TLS; "TLS over TCP" is {@code [2, 1]}).
 */
public record StackProposal(List<List<Integer>> profiles) implements GistObject {
  public static final int TYPE = 3;
  public static final int TCP = 1;
  public static final int TLS = 2;

  public StackProposal {
    profiles = profiles.stream().map(List::copyOf).toList();
  }

  @Override
  public int type() {
    return TYPE;
  }
}
