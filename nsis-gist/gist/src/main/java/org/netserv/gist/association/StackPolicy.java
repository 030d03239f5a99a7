// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackConfiguration.Option;
import org.netserv.gist.wire.StackProposal;

/**
 * Decides on stacks: the offers, the choice, and the fitness of an association for reuse (RFC 5971
 * sections 5.7.1, 5.7.2). Offers follow from the configuration of the node alone. A Confirm's echo
 * is therefore checked without anything stored, and a changed Query changes nothing (section 8.6).
 */
final class StackPolicy {
  private static final int ALL_PROFILES = 0;

  private final LinkFactory links;
  private final boolean secureOnly;
  private final long hold;

  StackPolicy(LinkFactory links, boolean secureOnly, long hold) {
    this.links = links;
    this.secureOnly = secureOnly;
    this.hold = hold;
  }

  /** A stack of theirs that we take, and the port to connect to. */
  record Choice(List<Integer> stack, int port) {}

  /** Returns 2 for TLS over TCP, 1 for TCP, 0 for a stack that we do not know. */
  static int strength(List<Integer> stack) {
    if (stack.equals(List.of(StackProposal.TLS, StackProposal.TCP))) {
      return 2;
    }
    return stack.equals(List.of(StackProposal.TCP)) ? 1 : 0;
  }

  static boolean secure(List<Integer> stack) {
    return strength(stack) == 2;
  }

  /** Returns the offer of a Query: TCP without data, once for all profiles. */
  Offer queryOffer(boolean secure) {
    List<List<Integer>> profiles = own(secure);
    if (profiles.isEmpty()) {
      return null;
    }
    Option tcp = new Option(StackProposal.TCP, ALL_PROFILES, false, new byte[0]);
    return new Offer(new StackProposal(profiles), new StackConfiguration(hold, List.of(tcp)));
  }

  /** Returns the offer of a Response: for each profile the port of its TCP. */
  Offer responseOffer() {
    List<List<Integer>> profiles = new ArrayList<>();
    List<Option> options = new ArrayList<>();
    for (List<Integer> stack : own(false)) {
      int port = links.listeningPort(stack);
      if (port != 0) {
        profiles.add(stack);
        byte[] data = {(byte) (port >> 8), (byte) port};
        options.add(new Option(StackProposal.TCP, profiles.size(), false, data));
      }
    }
    if (profiles.isEmpty()) {
      return null;
    }
    return new Offer(new StackProposal(profiles), new StackConfiguration(hold, options));
  }

  /** Returns true when there is a stack of ours without TLS. */
  boolean plain() {
    return own(false).stream().anyMatch(stack -> !secure(stack));
  }

  /**
   * Chooses our best stack that they offer, too.
   *
   * @param plain leave out TLS
   */
  Choice choose(Offer theirs, boolean secure, boolean plain) throws NoAssociationException {
    List<List<Integer>> ours =
        own(secure).stream().filter(stack -> !(plain && secure(stack))).toList();
    for (List<Integer> stack : ours) {
      List<List<Integer>> profiles = theirs.proposal().profiles();
      for (int i = 0; i < profiles.size(); i++) {
        int port = profiles.get(i).equals(stack) ? port(theirs.configuration(), stack, i + 1) : 0;
        if (port != 0) {
          return new Choice(stack, port);
        }
      }
    }
    throw new NoAssociationException(
        (plain ? "TLS is refused, and " : "")
            + "no usable stack in common: ours "
            + ours
            + ", theirs "
            + theirs.proposal());
  }

  /**
   * Returns whether an association of this stack may be used again (section 5.7.1, end). It must be
   * at least as strong as one of our offers, and as one of theirs.
   */
  boolean suits(List<Integer> stack, StackProposal theirs, boolean secure) {
    int strength = strength(stack);
    return own(secure).stream().anyMatch(ours -> strength >= strength(ours))
        && (theirs == null
            || theirs.profiles().stream()
                .mapToInt(StackPolicy::strength)
                .anyMatch(s -> s > 0 && strength >= s));
  }

  private List<List<Integer>> own(boolean secure) {
    return links.stacks().stream().filter(s -> secure(s) || !(secure || secureOnly)).toList();
  }

  /**
   * Returns the port to connect to, or 0 if the stack is not usable. An option for this profile
   * goes before an option for all profiles.
   */
  private static int port(StackConfiguration configuration, List<Integer> stack, int profile) {
    int port = 0;
    for (Option option : configuration.options()) {
      boolean ours = option.profile() == profile;
      boolean forUs = ours || option.profile() == ALL_PROFILES;
      if (!forUs || !stack.contains(option.protocol())) {
        continue;
      }
      if (option.unusable()) {
        return 0;
      }
      byte[] data = option.data();
      if (option.protocol() == StackProposal.TCP && data.length >= 2 && (ours || port == 0)) {
        port = (data[0] & 0xff) << 8 | (data[1] & 0xff);
      }
    }
    return port;
  }
}
