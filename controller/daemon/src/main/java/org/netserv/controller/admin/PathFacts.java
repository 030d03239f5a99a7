// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import org.netserv.controller.ncm.Origin;
import org.netserv.ncm.Header;
import org.netserv.ncm.NcmException;
import org.netserv.process.SourceKey;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/**
 * The facts about the path of a message, as the signaling daemon reports them. Only this daemon is
 * believed.
 *
 * @param last whether this is the last NetServ node on the path
 * @param peer the previous hop, by the address that a GIST handshake has proved; without the field
 *     the flow starts here
 */
record PathFacts(InetAddress source, InetAddress destination, boolean last, SourceKey peer) {
  /** Reads the field {@code path}. Both addresses are needed, as literals. */
  static PathFacts read(ObjectNode request) throws NcmException {
    JsonNode path = request.path("path");
    return new PathFacts(
        address(path, "source"),
        address(path, "destination"),
        path.path("last").asBoolean(false),
        path.has("peer") ? SourceKey.of(address(path, "peer")) : SourceKey.HERE);
  }

  Origin origin() {
    return new Origin(source, peer);
  }

  private static InetAddress address(JsonNode path, String name) throws NcmException {
    JsonNode value = path.path(name);
    if (!value.isTextual()) {
      throw new NcmException(403, Header.TO, "path." + name + " of the message is not known");
    }
    try {
      return Addresses.parse(value.asText());
    } catch (BadValueException e) {
      throw new NcmException(400, null, "path." + name + ": " + e.getMessage());
    }
  }
}
