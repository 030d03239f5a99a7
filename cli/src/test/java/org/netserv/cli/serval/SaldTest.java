// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;

class SaldTest {
  private static final String ASK = "/bin/sald --ask /run/s.sock ";

  private final FakeHost host = new FakeHost();
  private final Sald sald = new Sald(host, Path.of("/bin/sald"), Path.of("/run/s.sock"));

  @Test
  void anOrderIsOneLineAndItsReplyIsPairs() throws CommandException {
    host.says(ASK + "resolve", 0, "ok id=40 address4=198.18.1.0 note=a%20b\n");
    Map<String, String> pairs = new LinkedHashMap<>();
    pairs.put("name", "a b=c%");
    pairs.put("id", "40");
    var reply = sald.order("resolve", pairs);
    assertEquals("198.18.1.0", reply.path("address4").asText());
    assertEquals("a b", reply.path("note").asText());
    assertEquals(List.of(ASK + "resolve name=a%20b%3Dc%25 id=40"), host.commands);
  }

  @Test
  void aValueCannotBecomeAnotherWord() {
    assertEquals("40%20pid%3D1%0Adrop", Sald.encode("40 pid=1\ndrop"));
  }

  @Test
  void aRefusalNamesTheField() {
    host.says(ASK, 1, "error reason=port\n");
    CommandException refused =
        assertThrows(CommandException.class, () -> sald.order("register", Map.of("port", "70000")));
    assertEquals("register: sald refuses port: 70000 (1 to 65535)", refused.getMessage());
    assertEquals(ExitCode.REFUSED, refused.exitCode());
    host.says(ASK, 1, "error reason=too%20many%20routers\n");
    assertEquals(
        "router: sald refuses: too many routers",
        assertThrows(CommandException.class, () -> sald.order("router", Map.of())).getMessage());
  }

  @Test
  void aSaldThatDoesNotAnswerIsNoRefusal() {
    host.says(ASK, 2, "/run/s.sock: No such file or directory\n");
    CommandException gone = assertThrows(CommandException.class, () -> sald.view("status"));
    assertEquals(ExitCode.NO_NODE, gone.exitCode());
    assertTrue(gone.getMessage().contains("netserv serval host up"));
  }

  @Test
  void aViewThatIsNoJsonIsToldAsSuch() {
    host.says(ASK, 0, "{\"flows\":");
    assertTrue(
        assertThrows(CommandException.class, () -> sald.view("flows"))
            .getMessage()
            .startsWith("sald's view of flows is no JSON"));
  }
}
