// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.netserv.cli.doctor.Doctor;
import org.netserv.cli.doctor.Finding;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.LoadCheck;
import org.netserv.cli.doctor.LoopCheck;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.policy.IsolationPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "doctor",
    description =
        "Check whether this machine can be a NetServ node: a line and a remedy for each fact.",
    footer = {"", "Example:  ./netserv doctor --json"})
final class DoctorCommand extends JsonCommand {

  @Mixin Paths paths;

  @Override
  public Integer call() throws CommandException {
    List<Finding> findings = new ArrayList<>(examine(paths));
    findings.addAll(running(paths));
    emit(document(findings), () -> print(findings, out(), true));
    return failed(findings) ? ExitCode.REFUSED : ExitCode.DONE;
  }

  /** Examines the node that runs here. Returns no findings when no node answers. */
  private static List<Finding> running(Paths paths) {
    try {
      ObjectNode status = AdminClient.ask(paths, AdminClient.request("status"), AdminClient.SHORT);
      return List.of(LoopCheck.examine(status.path("spawnerLoop")), LoadCheck.examine(status));
    } catch (CommandException e) {
      return List.of();
    }
  }

  /**
   * Examines this machine for a node with the present policy. A policy that cannot be read is an
   * error of its own, because policy decides about missing layers.
   */
  static List<Finding> examine(Paths paths) throws CommandException {
    return examine(PolicyFiles.load(paths).isolation(), paths);
  }

  static List<Finding> examine(IsolationPolicy isolation, Paths paths) {
    String probe = Paths.dist().resolve("bin/probe").toString();
    return new Doctor(HostFacts.local(), probe, isolation, paths.etc()).examine();
  }

  /** Refuses a machine that cannot run a node, after printing its warnings and failures. */
  static void require(PrintWriter err) throws CommandException {
    List<Finding> findings = examine(IsolationPolicy.NONE, new Paths());
    if (failed(findings)) {
      print(findings, err, false);
      throw new CommandException(ExitCode.REFUSED, "this machine cannot run a node; see above");
    }
  }

  static boolean failed(List<Finding> findings) {
    return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL);
  }

  /** Prints all findings, or only warnings and failures. */
  static void print(List<Finding> findings, PrintWriter out, boolean all) {
    for (Finding finding : findings) {
      if (all || finding.level() != Finding.Level.OK) {
        out.printf(
            "%-5s %-18s %s%n",
            finding.level().name().toLowerCase(java.util.Locale.ROOT),
            finding.check(),
            Table.printable(finding.text()));
        if (!finding.remedy().isEmpty()) {
          out.printf("%25s-> %s%n", "", finding.remedy());
        }
      }
    }
    out.flush();
  }

  private static ObjectNode document(List<Finding> findings) {
    ObjectNode document = MAPPER.createObjectNode();
    document.put("usable", !failed(findings));
    ArrayNode list = document.putArray("findings");
    for (Finding finding : findings) {
      list.addObject()
          .put("check", finding.check())
          .put("level", finding.level().name())
          .put("text", finding.text())
          .put("remedy", finding.remedy());
    }
    return document;
  }
}
