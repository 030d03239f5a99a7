// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.frames.FrameException;
import org.netserv.frames.FrameException.Reason;

/** The tool says why it could not speak to the node, with a text of its own for each reason. */
final class AdminClientTest {
  private static String said(IOException e, int exit) {
    CommandException said = AdminClient.explain(Path.of("/run/admin.sock"), e);
    assertEquals(exit, said.exitCode());
    return said.getMessage();
  }

  @Test
  void eachReasonHasItsWords() {
    String denied = said(new SocketException("Permission denied"), ExitCode.REFUSED);
    assertTrue(denied.startsWith("permission denied on /run/admin.sock: run as root"), denied);
    String busy = said(new FrameException(Reason.CLOSED, "closed"), ExitCode.REFUSED);
    assertTrue(busy.contains("is busy: too many connections"), busy);
    assertEquals(busy, said(new IOException("Broken pipe"), ExitCode.REFUSED));
    String away = said(new SocketException("No such file or directory"), ExitCode.NO_NODE);
    assertTrue(away.startsWith("no node answers on /run/admin.sock"), away);
    away = said(new SocketException("Connection refused"), ExitCode.NO_NODE);
    assertTrue(away.contains("start one with: netserv node run"), away);
  }
}
