// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.machine.DebianRoot;
import org.netserv.lab.testbed.machine.Machine;
import org.netserv.lab.testbed.machine.Traces;

/**
 * Makes a node of a fresh Debian under systemd by {@code netserv install}. The guide's first module
 * runs on it, through an upgrade and through a version that does not start. Then the system becomes
 * a host of Serval, too. After {@code netserv uninstall --purge} it must be as it was.
 */
public final class Installation implements Scenario {
  private static final double EXPOSURE = 6.0;
  private static final int ECHO = 7;
  private static final int FOREIGN = 9000;
  private static final int RATE = 50;
  private static final int SECONDS = 40;

  /** Most packets that may bypass the module: as many as are sent in 5 s. */
  private static final int BYPASS_MOST = 5 * RATE;

  /**
   * Runnable threads for each processor above which a restart is not judged, because other work
   * slows it down.
   */
  private static final double LOAD_MOST = 1.0;

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String SECOND = "/src2";

  /** Copies the source tree with its built tree. The copy differs in one file. */
  private static final String COPY =
      """
      mkdir -p /src2 && cd /src
      tar --exclude=.git --exclude=target -cf - . | tar -xf - -C /src2
      mkdir -p /src2/target && cp -a /src/target/dist /src2/target/dist
      echo another build >/src2/target/dist/build
      """;

  /**
   * Breaks the copied build, so that its controller cannot start and the node never becomes ready.
   */
  private static final String BREAK = "rm /src2/target/dist/controller/*.jar";

  /**
   * Counts the processes among controller, signaling and the module's host that have mapped the
   * class data made by {@code install}.
   */
  private static final String WITH_CLASS_DATA =
      """
      for kind in /dist/controller.jsa /dist/signaling.jsa /cds/host-; do
          grep -l "$kind" /proc/[0-9]*/maps 2>/dev/null | head -n 1
      done | wc -l
      """;

  private static final String UNIT = "netserv";
  private static final String PREFIX = "/opt/edge";

  /** Makes systemd give up a node after 20 s, so that the scenario need not wait for a minute. */
  private static final String SHORT_WATCHDOG =
      """
      mkdir -p /etc/systemd/system/netserv.service.d
      printf '[Service]\\nWatchdogSec=20\\n' >/etc/systemd/system/netserv.service.d/lab.conf
      systemctl daemon-reload
      """;

  /** Prints the hundredths of a second that the node's processes have used since its start. */
  private static final String USED =
      """
      top=$(systemctl show --value -p MainPID netserv)
      cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/name/' | awk -v top="$top" '
          { parent[$1] = $4; used[$1] = $14 + $15 + $16 + $17 }
          END {
              for (p in used) {
                  for (q = p; q != top && q in parent; q = parent[q]) ;
                  if (q == top) sum += used[p]
              }
              print sum + 0
          }'
      """;

  private final ResultTable table = new ResultTable("", "seen", "wanted", "");
  private Stage stage;
  private Machine machine;
  private Path guide;
  private boolean holds = true;
  private int unjudged;

  @Override
  public String topology() {
    return "install";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    stage.step("make the fresh root, if there is none, and boot it");
    Path root = DebianRoot.get();
    try (Machine booted = Machine.boot(stage.testbed(), "node", root)) {
      machine = booted;
      Traces before = Traces.of(machine);
      install();
      firstModule();
      upgrade();
      refusedUpgrade();
      stage.step("make a Serval host by its unit, kill its processes");
      new InstalledHost(machine, this::row).play();
      uninstall(before);
      anotherPrefix(before);
    }
    stage.show(table);
    if (unjudged > 0) {
      stage.out().println(unjudged + " row not judged: this machine had other work");
    }
    return holds;
  }

  private void install() throws IOException {
    stage.step("install, enable, start");
    machine.write("etc/netserv/node.yaml", "fetch: {allow: [192.0.2.0/24]}\n");
    stage.out().print(machine.run(Machine.SOURCE + "/netserv", "install").done());
    row("the operator's node.yaml", read("etc/netserv/node.yaml").contains("192.0.2.0/24"));
    row("the command in PATH", machine.run("netserv", "--version").status() == 0);
    Machine.Said started = machine.run("systemctl", "enable", "--now", "netserv");
    row("systemctl enable --now", machine.state(UNIT), "active");
    if (started.status() != 0) {
      throw new LabException(started.output() + log());
    }
    row("a source newer than the build: it builds nothing", buildsNothing());
    String exposure = machine.run("systemd-analyze", "security", "netserv").output();
    Matcher level =
        Pattern.compile("exposure level for netserv.service: ([0-9.]+)").matcher(exposure);
    String seen = level.find() ? level.group(1) : exposure.strip();
    boolean low = seen.matches("[0-9.]+") && Double.parseDouble(seen) <= EXPOSURE;
    row("systemd-analyze security", seen, "<= " + EXPOSURE, low);
  }

