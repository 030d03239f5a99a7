// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import org.netserv.gist.NetworkNotification;
import org.netserv.gist.wire.GistError;
import org.netserv.ncm.PathEnd;

/** Explains failures of GIST to a publisher, with advice. */
final class Trouble {
  private Trouble() {}

  /** Maps the detail of GIST's LAST_NODE to the end of the path. */
  static PathEnd lastNode(String detail) {
    return switch (detail) {
      case NetworkNotification.PORT_UNREACHABLE -> PathEnd.PORT_UNREACHABLE;
      case NetworkNotification.ENDPOINT_FOUND -> PathEnd.ENDPOINT_FOUND;
      case NetworkNotification.NO_RESPONSE -> PathEnd.NO_ANSWER;
      default -> PathEnd.ENDPOINT;
    };
  }

  static String noAnswer() {
    return "no NetServ node on the path, or a firewall drops UDP port 270";
  }

  static String noAssociation(String detail) {
    return "a node answered, but no connection to it was possible: a firewall drops TCP, or the"
        + " node wants TLS"
        + tail(detail);
  }

  /**
   * Explains why GIST refused the message. Error 9/4, "untranslated object", means that the node
   * saw other addresses than ours. We may also have seen a Response come from another address than
   * the node states as its own.
   */
  static String refused(String detail) {
    if (detail.contains(GistError.UNTRANSLATED_OBJECT.words())) {
      return "this host is behind a NAT that does not know GIST: a node saw another source address;"
          + " send from a host with a public address"
          + tail(detail);
    }
    return detail;
  }

  private static String tail(String detail) {
    return detail.isEmpty() ? "" : " (" + detail + ")";
  }
}
