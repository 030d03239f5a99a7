// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.Locale;
import org.netserv.nslp.PathEnd;

/** What a failure of GIST means to a publisher, in words that say what to do. */
final class Trouble {
  private Trouble() {}

  /** What GIST says when there is no further node, as an end of the path. */
  static PathEnd lastNode(String detail) {
    String words = detail.toLowerCase(Locale.ROOT);
    if (words.contains("unreachable")) {
      return PathEnd.PORT_UNREACHABLE;
    }
    return words.contains("found") ? PathEnd.ENDPOINT_FOUND : PathEnd.ENDPOINT;
  }

  static String noAnswer(String detail) {
    return "no answer to Queries: no NetServ node on the path, or a firewall drops UDP port 270"
        + tail(detail);
  }

  static String noAssociation(String detail) {
    return "a node answered, but no connection to it was possible: a firewall drops TCP, or the"
        + " node wants TLS"
        + tail(detail);
  }

  /** Error 9/4, "untranslated object": our addresses are not those that the node saw. */
  static String refused(String detail) {
    boolean translated =
        detail.contains("9/4") || detail.toLowerCase(Locale.ROOT).contains("untranslated");
    return translated
        ? "this host is behind a NAT that does not know GIST: the node saw another source address;"
            + " send from a host with a public address"
            + tail(detail)
        : detail;
  }

  private static String tail(String detail) {
    return detail.isEmpty() ? "" : " (" + detail + ")";
  }
}