  /** Returns true if the installed command answers without a source tree. */
  private boolean buildsNothing() throws IOException {
    return machine.run("netserv", "node", "status").status() == 0
        && machine.run("netserv", "lab", "run").output().contains("needs the source tree");
  }

  // ---- the module

  private void firstModule() throws IOException {
    stage.step("build and sign the guide's first module, push it to the installed node");
    guide = Files.createDirectory(stage.testbed().state().resolve("guide"));
    follow(LabHome.home().resolve("docs/first-module.md"));
    Files.copy(
        guide.resolve("echo-signed.jar"),
        stage.testbed().state().resolve("bundles/echo-signed.jar"));
    for (String file :
        List.of("echo-signed.jar", "keys/example.pub", "keys/example.crt", "keys/example.key")) {
      Path to = machine.root().resolve("root").resolve(file);
      Files.createDirectories(to.getParent());
      Files.copy(guide.resolve(file), to);
    }
    machine
        .shell(
            """
            cd /root
            netserv publisher add example --key keys/example.pub --prefix 192.0.2.0/24 --port udp/7 &&
            netserv trust add example keys/example.crt &&
            netserv setup com.example.echo_1.0.0 --user example --key keys/example.key \\
                --url http://192.0.2.10/echo-signed.jar --bundle echo-signed.jar \\
                --ttl 3600 --filter-port 7 --filter-proto udp
            """)
        .done();
    row("the guide's module answers", echoed(), "is anybody there?");
  }

