// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

/** The exit status of every command. Scripts rely on the numbers, so they never change meaning. */
public final class ExitCode {
  /** Done as asked. */
  public static final int DONE = 0;

  /** A node, a policy or a verifier said no; the reason is on standard error (or in the JSON). */
  public static final int REFUSED = 1;

  /** The command line or a file it names is wrong; nothing was sent. */
  public static final int USAGE = 2;

  /** No NetServ node answered at all. */
  public static final int NO_NODE = 3;

  /** The answer did not come in time. */
  public static final int TIMEOUT = 4;

  /** Some nodes accepted and some refused. The JSON lists each. */
  public static final int SOME_REFUSED = 5;

  private ExitCode() {}
}
