// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * A service that routers are to know.
 *
 * @param weight the greatest one of its rules
 * @param target ADDRESS:PORT of a program that listens by TCP, empty if none does. The unspecified
 *     address stands for all
 */
record Offer(ServicePrefix prefix, int weight, String target) {
  /** Reads the view {@code offers} of sald. Rules of one prefix are one service. */
  static Map<ServicePrefix, Offer> read(JsonNode view) {
    Map<ServicePrefix, Offer> all = new LinkedHashMap<>();
    for (JsonNode rule : view.path("offers")) {
      ServiceId id = ServiceId.parse(rule.path("id").asText());
      if (id == null) {
        throw new IllegalArgumentException("sald's view of offers has a bad id: " + rule);
      }
      boolean stream = rule.path("protocol").asText().equals("tcp");
      Offer offer =
          new Offer(
              new ServicePrefix(id, rule.path("bits").asInt()),
              rule.path("weight").asInt(),
              stream ? rule.path("target").asText() : "");
      all.merge(offer.prefix(), offer, Offer::with);
    }
    return all;
  }

  private Offer with(Offer other) {
    return new Offer(
        prefix, Math.max(weight, other.weight), target.isEmpty() ? other.target : target);
  }
}
