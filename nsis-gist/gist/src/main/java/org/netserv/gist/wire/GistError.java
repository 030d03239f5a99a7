// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Locale;
import java.util.Optional;

/**
 * Every error that GIST can report, by code and subcode, with its class (RFC 5971 appendix A.4.4).
 */
public enum GistError {
  UNKNOWN_VERSION(1, 0, "unknown version"),
  UNKNOWN_TYPE(1, 1, "unknown message type"),
  INVALID_R_FLAG(1, 2, "R-flag does not fit the message type"),
  /** Carries {@link ErrorInfo#messageLength}. */
  INCORRECT_MESSAGE_LENGTH(1, 3, "message length does not fit the objects"),
  INVALID_E_FLAG(1, 4, "E-flag on a message other than Data"),
  INVALID_C_FLAG(1, 5, "C-flag does not fit the message type"),
  HOP_LIMIT_EXCEEDED(2, 0, "hop limit exceeded"),
  INCORRECT_ENCAPSULATION(3, 0, "incorrect encapsulation"),
  INCORRECTLY_DELIVERED(4, 0, "messaging association of other routing state"),
  NO_ROUTING_STATE(5, 0, "no routing state"),
  UNKNOWN_NSLPID(6, 0, "unknown NSLPID"),
  ENDPOINT_FOUND(7, 0, "endpoint found"),
  /** Carries {@link ErrorInfo#mtu}. */
  MESSAGE_TOO_LARGE(8, 0, "message too large"),
  // Code 9 carries ErrorInfo.objectType.
  DUPLICATE_OBJECT(9, 0, "duplicate object"),
  UNRECOGNISED_OBJECT(9, 1, "unrecognised object"),
  MISSING_OBJECT(9, 2, "missing object"),
  INVALID_OBJECT_TYPE(9, 3, "object not allowed here"),
  UNTRANSLATED_OBJECT(9, 4, "untranslated object"),
  INVALID_EXTENSIBILITY_FLAGS(9, 5, "invalid extensibility flags"),
  // Code 10 carries ErrorInfo.objectValue, the last one that of both objects.
  INCORRECT_LENGTH(10, 0, "incorrect object length"),
  VALUE_NOT_SUPPORTED(10, 1, "value not supported"),
  INVALID_FLAG_FIELD_COMBINATION(10, 2, "invalid combination of flags and fields"),
  EMPTY_LIST(10, 3, "empty profile"),
  INVALID_COOKIE(10, 4, "invalid cookie"),
  STACK_MISMATCH(10, 5, "stack proposal and configuration do not match"),
  INVALID_TTL(11, 0, "invalid IP TTL"),
  // Code 12 carries ErrorInfo.objectValue of the MRI.
  MRI_TOO_WILD(12, 0, "MRI too wild"),
  IP_VERSION_MISMATCH(12, 1, "IP version mismatch"),
  INGRESS_FILTER_FAILURE(12, 2, "ingress filter failure");

  static final int COMMON_HEADER = 1;
  private static final int PROTOCOL_ERROR = 2;
  private static final int PERMANENT_FAILURE = 4;
  private static final GistError[] ALL = values();

  private final int code;
  private final int subcode;
  private final String words;

  GistError(int code, int subcode, String words) {
    this.code = code;
    this.subcode = subcode;
    this.words = words;
  }

  /** The error of these numbers; empty when RFC 5971 does not name one. */
  public static Optional<GistError> of(int code, int subcode) {
    for (GistError error : ALL) {
      if (error.code == code && error.subcode == subcode) {
        return Optional.of(error);
      }
    }
    return Optional.empty();
  }

  public int code() {
    return code;
  }

  public int subcode() {
    return subcode;
  }

  /** Error class (appendix A.4.3): 2 the message is wrong, 4 this node cannot. */
  public int errorClass() {
    return switch (code) {
      case 2, 6, 7, 8, 11, 12 -> PERMANENT_FAILURE;
      default -> PROTOCOL_ERROR;
    };
  }

  /** Name of its counter: that of the constant in lower case with dashes. */
  public String counterName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the words for people, without the numbers. */
  public String words() {
    return words;
  }

  /** Returns numbers and words for people: {@code "9/2 missing object"}. */
  @Override
  public String toString() {
    return code + "/" + subcode + " " + words;
  }
}