  /** Runs the commands of the page up to its part 4, which would need a lab. */
  private void follow(Path page) throws IOException {
    String text = Files.readString(page);
    Matcher block =
        Pattern.compile("(?ms)^```sh$(.*?)^```$").matcher(text.substring(0, text.indexOf("## 4.")));
    StringBuilder script = new StringBuilder("set -eu\n");
    while (block.find()) {
      script.append(block.group(1));
    }
    Path log = guide.resolve("log");
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", script.toString());
    builder.environment().put("NETSERV", LabHome.home().toString());
    builder.directory(guide.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
    try {
      if (builder.start().waitFor() != 0) {
        throw new LabException("the guide failed:\n" + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
  }

  private String echoed() throws IOException {
    return stage
        .testbed()
        .run(
            "user",
            "bash",
            "-c",
            "exec 3<>/dev/udp/192.0.2.10/7; echo 'is anybody there?' >&3;"
                + " timeout 5 head -n 1 <&3 || true")
        .strip();
  }

  private void awaitEcho() throws IOException {
    Wait.until("the module to answer", PATIENCE, () -> echoed().equals("is anybody there?"));
  }

  // ---- another version

  private void upgrade() throws IOException {
    stage.step("install a second build beside the first, restart under traffic");
    machine.shell(COPY).done();
    String first = version("started");
    String pid = machine.mainPid(UNIT);
    stage.out().print(machine.run(SECOND + "/netserv", "install").done());
    row(
        "installed beside it, the old one runs on",
        version("started") + " " + machine.mainPid(UNIT),
        first + " " + pid);
    int count = RATE * SECONDS;
    Tool bypassed = stage.sink(ECHO, count);
    Tool foreign = stage.sink(FOREIGN, count);
    Tool packets = stage.datagrams(ECHO, RATE, count);
    Tool others = stage.datagrams(FOREIGN, RATE, count);
    double load = load();
    Machine.Said restarted = machine.run("systemctl", "restart", "netserv");
    row("systemctl restart", restarted.status(), 0);
    awaitEcho();
    String used = machine.shell(USED).done().strip();
    load = Math.max(load, load());
    stage.out().println("  until the module answered: %s/100 s of processor".formatted(used));
    row(
        "the second build runs",
        version("good").equals(version("current")) && !version("good").equals(first));
    row("its JVMs with class data", machine.shell(WITH_CLASS_DATA).output().strip(), 3);
    packets.result(2 * SECONDS);
    others.result(2 * SECONDS);
    bypassed(bypassed.result(2 * SECONDS).getOrDefault("received", 0L), count, load);
    long arrived = foreign.result(2 * SECONDS).getOrDefault("received", 0L);
    row("foreign packets lost", count - arrived, 0);
  }

  /**
   * Judges the packets that bypassed the module. On a busy machine the row is not judged, because
   * virtual machines start as slowly as the other work lets them.
   */
  private void bypassed(long packets, int of, double load) {
    String what = "matching packets bypassed, of " + of;
    String wanted = "<= " + BYPASS_MOST;
    if (packets <= BYPASS_MOST || load <= LOAD_MOST * Runtime.getRuntime().availableProcessors()) {
      row(what, packets, wanted, packets <= BYPASS_MOST);
    } else {
      unjudged++;
      table.row(what, packets, wanted, "not judged at load %.0f".formatted(load));
    }
  }

  private static double load() throws IOException {
    return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]);
  }

  private void refusedUpgrade() throws IOException {
    stage.step("install a third build, whose controller does not start, and restart");
    String second = version("good");
    machine.shell(BREAK).done();
    machine.run(SECOND + "/netserv", "install").done();
    row("the third build comes next", !version("current").equals(second));
    row("systemctl restart fails", machine.run("systemctl", "restart", "netserv").status() != 0);
    Wait.until("the node to be ready again", PATIENCE, () -> machine.state(UNIT).equals("active"));
    row("the second build runs again", version("started"), second);
    row("the journal says so", log().contains("did not become ready"));
    awaitEcho();
    row("the guide's module answers", echoed(), "is anybody there?");
  }

  // ---- the end

  private void uninstall(Traces before) throws IOException {
    stage.step("uninstall, install again, kill -9 everything, uninstall --purge");
    machine.run("netserv", "uninstall").done();
    row("uninstall takes the Serval host", machine.run("ip", "link", "show", "sal0").status(), 1);
    row(
        "uninstall keeps configuration and state",
        Files.exists(machine.root().resolve("etc/netserv/node.yaml"))
            && Files.exists(machine.root().resolve("var/lib/netserv/node.key")));
    row("and takes the command", machine.shell("command -v netserv").status() != 0);
    machine.run(Machine.SOURCE + "/netserv", "install").done();
    machine.shell(SHORT_WATCHDOG).done();
    machine.run("systemctl", "enable", "--now", "netserv").done();
    awaitEcho();
    hang();
    machine
        .shell("systemctl mask --runtime netserv; systemctl kill --signal=KILL netserv; sleep 1")
        .done();
    row(
        "killed, its rules are left",
        machine
            .shell("nft list ruleset 2>/dev/null | grep -c NETSERV")
            .output()
            .strip()
            .matches("[1-9].*"));
    machine.shell("systemctl unmask --runtime netserv; systemctl stop netserv").done();
    stage.out().print(machine.run("netserv", "uninstall", "--purge").done());
    nothingLeft("uninstall --purge", before);
  }

  /**
   * Stops the controller by a signal. It then answers nobody, although all processes of the node
   * are there, and systemd must start the node again.
   */
  private void hang() throws IOException {
    stage.step("stop the controller by a signal, so that it hangs");
    String pid = machine.mainPid(UNIT);
    machine.run("pkill", "-STOP", "-f", "org.netserv.controller.ControllerMain").done();
    Wait.until("systemd to start the node again", PATIENCE, () -> restarts().equals("1"));
    Wait.until("the node to be ready", PATIENCE, () -> machine.state(UNIT).equals("active"));
    row(
        "a controller that hangs: systemd starts the node again",
        !machine.mainPid(UNIT).equals(pid));
    awaitEcho();
    row("the guide's module answers", echoed(), "is anybody there?");
  }

  private String restarts() throws IOException {
    return machine
        .run("systemctl", "show", "--value", "-p", "NRestarts", "netserv")
        .output()
        .strip();
  }

  private void anotherPrefix(Traces before) throws IOException {
    stage.step("install --prefix " + PREFIX + ", start, uninstall --purge");
    String command = PREFIX + "/bin/netserv";
    machine.run(Machine.SOURCE + "/netserv", "install", "--prefix", PREFIX).done();
    row("install --prefix: its command", machine.run(command, "--version").status() == 0);
    row(
        "nothing below /usr/lib",
        machine
                .shell(
                    "test ! -e /usr/lib/netserv && test ! -e /usr/lib/systemd/system/netserv.service")
                .status()
            == 0);
    row(
        "a second prefix is refused",
        machine.run(Machine.SOURCE + "/netserv", "install").status(),
        2);
    machine.run("systemctl", "enable", "--now", "netserv").done();
    row("systemctl enable --now", machine.state(UNIT), "active");
    machine.run(command, "uninstall", "--purge").done();
    nothingLeft("uninstall --purge, prefix", before);
  }

  private void nothingLeft(String what, Traces before) throws IOException {
    Traces after = Traces.of(machine);
    for (Map.Entry<String, ?> kind : after.kinds().entrySet()) {
      List<String> left = after.since(before, kind.getKey());
      row(what + ": " + kind.getKey() + " left or missing", left.size(), 0);
      left.stream()
          .limit(10)
          .forEach(line -> stage.out().println("  " + kind.getKey() + " " + line));
    }
  }

  private String version(String link) throws IOException {
    return machine.run("readlink", "/usr/lib/netserv/" + link).output().strip();
  }

  private String log() throws IOException {
    return machine.run("journalctl", "--no-pager", "-n", "40", "-u", "netserv").output();
  }

  private String read(String file) throws IOException {
    return Files.readString(machine.root().resolve(file));
  }

  private void row(String what, boolean right) {
    row(what, right, true);
  }

  private void row(String what, Object seen, Object wanted) {
    row(what, seen, wanted, seen.toString().equals(wanted.toString()));
  }

  private void row(String what, Object seen, Object wanted, boolean right) {
    table.row(what, seen, wanted, right ? "ok" : "WRONG");
    holds &= right;
  }
}
