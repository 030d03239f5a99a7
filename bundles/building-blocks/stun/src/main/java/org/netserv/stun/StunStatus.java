// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** The error codes of RFC 8489, 8656, 6062 and 8016 with their recommended reasons. */
public enum StunStatus {
  TRY_ALTERNATE(300, "Try Alternate"),
  BAD_REQUEST(400, "Bad Request"),
  UNAUTHENTICATED(401, "Unauthenticated"),
  FORBIDDEN(403, "Forbidden"),
  MOBILITY_FORBIDDEN(405, "Mobility Forbidden"),
  UNKNOWN_ATTRIBUTE(420, "Unknown Attribute"),
  ALLOCATION_MISMATCH(437, "Allocation Mismatch"),
  STALE_NONCE(438, "Stale Nonce"),
  ADDRESS_FAMILY_NOT_SUPPORTED(440, "Address Family not Supported"),
  WRONG_CREDENTIALS(441, "Wrong Credentials"),
  UNSUPPORTED_TRANSPORT_PROTOCOL(442, "Unsupported Transport Protocol"),
  PEER_ADDRESS_FAMILY_MISMATCH(443, "Peer Address Family Mismatch"),
  CONNECTION_ALREADY_EXISTS(446, "Connection Already Exists"),
  CONNECTION_TIMEOUT_OR_FAILURE(447, "Connection Timeout or Failure"),
  ALLOCATION_QUOTA_REACHED(486, "Allocation Quota Reached"),
  SERVER_ERROR(500, "Server Error"),
  INSUFFICIENT_CAPACITY(508, "Insufficient Capacity");

  private final int code;
  private final String reason;

  StunStatus(int code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  /** 300 to 699. */
  public int code() {
    return code;
  }

  /** ASCII. */
  public String reason() {
    return reason;
  }
}
