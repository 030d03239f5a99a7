// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.frames.Json;
import picocli.CommandLine;

/**
 * The command as a script sees it: exit status, standard output and standard error. No node is
 * running.
 */
class CommandTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

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

  private String path(String name) {
    return dir.resolve(name).toString();
  }

  private JsonNode json() throws IOException {
    return MAPPER.readTree(out);
  }

  @BeforeEach
  void aPublisherWithASignedBundle() throws IOException {
    assertEquals(0, run("key", "new", "janedoe", "--dir", path("keys")), err);
    writeBundle(dir.resolve("app.jar"));
    assertEquals(
        0,
        run(
            "bundle",
            "sign",
            path("app.jar"),
            "--key",
            path("keys/janedoe.key"),
            "--cert",
            path("keys/janedoe.crt"),
            "--out",
            path("signed.jar")),
        err);
  }

  @Test
  void everyCommandHasAnExampleAndJson() {
    everyCommandHasAnExampleAndJson(Netserv.commandLine());
  }

  private static void everyCommandHasAnExampleAndJson(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    assertTrue(command.getUsageMessage().contains("Example:  "), name);
    boolean group = !command.getSubcommands().isEmpty();
    assertTrue(group || command.getCommandSpec().findOption("--json") != null, name);
    command.getSubcommands().values().forEach(CommandTest::everyCommandHasAnExampleAndJson);
  }

  @Test
  void aKeyIsSecretAndNeverOverwritten() throws IOException {
    Path key = dir.resolve("keys/janedoe.key");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
    byte[] before = Files.readAllBytes(key);
    assertEquals(ExitCode.USAGE, run("key", "new", "janedoe", "--dir", path("keys")));
    assertTrue(err.contains("janedoe.key"), err);
    assertEquals(new String(before, StandardCharsets.UTF_8), Files.readString(key));
  }

  @Test
  void aKeyHasAnHonestName() {
    assertEquals(ExitCode.USAGE, run("key", "new", "../evil", "--dir", path("keys")));
    assertTrue(err.contains("NAME"), err);
  }

  @Test
  void theSignedBundleIsGoodAndAChangedOneIsNot() throws IOException {
    String anchor = path("keys/janedoe.crt");
    assertEquals(0, run("bundle", "verify", path("signed.jar"), "--anchor", anchor, "--json"), err);
    assertEquals("com.example.app_1.2.3", json().path("module").asText());
    byte[] jar = Files.readAllBytes(dir.resolve("signed.jar"));
    jar[jar.length / 2] ^= 1;
    Files.write(dir.resolve("bad.jar"), jar);
    assertEquals(
        ExitCode.REFUSED, run("bundle", "verify", path("bad.jar"), "--anchor", anchor, "--json"));
    assertFalse(json().path("good").asBoolean());
    assertFalse(json().path("reason").asText().isEmpty());
  }

  @Test
  void aForeignCertificateIsNotTrusted() {
    run("key", "new", "mallory", "--dir", path("keys"));
    assertEquals(
        ExitCode.REFUSED,
        run("bundle", "verify", path("signed.jar"), "--anchor", path("keys/mallory.crt")));
  }

  @Test
  void inspectSaysWhoSignedAndWhetherThisNodeWouldGrantIt() throws IOException {
    letIn();
    String[] granted = {
      "bundle",
      "inspect",
      path("signed.jar"),
      "--root",
      dir.toString(),
      "--user",
      "janedoe",
      "--filter-port",
      "5060",
      "--filter-proto",
      "udp"
    };
    assertEquals(0, run(granted), err);
    assertTrue(out.contains("CN=janedoe"), out);
    assertTrue(out.contains("org.netserv.packet"), out);
    assertTrue(out.contains("this node would grant it"), out);
    assertTrue(out.contains("inodes 4096"), out);
    assertTrue(out.contains("is reached at nothing"), out);
    assertTrue(out.contains("refused where one is missing of cgroup, user"), out);
    assertTrue(out.contains("plane: queue, fast path on nothing"), out);
    String[] program = Arrays.copyOf(granted, granted.length + 2);
    program[granted.length] = "--filter-match";
    program[granted.length + 1] = "len > 100";
    assertEquals(0, run(program), err);
    assertTrue(out.contains("port 5060, of which a program must say yes"), out);
    program[granted.length] = "--filter-count";
    program[granted.length + 1] = "src,dst";
    assertEquals(ExitCode.REFUSED, run(program));
    assertTrue(out.contains("403 needs the grant monitor"), out);
    granted[granted.length - 3] = "5061";
    assertEquals(ExitCode.REFUSED, run(granted));
    assertTrue(out.contains("403"), out);
  }

  @Test
  void whatAContainerMayUseAndWhereItIsReachedIsExplained() throws IOException {
    String[] add = {
      "publisher",
      "add",
      "janedoe",
      "--root",
      dir.toString(),
      "--key",
      path("keys/janedoe.pub"),
      "--listen",
      "tcp/192.0.2.1/32/80",
      "--operator"
    };
    add[8] = "tcp/192.0.2.1/80";
    assertEquals(ExitCode.USAGE, run(add));
    assertTrue(err.contains("--listen tcp/192.0.2.1/80"), err);
    add[8] = "tcp/192.0.2.1/32/80";
    assertEquals(0, run(add), err);
    run("trust", "add", "janedoe", path("keys/janedoe.crt"), "--root", dir.toString());
    String[] explain = {
      "policy",
      "explain",
      "com.example.app",
      "--user",
      "janedoe",
      "--root",
      dir.toString(),
      "--json"
    };
    run(explain);
    JsonNode explained = json();
    assertEquals("tcp/192.0.2.1/32/80", explained.path("listen").path(0).asText());
    assertEquals(64, explained.path("quotas").path("metaspace").asInt());
    assertEquals(100_000, explained.path("quotas").path("packets-per-second").asInt());
    assertEquals(256, explained.path("quotas").path("flows").asInt());
    assertEquals("queue", explained.path("plane").asText());
    assertEquals("[]", explained.path("process").toString());
    assertTrue(explained.path("fastPath").isEmpty());
    assertTrue(explained.path("operator").asBoolean());
    assertTrue(explained.path("refusedWithout").isEmpty());
    assertEquals(0, run("policy", "check", "--root", dir.toString()), err);
    assertTrue(out.contains("janedoe is reached from the network: tcp/192.0.2.1/32/80"), out);
    assertTrue(out.contains("janedoe is the operator's own"), out);
  }

  @Test
  void policyCheckRemarksOnLayers() throws IOException {
    Files.createDirectories(dir.resolve("etc/netserv"));
    Files.writeString(
        dir.resolve("etc/netserv/node.yaml"),
        "isolation: {without: [seccomp, disk], accept-missing: [disk]}\n");
    assertEquals(0, run("policy", "check", "--root", dir.toString()), err);
    assertTrue(out.contains("without seccomp: only the operator's own"), out);
    assertTrue(out.contains("everybody is served without disk"), out);
  }

  @Test
  void publishersAreLetInListedAndRevoked() throws IOException {
    letIn();
    assertEquals(0, run("publisher", "list", "--root", dir.toString(), "--json"), err);
    assertEquals("admitted", json().get(0).path("state").asText());
    assertEquals(700_000, json().get(0).path("uid").asInt());
    assertEquals(0, run("publisher", "revoke", "janedoe", "--root", dir.toString()), err);
    run("publisher", "list", "--root", dir.toString(), "--json");
    assertEquals("revoked", json().get(0).path("state").asText());
    assertEquals(0, run("policy", "check", "--root", dir.toString()), err);
  }

  @Test
  void aBadPrefixIsNamedAndNothingIsWritten() {
    int status =
        run(
            "publisher",
            "add",
            "janedoe",
            "--root",
            dir.toString(),
            "--key",
            path("keys/janedoe.pub"),
            "--prefix",
            "192.0.2.0/33");
    assertEquals(ExitCode.USAGE, status);
    assertTrue(err.contains("--prefix 192.0.2.0/33"), err);
    assertFalse(Files.exists(dir.resolve("etc/netserv/publishers.d/janedoe.yaml")));
  }

  @Test
  void policyCheckNamesTheFileAndTheKey() throws IOException {
    Files.createDirectories(dir.resolve("etc/netserv"));
    Files.writeString(dir.resolve("etc/netserv/node.yaml"), "freshnes: 3\n");
    assertEquals(ExitCode.REFUSED, run("policy", "check", "--root", dir.toString()));
    assertTrue(err.contains("node.yaml") && err.contains("freshnes"), err);
  }

  @Test
  void theStatusHasALineAboutSignaling() {
    ObjectNode signaling = Json.object().put("running", false);
    assertEquals("signaling does not run", NodeStatus.signaling(signaling));
    ObjectNode isolation = JsonCommand.MAPPER.createObjectNode();
    assertEquals("layers of isolation are not known", NodeStatus.isolation(isolation));
    isolation.putArray("layers").add("uid");
    assertEquals("every layer of isolation is there", NodeStatus.isolation(isolation));
    isolation.putArray("missing").add("disk").add("landlock");
    assertTrue(NodeStatus.isolation(isolation).endsWith("(accepted by node.yaml)"));
    isolation.putArray("refusing").add("landlock");
    assertEquals(
        "LAYERS OF ISOLATION MISSING: disk, landlock; only the operator's own publishers are"
            + " served without landlock",
        NodeStatus.isolation(isolation));
    isolation.putObject("covered").putArray("landlock-net").add("net").add("rules");
    isolation.putArray("missing").add("landlock-net");
    isolation.putArray("refusing");
    assertEquals(
        "layers of isolation: landlock-net: missing, covered by net, rules",
        NodeStatus.isolation(isolation));
    isolation.putArray("missing").add("disk").add("landlock-net");
    isolation.putArray("refusing").add("disk");
    assertTrue(
        NodeStatus.isolation(isolation)
            .endsWith("without disk; landlock-net: missing, covered by net, rules"));
    isolation.putArray("missing").add("landlock-net");
    isolation.putArray("refusing").add("landlock-net");
    assertTrue(NodeStatus.isolation(isolation).startsWith("LAYERS OF ISOLATION MISSING"));
    signaling.put("running", true).put("sigio", 1).put("associations", 3);
    signaling.put("routing-states", 8).put("requests", 1);
    assertEquals(
        "signaling runs: 3 associations with peers, 8 routing states, 1 requests under way",
        NodeStatus.signaling(signaling));
    signaling.put("sigio", 0);
    assertTrue(NodeStatus.signaling(signaling).startsWith("signaling runs without sigio: "));
  }

  @Test
  void theStatusSaysWhetherTheFirewallIsWhole() {
    ObjectNode firewall = Json.object();
    assertEquals("firewall: not known, the spawner does not say", NodeStatus.firewall(firewall));
    firewall.put("state", "ok").put("healed", 0);
    assertEquals("firewall: ok", NodeStatus.firewall(firewall));
    firewall.put("state", "damaged").putArray("parts").add("raw4").add("fence");
    ObjectNode last = firewall.putObject("last").put("since", "2026-01-02T03:04:05Z");
    last.putArray("parts").add("raw4").add("fence");
    assertEquals(
        "FIREWALL: damaged: raw4, fence (being put back since 2026-01-02T03:04:05Z)",
        NodeStatus.firewall(firewall));
    firewall.put("state", "ok").put("healed", 3);
    last.put("millis", 12);
    assertEquals(
        "firewall: ok; damaged and put back 3 times, last raw4, fence at 2026-01-02T03:04:05Z for"
            + " 12 ms",
        NodeStatus.firewall(firewall));
    firewall.put("state", "failing").put("healed", 0).put("why", "no nft");
    assertEquals("FIREWALL: rules cannot be written: no nft", NodeStatus.firewall(firewall));
  }

  @Test
  void theStatusSaysWhichProgramsOfTheOperatorRun() {
    ObjectNode fastPath = Json.object();
    assertEquals("fast path: off", NodeStatus.fastPath(fastPath));
    fastPath.putArray("programs").add("tc-3").add("xdp-2");
    fastPath.put("programsRefused", "tc-4: it pins a map");
    assertEquals(
        "fast path: off; programs of the operator: tc-3, xdp-2; NOT TAKEN: tc-4: it pins a map",
        NodeStatus.fastPath(fastPath));
  }

  @Test
  void theStatusSaysHowTheFastPathForwards() {
    ObjectNode fastPath = Json.object().put("forward", "direct").put("flows", 3).put("refused", 1);
    fastPath.putArray("interfaces").add("eth0").add("eth1");
    fastPath.putArray("features").add("tc");
    assertEquals(
        "fast path: on eth0, eth1, forward direct (tc): 3 flows in the kernel, 1 refused",
        NodeStatus.fastPath(fastPath));
  }

  @Test
  void theStatusSaysWhereAContainerComesFrom() {
    ObjectNode container = Json.object();
    assertEquals("-", NodeStatus.from(container));
    assertEquals("start", NodeStatus.from(container.put("spare", false)));
    assertEquals("spare", NodeStatus.from(container.put("spare", true)));
  }

  @Test
  void withoutANodeTheStatusSaysSo() {
    assertEquals(ExitCode.NO_NODE, run("node", "status", "--root", dir.toString()));
    assertTrue(err.contains("admin.sock"), err);
    int status =
        run(
            "setup",
            "com.example.app_1.2.3",
            "--root",
            dir.toString(),
            "--user",
            "janedoe",
            "--key",
            path("keys/janedoe.key"),
            "--url",
            "http://192.0.2.1/a.jar",
            "--bundle",
            path("signed.jar"));
    assertEquals(ExitCode.NO_NODE, status, err);
  }

  @Test
  void aSetupThatCannotBeRightIsNotSent() {
    String[] setup = {
      "setup",
      "com.example.app_1.2.3",
      "--root",
      dir.toString(),
      "--user",
      "janedoe",
      "--key",
      path("keys/janedoe.key"),
      "--url",
      "ftp://x/",
      "--bundle",
      path("signed.jar")
    };
    assertEquals(ExitCode.USAGE, run(setup));
    assertTrue(err.contains("url"), err);
    String[] soon = Arrays.copyOf(setup, setup.length + 2);
    soon[9] = "http://192.0.2.1/a.jar";
    soon[setup.length] = "--activate";
    soon[setup.length + 1] = "soon";
    assertEquals(ExitCode.USAGE, run(soon));
    assertTrue(err.contains("activate: not now or later: 'soon'"), err);
    assertEquals(
        ExitCode.USAGE,
        run("setup", "x", "--url", "http://192.0.2.1/", "--bundle", path("signed.jar")));
    assertTrue(err.contains("--user"), err);
    assertEquals(ExitCode.USAGE, run("frobnicate"));
  }

  @Test
  void whatANodeSaysCannotDriveTheTerminal() {
    assertEquals("a?[31mb", Table.printable("a\u001b[31mb"));
  }

  private void letIn() {
    String root = dir.toString();
    assertEquals(
        0,
        run(
            "publisher",
            "add",
            "janedoe",
            "--root",
            root,
            "--key",
            path("keys/janedoe.pub"),
            "--prefix",
            "192.0.2.0/24",
            "--port",
            "udp/5060"),
        err);
    assertEquals(0, run("trust", "add", "janedoe", path("keys/janedoe.crt"), "--root", root), err);
  }

  private static void writeBundle(Path file) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "com.example.app");
    main.putValue("Bundle-Version", "1.2.3");
    main.putValue("Import-Package", "org.netserv.packet;version=\"[2.0,3)\"");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      jar.putNextEntry(new ZipEntry("com/example/data.txt"));
      jar.write(
          "some content that is long enough to be changed in its middle"
              .repeat(9)
              .getBytes(StandardCharsets.UTF_8));
    }
  }
}
