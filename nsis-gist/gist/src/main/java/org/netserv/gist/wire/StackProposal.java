// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * Stack-Proposal (appendix A.3.4): profiles in order of preference, each the MA-Protocol-IDs of a
 * stack, top first (1 TCP, 2 TLS; "TLS over TCP" is {@code [2, 1]}).
 *
 * <pre>
 *   +---------------+-----------------------------------------------+
 *   |    profiles   |                   reserved                    |
 *   +---------------+---------------+-------------------------------+
 *   |    layers     |   protocol    | ...             each padded   //
 *   +---------------+---------------+-------------------------------+
 * </pre>
 *
 * @param profiles 1 to 255, each of 1 to 255 protocols from 1 to 255
 */
public record StackProposal(List<List<Integer>> profiles) implements GistObject {
  public static final int TYPE = 3;
  public static final int TCP = 1;
  public static final int TLS = 2;

  public StackProposal {
    profiles = profiles.stream().map(List::copyOf).toList();
    requireCount(profiles.size());
    for (List<Integer> profile : profiles) {
      requireCount(profile.size());
      profile.forEach(StackProposal::requireCount);
    }
  }

  private static void requireCount(int value) {
    if (value < 1 || value > 0xff) {
      throw new IllegalArgumentException("stack proposal with a number of " + value);
    }
  }

  static StackProposal decode(ObjectReader in) throws GistFormatException {
    int countAt = in.offset();
    int count = in.u8();
    if (count == 0) {
      throw in.bad(GistError.VALUE_NOT_SUPPORTED, countAt, "stack proposal without a profile");
    }
    in.skipPadding();
    List<List<Integer>> profiles = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      profiles.add(profile(in));
    }
    return new StackProposal(profiles);
  }

  private static List<Integer> profile(ObjectReader in) throws GistFormatException {
    int at = in.offset();
    int layers = in.u8();
    if (layers == 0) {
      throw in.bad(GistError.EMPTY_LIST, at, "profile without a protocol");
    }
    List<Integer> profile = new ArrayList<>();
    for (byte protocol : in.take(layers)) {
      if (protocol == 0) {
        throw in.bad(GistError.VALUE_NOT_SUPPORTED, at + 1 + profile.size(), "protocol 0");
      }
      profile.add(protocol & 0xff);
    }
    in.skipPadding();
    return profile;
  }

  /**
   * Returns whether a profile has the protocol.
   *
   * @param profile its number, from 1; 0 = any
   */
  boolean has(int protocol, int profile) {
    if (profile == 0) {
      return profiles.stream().anyMatch(layers -> layers.contains(protocol));
    }
    return profile <= profiles.size() && profiles.get(profile - 1).contains(protocol);
  }

  void encode(WireWriter out) {
    out.put8(profiles.size()).pad();
    for (List<Integer> profile : profiles) {
      out.put8(profile.size());
      profile.forEach(out::put8);
      out.pad();
    }
  }

  @Override
  public int type() {
    return TYPE;
  }
}
