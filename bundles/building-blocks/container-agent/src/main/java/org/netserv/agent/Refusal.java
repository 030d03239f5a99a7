// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The reason not to carry out a request. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1;

  /** The phase that an installation had reached, as the protocol names it. */
  enum Phase {
    NONE,
    INSTALL,
    /** The publisher's file system has no room for the bundle. */
    STORAGE,
    RESOLVE,
    START,
    CONFIGURE,
    TIMEOUT
  }

  private final Phase phase;
  private final int status;

  private Refusal(Phase phase, int status, String text, Throwable cause) {
    super(text, cause);
    this.phase = phase;
    this.status = status;
  }

  /** Refuses a request that is itself wrong. */
  static Refusal bad(String text) {
    return new Refusal(Phase.NONE, 400, text, null);
  }

  static Refusal unknown(String module) {
    return new Refusal(Phase.NONE, 404, "no module " + module + " here", null);
  }

  static Refusal failed(Phase phase, String text, Throwable cause) {
    return new Refusal(phase, phase == Phase.TIMEOUT ? 504 : 424, text, cause);
  }

  /** Refuses an install that could not keep the bundle. */
  static Refusal notKept(Throwable cause) {
    Phase phase = ExceptionText.isFull(cause) ? Phase.STORAGE : Phase.INSTALL;
    return failed(phase, ExceptionText.of(cause), cause);
  }

  static Refusal internal(Throwable cause) {
    return new Refusal(Phase.NONE, 500, ExceptionText.of(cause), cause);
  }

  void print(ObjectNode reply) {
    reply.put("ok", false).put("error", getMessage()).put("status", status);
    if (phase != Phase.NONE) {
      reply.put("phase", phase.name().toLowerCase(java.util.Locale.ROOT));
    }
  }
}
