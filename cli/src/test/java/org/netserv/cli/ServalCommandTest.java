// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.cli.serval.FakeHost;
import org.netserv.command.ExitCode;
import picocli.CommandLine;

/** The commands of {@code netserv serval} as a script sees them, before a sald that is made up. */
class ServalCommandTest {
  private static final String ID = "00004001" + "0".repeat(56);
  private static final String ASK =
      Paths.dist().resolve("bin/sald") + " --ask " + Path.of("/s/sald.sock") + " ";

  private final FakeHost host = new FakeHost();
  private String out;
  private String err;

  private int run(String words) {
    StringWriter stdout = new StringWriter();
    StringWriter stderr = new StringWriter();
    CommandLine command = Netserv.commandLine();
    command.setOut(new PrintWriter(stdout, true)).setErr(new PrintWriter(stderr, true));
    for (CommandLine part : command.getSubcommands().get("serval").getSubcommands().values()) {
      options(part.getCommand());
    }
    int status = command.execute(("serval " + words + " --state /s").split(" ", -1));
    out = stdout.toString();
    err = stderr.toString();
    return status;
  }

  private void options(Object command) {
    if (command instanceof ServalView view) {
      view.options.host = host;
    } else if (command instanceof ServalOrderCommand order) {
      order.options.host = host;
    } else if (command instanceof ServalWhy why) {
      why.options.host = host;
    } else if (command instanceof ServalResolve resolve) {
      resolve.options.host = host;
    }
  }

  private List<String> lines() {
    return out.lines().map(line -> line.replaceAll(" {2,}", "|")).toList();
  }

  @Test
  void servicesAreATableOrJson() throws IOException {
    String view =
        "{\"count\":200,\"rules\":["
            + "{\"id\":\"%s\",\"bits\":32,\"action\":\"register\",\"target\":\"[::]:80\",\"rank\":1,"
            + "\"weight\":2,\"pid\":4294967295,\"hits\":7},"
            + "{\"id\":\"%s\",\"bits\":0,\"action\":\"forward\",\"target\":\"192.0.2.1:54325\","
            + "\"rank\":0,\"weight\":0,\"pid\":0,\"hits\":0,\"seconds\":9},"
            + "{\"id\":\"%s\",\"bits\":32,\"action\":\"register\",\"target\":\"[::]:81\",\"rank\":0,"
            + "\"weight\":0,\"pid\":0,\"hits\":0,\"drained\":true}]}";
    host.says(ASK + "services", 0, view.formatted(ID, "0".repeat(64), ID));
    assertEquals(ExitCode.DONE, run("services"), err);
    assertEquals("00004001/32|register|[::]:80|1|2|7|listening", lines().get(1));
    assertEquals("default|forward|192.0.2.1:54325|0|0|0|0|9", lines().get(2));
    assertEquals("00004001/32|drained|[::]:81|0|0|0|0", lines().get(3));
    assertEquals("3 of 200 are shown", lines().get(4));
    assertEquals(ExitCode.DONE, run("services --json"), err);
    assertEquals(32, new ObjectMapper().readTree(out).path("rules").path(0).path("bits").asInt());
  }

  @Test
  void anOrderForAViewPrintsIt() {
    host.says(ASK + "status", 0, "{\"flows\":3}");
    assertEquals(ExitCode.DONE, run("order status"), err);
    assertTrue(out.contains("\"flows\" : 3"), out);
  }

  @Test
  void flowsAndNamesAreTables() {
    host.says(
        ASK + "flows",
        0,
        "{\"count\":1,\"flows\":[{\"flow\":\"0a\",\"service\":\"%s\",\"side\":\"client\"}]}"
            .formatted(ID));
    assertEquals(ExitCode.DONE, run("flows"), err);
    assertEquals("0a|00004001|client", lines().get(1));
    host.says(
        ASK + "names",
        0,
        "{\"count\":1,\"names\":[{\"name\":\"a.serval\",\"id\":\"%s\"}]}".formatted(ID));
    assertEquals(ExitCode.DONE, run("names"), err);
    assertEquals("a.serval|00004001", lines().get(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "register 4001 --port 80 --rank 2|register id=4001 port=80 rank=2",
        "register 4001 --port 80 --while-listening|register id=4001 port=80 when=listening",
        "unregister 4001 --pid 7|unregister id=4001 pid=7",
        "migrate 0a1b --to 192.0.2.1|migrate flow=0a1b address=192.0.2.1",
        "resolve 4001|resolve id=4001",
        "resolve web.serval|resolve name=web.serval",
        "order forward id=default to=[2001:db8::1]:5|forward id=default to=%5B2001%3Adb8%3A%3A1%5D%3A5",
      })
  void aCommandIsOneOrder(String words, String order) {
    host.says(ASK, 0, "ok");
    assertEquals(ExitCode.DONE, run(words + " --json"), err);
    assertEquals(List.of(ASK + order), host.commands);
  }

  @Test
  void aBadLineIsRefusedBeforeAnybodyIsAsked() {
    assertEquals(ExitCode.USAGE, run("order forward id"));
    assertTrue(err.contains("'id' is no KEY=VALUE"), err);
    assertEquals(ExitCode.USAGE, run("order forward id=1 id=2"));
    assertEquals(ExitCode.USAGE, run("register 4001"));
    assertEquals(List.of(), host.commands);
  }

  /** A node answers these, so that no sald is asked. */
  @ParameterizedTest
  @CsvSource({"services", "why 4001", "resolve 4001"})
  void aRouterIsAskedByItsNode(String words) {
    String router = words + " --router --root /s/none";
    assertEquals(ExitCode.NO_NODE, run(router));
    assertTrue(err.contains("no node answers on /s/none/run/netserv/admin.sock"), err);
    assertEquals(List.of(), host.commands);
    if (!words.equals("services")) {
      assertEquals(ExitCode.REFUSED, run(router.replace("4001", "web.serval")));
      assertTrue(err.contains("web.serval: a router knows no names"), err);
    }
  }

  @Test
  void whyTellsStepsVerdictAndLimits() {
    host.says(ASK + "names", 0, "{\"count\":0,\"names\":[]}");
    host.says(ASK + "flows", 0, "{\"count\":0,\"flows\":[]}");
    host.says(ASK + "services", 0, "{\"count\":3,\"rules\":[]}");
    assertEquals(ExitCode.DONE, run("why 4001"), err);
    assertTrue(out.contains("So: refused: no rule (NO_RULE)"), out);
    assertTrue(out.contains("Not known here: 3 of 3 rules"), out);
    assertEquals(ExitCode.REFUSED, run("why nobody.serval"));
    assertTrue(err.contains("nobody.serval: this host has no such name"), err);
  }

  @Test
  void aRefusalOfSaldIsTheExitStatus() {
    host.says(ASK, 1, "error reason=no%20such%20rule");
    assertEquals(ExitCode.REFUSED, run("unregister 4001"));
    assertEquals("netserv: unregister: sald refuses: no such rule", err.strip());
  }
}
