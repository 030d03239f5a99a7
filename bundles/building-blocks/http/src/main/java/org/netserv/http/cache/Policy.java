// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import org.netserv.http.FieldSection;

/**
 * Chooses the field that controls a response (RFC 9213, 2.2): the first targeted field of the list
 * that is there, well-formed and not empty, else Cache-Control. Where a targeted field controls,
 * Cache-Control and Expires have no meaning for this cache.
 */
public final class Policy {
  private final byte[][] targets;
  private final CacheControl directives = new CacheControl();
  private boolean targeted;

  public Policy(CacheSettings settings) {
    targets =
        settings.targets().stream()
            .map(name -> name.getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
  }

  /** Reads the fields of a response. */
  public Policy reset(FieldSection response) {
    for (byte[] target : targets) {
      if (response.next(target, 0, target.length, 0) >= 0
          && directives.resetTargeted(response, target)) {
        targeted = true;
        return this;
      }
    }
    targeted = false;
    directives.reset(response);
    return this;
  }

  /** The directives that count; valid until the next reset, or until the bytes change. */
  public CacheControl directives() {
    return directives;
  }

  /** Tells whether the directives come from a targeted field. */
  public boolean isTargeted() {
    return targeted;
  }
}
