// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/** Answers of the edge's own, with the reason that is counted. */
enum Refusal {
  METHOD(405, "the edge does not serve this method", Why.REFUSED_METHOD),
  NO_HOST(400, "the request names no host", Why.REFUSED_HOST),
  HOST(421, "the edge does not serve this host", Why.REFUSED_HOST),
  SCHEME(421, "the target's scheme is not that of the connection", Why.REFUSED_SCHEME),
  LOOP(508, "the request came through this edge before", Why.REFUSED_LOOP),
  UNSIGNED(403, "this URL needs a signature", Why.REFUSED_UNSIGNED),
  SIGNATURE(403, "the signature is not that of this URL", Why.REFUSED_SIGNATURE),
  EXPIRED(403, "the URL has expired", Why.REFUSED_EXPIRED),
  FORBIDDEN(403, "the secret is missing or wrong", Why.REFUSED_ADMIN),
  ORDER(400, "the order is none", Why.REFUSED_ADMIN_REQUEST),
  ONLY_IF_CACHED(504, "the response is not in the cache", Why.ONLY_IF_CACHED),
  BAD_GATEWAY(502, "the origin gave no valid response", null),
  GATEWAY_TIMEOUT(504, "the origin gave no response in time", null),
  BUSY(503, "too many requests wait for the origin", null);

  final int status;
  final String text;

  /** The counter, null where the fetch has counted already. */
  final Why why;

  Refusal(int status, String text, Why why) {
    this.status = status;
    this.text = text;
    this.why = why;
  }

  /** Returns the answer to a request whose fetch failed. */
  static Refusal of(Why failure) {
    return switch (failure) {
      case ORIGIN_TIMEOUT -> GATEWAY_TIMEOUT;
      case ORIGIN_BUSY -> BUSY;
      default -> BAD_GATEWAY;
    };
  }
}
