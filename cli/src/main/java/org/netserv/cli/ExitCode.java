// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

/** The exit status of every command; scripts rely on them, so they never change meaning. */
final class ExitCode {
  /** Done as asked. */
  static final int DONE = 0;

  /** A node, a policy or a verifier said no; the reason is on standard error (or in the JSON). */
  static final int REFUSED = 1;

  /** The command line or a file it names is wrong; nothing was sent. */
  static final int USAGE = 2;

  /** No NetServ node answered at all. */
  static final int NO_NODE = 3;

  /** The answer did not come in time. */
  static final int TIMEOUT = 4;

  /** Some nodes accepted, some refused; the JSON lists each. */
  static final int SOME_REFUSED = 5;

  private ExitCode() {}
}
