// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import com.fasterxml.jackson.databind.JsonNode;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.ncm.NcmSigner;
import org.netserv.nslp.Carried;
import org.netserv.process.FairRate;
import org.netserv.process.SourceKey;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publishers that this node serves, by name, with their public keys. The controller supplies
 * the list, and the last list stays in use while the controller is away. A publisher on the list
 * may use the reserve, so the node verifies its signature and never trusts a name alone. Signatures
 * are verified only when room is short, and only a limited number from each source.
 */
final class RegisteredPublishers {
  /** Length in ms of the window in which signatures are counted. */
  static final long WINDOW = 10_000;

  /** Most signatures of all sources together that are verified in a {@link #WINDOW}. */
  static final int SIGNATURES = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(RegisteredPublishers.class);

  private final FairRate looked = new FairRate(WINDOW);
  private Map<String, List<PublicKey>> keys = Map.of();
  private String tag = "";

  /** Returns the tag of the current list; empty = there is no list. */
  String tag() {
    return tag;
  }

  /** Replaces the list. */
  void replace(JsonNode list) {
    Map<String, List<PublicKey>> read = new HashMap<>();
    for (Map.Entry<String, JsonNode> publisher : list.path("keys").properties()) {
      List<PublicKey> own = new ArrayList<>();
      for (JsonNode key : publisher.getValue()) {
        try {
          own.add(PublisherKeys.readPublic(key.asText()));
        } catch (BadValueException e) {
          LOG.warn("key of {}: {}", publisher.getKey(), e.getMessage());
        }
      }
      read.put(publisher.getKey(), own);
    }
    keys = read;
    tag = list.path("tag").asText("");
  }

  /** Returns whether the list has the name. The sender may not be that publisher. */
  boolean knows(String user) {
    return keys.containsKey(user);
  }

  /**
   * Returns the publisher that has signed a message. The result is empty if no publisher on the
   * list has signed it, or if the signature was not looked at.
   */
  Optional<String> signer(Carried carried, SourceKey source, long now) {
    Optional<String> user = carried.user().filter(keys::containsKey);
    if (user.isEmpty() || !looked.take(source.host(), SIGNATURES, now)) {
      return Optional.empty();
    }
    return user.filter(name -> keys.get(name).stream().anyMatch(key -> verifies(carried, key)));
  }

  private static boolean verifies(Carried carried, PublicKey key) {
    try {
      return carried.trigger() == null
          ? NcmSigner.verify(carried.ncm(), key)
          : carried.trigger().verify(key);
    } catch (IllegalArgumentException e) {
      return false; // The signature is missing, or of a kind that this key does not make.
    }
  }
}
