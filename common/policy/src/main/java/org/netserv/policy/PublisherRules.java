// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.nio.file.Path;
import java.security.PublicKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.netserv.values.Prefix;
import org.netserv.values.Protocols;

/** Rules for a publisher that a schema cannot express. */
final class PublisherRules {
  /** Most inodes per MiB of disk. At this number, the inodes take half of the disk. */
  private static final long INODES_PER_MIB = 2048;

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
    if (quotas.inodes() > quotas.disk() * INODES_PER_MIB) {
      throw new PolicyException(
          file,
          0,
          "$.quotas.inodes",
          "more than " + INODES_PER_MIB + " for each MiB of disk, which is " + quotas.disk());
    }
    for (ConnectRule listen : publisher.listen()) {
      checkListen(file, listen);
    }
    for (ConnectRule take : publisher.take()) {
      checkTake(file, publisher, take);
    }
    for (ConnectRule connect : publisher.connect()) {
      if (connect.inside() != 0) {
        throw new PolicyException(
            file, 0, "$.connect", connect + " has a port inside, which only listen may have");
      }
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

  /** Requires one address, or every address of the node. */
  private static void checkListen(Path file, ConnectRule listen) throws PolicyException {
    int length = listen.prefix().length();
    int longest = listen.prefix().family() == 4 ? 32 : 128;
    if (length != 0 && length != longest) {
      throw new PolicyException(
          file, 0, "$.listen", listen + " is not one address of the node, nor 0.0.0.0/0 or ::/0");
    }
  }

  /** Requires one TCP port of addresses that are the publisher's own. */
  private static void checkTake(Path file, PublisherPolicy publisher, ConnectRule take)
      throws PolicyException {
    if (take.protocol() != Protocols.TCP || take.ports().first() != take.ports().last()) {
      throw new PolicyException(file, 0, "$.take", take + " is not one TCP port of a prefix");
    }
    if (take.prefix().length() == 0
        || publisher.prefixes().stream().noneMatch(own -> own.contains(take.prefix()))) {
      throw new PolicyException(
          file, 0, "$.take", take + " is not within the prefixes: " + publisher.prefixes());
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
      checkListens(file, publisher, other);
      checkTakes(file, publisher, other);
    }
  }

  /** Refuses two containers on one port of the node. */
  private static void checkListens(Path file, PublisherPolicy publisher, PublisherPolicy other)
      throws PolicyException {
    if (publisher.revoked() || other.revoked()) {
      return;
    }
    for (ConnectRule listen : publisher.listen()) {
      for (ConnectRule theirs : other.listen()) {
        if (listen.overlaps(theirs)) {
          throw new PolicyException(
              file,
              0,
              "$.listen",
              listen + " of " + publisher.name() + " overlaps " + theirs + " of " + other.name());
        }
      }
    }
  }

  /** Refuses connections of one address in two containers, whatever their ports. */
  private static void checkTakes(Path file, PublisherPolicy publisher, PublisherPolicy other)
      throws PolicyException {
    if (publisher.revoked() || other.revoked()) {
      return;
    }
    for (ConnectRule take : publisher.take()) {
      for (ConnectRule theirs : other.take()) {
        if (take.prefix().overlaps(theirs.prefix())) {
          throw new PolicyException(
              file,
              0,
              "$.take",
              take + " of " + publisher.name() + " overlaps " + theirs + " of " + other.name());
        }
      }
    }
  }

  /**
   * Refuses shared addresses. Two publishers may share addresses only if an operator has said so.
   */
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
