// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.nio.file.Path;
import java.security.PublicKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.netserv.nslp.Prefix;

/** What a schema cannot say about a publisher. */
final class PublisherRules {
  private PublisherRules() {}

  static void checkAlone(Path file, PublisherPolicy publisher, Map<String, Anchor> anchors)
      throws PolicyException {
    Quotas quotas = publisher.quotas();
    if (quotas.heap() >= quotas.memory()) {
      throw new PolicyException(
          file,
          0,
          "$.quotas.heap",
          quotas.heap() + " is not below memory, which is " + quotas.memory());
    }
    for (RewriteRule rule : publisher.rewrite()) {
      if (rule.source().family() != rule.destination().family()) {
        throw new PolicyException(
            file, 0, "$.rewrite", rule + " goes from one family to the other");
      }
    }
    for (String signer : publisher.signers()) {
      if (!anchors.containsKey(signer)) {
        throw new PolicyException(
            file, 0, "$.signers", "there is no anchor " + signer + " in anchors.d");
      }
    }
  }

  static void checkAmong(Path file, PublisherPolicy publisher, Collection<PublisherPolicy> others)
      throws PolicyException {
    for (PublisherPolicy other : others) {
      if (other.index() == publisher.index()) {
        throw new PolicyException(
            file, 0, "$.index", publisher.index() + " is " + other.name() + "'s");
      }
      for (PublicKey key : publisher.keys()) {
        if (other.keys().contains(key)) {
          throw new PolicyException(file, 0, "$.keys", "a key of " + other.name());
        }
      }
    }
  }

  /** Two publishers may share addresses only when an operator has said so. */
  static void checkOverlap(Path file, List<Prefix> prefixes, Collection<PublisherPolicy> others)
      throws PolicyException {
    for (PublisherPolicy other : others) {
      for (Prefix prefix : prefixes) {
        for (Prefix theirs : other.prefixes()) {
          if (!other.revoked() && prefix.overlaps(theirs)) {
            throw new PolicyException(
                file, 0, "$.prefixes", prefix + " overlaps " + theirs + " of " + other.name());
          }
        }
      }
    }
  }
}
