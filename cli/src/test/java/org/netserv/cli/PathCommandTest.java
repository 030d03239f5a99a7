// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.command.ExitCode;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.Addresses;
import picocli.CommandLine;

/** Messages along a path, from a host that runs no node. */
class PathCommandTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String NODE = "a".repeat(26);
  private static final String OTHER = "b".repeat(26);

  @TempDir Path dir;
  private String out;
  private String err;

  private int run(String... args) {
    StringWriter stdout = new StringWriter();
    StringWriter stderr = new StringWriter();
    CommandLine command = Netserv.commandLine();
    command.setOut(new PrintWriter(stdout, true)).setErr(new PrintWriter(stderr, true));
    int status = command.execute(args);
    out = stdout.toString();
    err = stderr.toString();
    return status;
  }

  @BeforeEach
  void aPublisher() {
    assertEquals(0, run("key", "new", "janedoe", "--dir", dir.toString()), err);
  }

  private void refused(String word, String... args) {
    assertEquals(ExitCode.USAGE, run(args), out);
    assertTrue(err.contains(word), err);
  }

  private String[] signed(String... args) {
    List<String> all = new ArrayList<>(Arrays.asList(args));
    all.addAll(List.of("--user", "janedoe", "--key", dir.resolve("janedoe.key").toString()));
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource({
    "--to, not.an.address",
    "--from, 127.0.0.1.1",
    "--from, ::1",
    "--wait, 0",
    "--wait, 121",
    "--known, /nowhere/known",
    "--where, first"
  })
  void whatCannotBeRightIsNotSent(String option, String value) {
    refused(option.substring(2), "probe", "--to", "127.0.0.1", option, value);
  }

  @ParameterizedTest
  @CsvSource({
    "--to, not.an.address",
    "--from, ::1",
    "--wait, 121",
    "--every, 1",
    "--every, 3601",
    "--known, /nowhere/known",
    "--user, janedoe",
    "--local, --no-router-alert"
  })
  void aMapThatCannotBeMadeIsRefusedBeforeTheNodeIsAsked(String option, String value) {
    refused(option.substring(2), "dashboard", "--to", "127.0.0.1", option, value);
  }

  @Test
  void theDashboardNeedsNoPath() {
    String[] dashboard = {"dashboard", "--root", dir.toString()};
    assertEquals(ExitCode.NO_NODE, run(dashboard), out);
    refused("--to", "dashboard", "--from", "127.0.0.1");
  }

  @Test
  void optionsOfAPathNeedOne() {
    refused("--to", "probe", "--from", "127.0.0.1");
    refused("--to", "probe", "--known", dir.toString());
    refused("--known", "probe", "--to", "127.0.0.1", "--learn");
  }

  @Test
  void propertiesAreSealedToNodesOfAPath() {
    String[] module = {"M_1.0.0", "--url", "http://a/b.jar", "--digest", "0".repeat(64)};
    List<String> setup = new ArrayList<>(List.of("setup"));
    setup.addAll(List.of(module));
    setup.addAll(List.of("--sealed", "a=b"));
    refused("--sealed", signed(setup.toArray(String[]::new)));
    setup.add(0, "trigger");
    setup.addAll(List.of("--to", "127.0.0.1"));
    refused("--sealed", signed(setup.toArray(String[]::new)));
  }

  @Test
  void theFileOfKnownNodesIsRead() throws Exception {
    Path known = Files.writeString(dir.resolve("known"), "# ours\n" + NODE + "\nnobody\n");
    refused("known line 3", "probe", "--to", "127.0.0.1", "--known", known.toString());
  }

  @Test
  void aTriggerNeedsAPathAndAPublisher() {
    refused("--to", signed("trigger", "probe", "node"));
    refused("--to", signed("trigger", "probe", "node", "--to", "127.0.0.1", "--local"));
    refused("--to", signed("trigger", "remove", "*", "--to", "127.0.0.1", "--local"));
    refused("--user", "trigger", "probe", "node", "--to", "127.0.0.1");
    refused(
        "--back-to",
        signed("trigger", "probe", "node", "--to", "127.0.0.1", "--back-to", "nowhere"));
  }

  @Test
  void theWordLocalGivesAPathsMessageToTheNodeHere() {
    String[] probe = {"probe", "--to", "192.0.2.1", "--local", "--root", dir.toString()};
    assertEquals(ExitCode.NO_NODE, run(probe));
    assertTrue(err.contains("admin.sock"), err);
  }

  @Test
  void theDocumentHasANodeForEachHopInPathOrder() {
    PathAnswer answer =
        new PathAnswer(
            PathEnd.PORT_UNREACHABLE,
            "",
            List.of(node(1, NODE, 200, Signer.VERIFIED), node(2, OTHER, 403, Signer.UNKNOWN)),
            null);
    JsonNode json = PathExchange.json(answer);
    assertEquals("port-unreachable", json.path("end").asText());
    assertEquals("some-refused", json.path("outcome").asText());
    assertEquals(2, json.path("nodes").size());
    JsonNode first = json.path("nodes").get(0);
    assertEquals(1, first.path("hop").asInt());
    assertEquals(NODE, first.path("node-id").asText());
    assertEquals("2001:db8::1", first.path("address").asText());
    assertEquals("verified", first.path("signer").asText());
    assertEquals("here", first.path("data").path("reason").asText());
    assertEquals(403, json.path("nodes").get(1).path("status").asInt());
    assertFalse(json.has("far"));
    PathAnswer trigger = new PathAnswer(PathEnd.ENDPOINT, "", List.of(), answer);
    assertEquals(2, PathExchange.json(trigger).path("far").path("nodes").size());
  }

  private static NodeAnswer node(int hop, String id, int status, Signer signer) {
    byte[] address = new byte[16];
    address[0] = 0x20;
    address[1] = 1;
    address[2] = 0x0d;
    address[3] = (byte) 0xb8;
    address[15] = (byte) hop;
    return new NodeAnswer(hop, id, Addresses.of(address), status, "{\"reason\":\"here\"}", signer);
  }

  @ParameterizedTest
  @CsvSource({"DONE,0", "REFUSED,1", "NO_NODE,3", "TIMEOUT,4", "SOME_REFUSED,5"})
  void theExitStatusIsTheOutcome(PathAnswer.Outcome outcome, int status) {
    assertEquals(status, PathExchange.exitCode(outcome));
  }

  /** This host is the end of the flow, so that no node can be on the way. */
  @ParameterizedTest
  @CsvSource({"127.0.0.1", "::1"})
  void withoutANodeOnThePathTheAnswerSaysSo(String address) throws Exception {
    String[] probe = {"probe", "--to", address, "--from", address, "--wait", "6", "--json"};
    assertEquals(ExitCode.NO_NODE, run(probe), out + err);
    JsonNode json = MAPPER.readTree(out);
    assertEquals("no-node", json.path("outcome").asText());
    assertEquals(0, json.path("nodes").size());
    String[] remove = signed("remove", "*", "--to", address, "--from", address, "--wait", "6");
    assertEquals(ExitCode.NO_NODE, run(remove));
    assertTrue(out.contains("no NetServ node answered"), out + err);
  }

  /**
   * No packet leaves this host toward itself, so the host has no source address for such a flow.
   */
  @Test
  void aHostWithoutARouteSaysSo() {
    assertEquals(ExitCode.NO_NODE, run("probe", "--to", "127.0.0.1"));
    assertTrue(err.contains("no route to 127.0.0.1"), err);
  }
}
