// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import org.netserv.http.Body;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.CacheControl;
import org.netserv.http.cache.Directive;
import org.netserv.http.cache.Policy;
import org.netserv.http.cache.StoreVerdict;
import org.netserv.http.cache.Storing;

/** Decides whether the store takes a response. Used within one call. */
final class Admission {
  private static final byte[] SET_COOKIE = "set-cookie".getBytes(StandardCharsets.US_ASCII);

  private final EdgeSettings settings;
  private final Storing storing;
  private final Policy policy;

  Admission(EdgeSettings settings, Storing storing) {
    this.settings = settings;
    this.storing = storing;
    policy = new Policy(settings.cache());
  }

  /**
   * Finds the reason against storing.
   *
   * @param body of the response
   * @return null if there is none
   */
  Why against(RequestHead request, ResponseHead response, Body body, long now) {
    if (storing.decide(request, response, now) != StoreVerdict.STORE) {
      return Why.NOT_STORED;
    }
    return against(response, body);
  }

  /** Finds the reason against storing the response to a request for a slice, or returns null. */
  Why againstSlice(RequestHead request, ResponseHead response, Body body, long now) {
    StoreVerdict verdict = storing.decideSlice(request, response, now);
    return verdict == StoreVerdict.STORE_PART ? against(response, body) : Why.NOT_STORED;
  }

  private Why against(ResponseHead response, Body body) {
    if (body == Body.UNTIL_CLOSE) {
      return Why.NOT_STORED_UNDELIMITED;
    }
    if (response.contentLength() > settings.entryBytes()) {
      return Why.NOT_STORED_TOO_LARGE;
    }
    return isPersonal(response) ? Why.NOT_STORED_COOKIE : null;
  }

  /** Tells whether the response sets a cookie, and nothing says that all clients may have it. */
  private boolean isPersonal(ResponseHead response) {
    if (response.fields().next(SET_COOKIE, 0, SET_COOKIE.length, 0) < 0) {
      return false;
    }
    CacheControl directives = policy.reset(response.fields()).directives();
    return !directives.has(Directive.PUBLIC) && !directives.has(Directive.S_MAXAGE);
  }
}
