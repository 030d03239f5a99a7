// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.machine.Machine;

/**
 * A Serval host as the unit {@code netserv-serval} makes it at a boot: sald and the controller are
 * units of systemd, which starts each again when it ends.
 */
final class InstalledHost {
  /** A row of the scenario's table. */
  interface Rows {
    void row(String what, Object seen, Object wanted);
  }

  /** Options of {@code netserv serval host up}. The router need not answer. */
  private static final String OPTIONS =
      "OPTIONS=--interface core --orders /root/host.orders"
          + " --key /root/keys/example.key --router 192.0.2.10\n";

  private static final String ORDERS = "register id=00004001 port=8080 when=listening\n";

  /** Has systemd listen for a program that nobody calls. */
  private static final String[] LISTENER = {
    "systemd-run", "--quiet", "--unit=listener", "--socket-property=ListenStream=8080", "true"
  };

  private static final String[] UNITS = {"netserv-sald", "netserv-serval-controller"};
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Machine machine;
  private final Rows rows;

  InstalledHost(Machine machine, Rows rows) {
    this.machine = machine;
    this.rows = rows;
  }

  /** Starts the host, kills its processes, stops it, and starts it again. It is up after that. */
  void play() throws IOException {
    machine.write("etc/netserv/serval-host", OPTIONS);
    machine.write("root/host.orders", ORDERS);
    Machine.Said started = machine.run("systemctl", "enable", "--now", "netserv-serval");
    rows.row("systemctl enable --now netserv-serval", started.status() + said(started), 0);
    for (String unit : UNITS) {
      rows.row(unit, machine.state(unit), "active");
    }
    rows.row("a service without its program", services(), 0);
    machine.run(LISTENER).done();
    Wait.until("the program to be registered", PATIENCE, () -> services() == 1);
    rows.row("its program listens", services(), 1);
    for (String unit : UNITS) {
      kill(unit);
    }
    machine.run("systemctl", "stop", "netserv-serval", "listener.socket").done();
    rows.row("stopped: its links", links(), 0);
    for (String unit : UNITS) {
      rows.row("stopped: " + unit, machine.state(unit), "inactive");
    }
    machine.run("systemctl", "start", "netserv-serval").done();
    rows.row("started again: its links", links(), 2);
  }

  private void kill(String unit) throws IOException {
    String before = machine.mainPid(unit);
    machine.run("systemctl", "kill", "--signal=KILL", unit).done();
    Wait.until(unit + " to be there again", PATIENCE, () -> isAnother(before, unit));
    Wait.until("sald to answer", PATIENCE, () -> services() == 1);
    rows.row("killed, there again: " + unit, machine.state(unit), "active");
  }

  private boolean isAnother(String before, String unit) throws IOException {
    String now = machine.mainPid(unit);
    return machine.state(unit).equals("active") && !now.equals("0") && !now.equals(before);
  }

  /** Returns the number of services that this host offers, -1 if sald does not answer. */
  private int services() throws IOException {
    Machine.Said said = machine.run("netserv", "serval", "services", "--json");
    return said.status() != 0 ? -1 : said.output().split("\"id\"", -1).length - 1;
  }

  private int links() throws IOException {
    String command = "ip -br link | grep -c '^sal[01]@' || true";
    return Integer.parseInt(machine.shell(command).output().strip());
  }

  private static String said(Machine.Said said) {
    return said.output().isBlank() || said.status() == 0 ? "" : " " + said.output().strip();
  }
}
