// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

/**
 * The result of a fetch.
 *
 * @param status 200, else the NCM status of the failure
 * @param header the header to blame, or null
 * @param sha256 hex digest of the stored bundle, null unless 200
 * @param goodUntil wall clock at which the first certificate behind its signature expires
 */
public record FetchOutcome(
    int status, String header, String reason, String sha256, long goodUntil) {

  public static FetchOutcome stored(String sha256, long goodUntil) {
    return new FetchOutcome(200, null, "", sha256, goodUntil);
  }

  public static FetchOutcome failed(int status, String header, String reason) {
    return new FetchOutcome(status, header, reason, null, 0);
  }

  public boolean ok() {
    return status == 200;
  }
}
