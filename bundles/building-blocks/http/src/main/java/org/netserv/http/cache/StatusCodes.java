// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

/** The status codes that caching treats specially (RFC 9110, 15.1, and RFC 9111, 3). */
final class StatusCodes {
  private StatusCodes() {}

  /** Tells whether a response may be given a heuristic lifetime (RFC 9110, 15.1). */
  static boolean isHeuristic(int status) {
    return switch (status) {
      case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501 -> true;
      default -> false;
    };
  }

  /** Tells whether the status may be given the lifetime of errors that say nothing. */
  static boolean isNegative(int status) {
    return switch (status) {
      case 404, 405, 410, 414, 501 -> true;
      default -> false;
    };
  }

  /**
   * Tells whether the cache recognises the status and does all that is specified for its caching. A
   * 304 is no response that can be stored by itself.
   */
  static boolean isUnderstood(int status) {
    return switch (status) {
      case 200, 201, 202, 203, 204, 205, 206 -> true;
      case 300, 301, 302, 303, 307, 308 -> true;
      case 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415 -> true;
      case 416, 417, 421, 422, 426, 428, 429, 431, 451 -> true;
      case 500, 501, 502, 503, 504, 505, 511 -> true;
      default -> false;
    };
  }

  /** Tells whether stale-if-error counts the status as an error (RFC 5861, 4). */
  static boolean isError(int status) {
    return status == 500 || status == 502 || status == 503 || status == 504;
  }
}
