// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

/**
 * The result of a fetch.
 *
 * @param status 200, else the NCM status of the failure
 * @param header the header to blame, or null
 * @param sha256 hex digest of the stored bundle, null unless 200
 */
public record FetchOutcome(int status, String header, String reason, String sha256) {

  public static FetchOutcome stored(String sha256) {
    return new FetchOutcome(200, null, "", sha256);
  }

  public static FetchOutcome failed(int status, String header, String reason) {
    return new FetchOutcome(status, header, reason, null);
  }

  public boolean ok() {
    return status == 200;
  }
}
