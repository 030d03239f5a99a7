// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.netserv.controller.ncm.Publisher;
import org.netserv.controller.ncm.Publishers;
import org.netserv.frames.Json;
import org.netserv.values.PublisherKeys;

/**
 * The names and public keys of registered publishers. The signaling daemon reserves room for them,
 * but it must not read their files. The list is sent only when the daemon has another one.
 */
final class SignerList {
  /** Characters of all names and keys together. Publishers beyond it have no reserve. */
  private static final int CHARACTERS = 1 << 20;

  private final Publishers publishers;

  SignerList(Publishers publishers) {
    this.publishers = publishers;
  }

  /**
   * Adds the list to an answer, unless the daemon has it.
   *
   * @param has the tag of the list that the daemon has; empty if it has none
   */
  void addTo(ObjectNode answer, String has) {
    ObjectNode users = Json.object();
    int characters = 0;
    for (Publisher publisher : publishers.all()) {
      if (publisher.revoked()) {
        continue;
      }
      ArrayNode keys = Json.object().putArray("keys");
      publisher.keys().forEach(key -> keys.add(PublisherKeys.printLine(key)));
      characters += publisher.name().length() + keys.toString().length();
      if (characters <= CHARACTERS) {
        users.set(publisher.name(), keys);
      }
    }
    String tag = tag(users.toString());
    if (!tag.equals(has)) {
      answer.putObject("publishers").put("tag", tag).set("keys", users);
    }
  }

  private static String tag(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
