// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.List;
import org.netserv.http.FieldSection;

/** Chooses among the stored responses of one URI (RFC 9111, 4 and 4.1). */
public final class Selection {
  /** No response is stored for the URI. */
  public static final int URI_MISS = -1;

  /** Responses are stored, and none has the request's values of the fields in Vary. */
  public static final int VARY_MISS = -2;

  private Selection() {}

  /**
   * Chooses the latest by Date of the responses that match. A response with Vary goes before one
   * without, because a default response may lack Vary by mistake (4.1).
   *
   * @param matcher a scratch object of the calling thread
   * @return the index, URI_MISS or VARY_MISS
   */
  public static int choose(
      List<StoredResponse> stored, FieldSection request, SecondaryKey matcher) {
    int best = stored.isEmpty() ? URI_MISS : VARY_MISS;
    for (int i = 0; i < stored.size(); i++) {
      StoredResponse candidate = stored.get(i);
      if (matcher.matches(candidate.key(), request)
          && (best < 0 || isBetter(candidate, stored.get(best)))) {
        best = i;
      }
    }
    return best;
  }

  private static boolean isBetter(StoredResponse a, StoredResponse b) {
    boolean varies = a.key().length > 0;
    if (varies != b.key().length > 0) {
      return varies;
    }
    return a.date() > b.date() || (a.date() == b.date() && a.responseTime() > b.responseTime());
  }
}
