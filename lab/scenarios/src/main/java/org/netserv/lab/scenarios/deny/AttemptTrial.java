// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.scenarios.deny.Attempt.Argument;
import org.netserv.lab.scenarios.deny.Attempt.Judge;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Wait;

/** Makes one attempt in one place. */
final class AttemptTrial {
  /** Prefix of an outcome that says that the scenario itself failed. */
  static final String NOT_TRIED = "NOT TRIED: ";

  private static final int FIRST_PORT = 6000;
  private static final List<String> PLACES =
      List.of(
          Attempt.HARMLESS,
          Attempt.LETHAL,
          Attempt.SLOW,
          Attempt.RELAYING,
          Attempt.PROCESSING,
          Attempt.TAKING);
  private static final int TURNS = 600;
  private static final int TURN_MILLIS = 100;
  private static final int SILENT_TURNS = 4;
  private static final int MUTE_TURNS = 20;

  private final Path classes;
  private final List<String> bundles;

  AttemptTrial(Path classes, List<Attempt> attempts) {
    this.classes = classes;
    this.bundles = attempts.stream().map(Attempt::bundle).distinct().toList();
  }

  /**
   * Makes the attempt or its counterpart in a container. A container that it ruins is made anew.
   */
  Outcome in(Ground ground, Attempt attempt, Argument argument, Judge judge) throws IOException {
    // Each container on a node has ports of its own, because the first filter that matches gets the
    // packet.
    int place = PLACES.indexOf(attempt.ground());
    int port = FIRST_PORT + place * bundles.size() + bundles.indexOf(attempt.bundle());
    ground.deploy(attempt.bundle(), port);
    long pid = ground.pid();
    try {
      Outcome said = said(ground, attempt, port, argument.of(ground), pid);
      return judge.judge(ground, port, said);
    } finally {
      if (attempt.ruins() || ground.pid() != pid) {
        ground.clear();
      }
    }
  }

  private Outcome said(Ground ground, Attempt attempt, int port, String argument, long pid)
      throws IOException {
    begin(ground, port, argument);
    int silent = 0;
    String answer = "";
    for (int turn = 0; turn < TURNS; turn++) {
      attempt.meanwhile().act(ground);
      answer = ground.order(port, "get");
      silent = answer.equals(User.NOTHING) ? silent + 1 : 0;
      if (answer.equals("NONE") || (silent >= SILENT_TURNS && ground.pid() != pid)) {
        return Outcome.denied(ground.lastEnd(attempt.bundle()));
      }
      if (silent >= MUTE_TURNS) {
        return Outcome.denied("its module answers no more");
      }
      if (silent == 0 && !answer.equals("PENDING")) {
        return Outcome.of(answer);
      }
      Wait.pause(TURN_MILLIS);
    }
    return Outcome.denied(NOT_TRIED + "no end, last: " + answer);
  }

  /** Orders the attempt to begin. The order is repeated only if the module has not seen it. */
  private static void begin(Ground ground, int port, String argument) throws IOException {
    String answer = ground.order(port, "run " + argument);
    for (int i = 0; i < SILENT_TURNS && answer.equals(User.NOTHING); i++) {
      answer = ground.order(port, "get");
      if (answer.equals("NONE")) {
        answer = ground.order(port, "run " + argument);
      }
    }
  }

  /** A trial that may fail for a reason of its own. */
  interface Try {
    Outcome make() throws IOException;
  }

  /**
   * Makes a trial. A failure of the scenario itself makes one row wrong and does not end the other
   * rows.
   */
  static Outcome tried(Try what) {
    try {
      return what.make();
    } catch (IOException e) {
      return Outcome.denied(
          NOT_TRIED + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }

  /**
   * Makes the attempt in plain virtual machines on a node, with all the rights of root. The first
   * machine has the option that denies the attempt, and the second does not.
   */
  Outcome plain(Testbed testbed, Ground ground, Attempt attempt) throws IOException {
    String option = attempt.control().how();
    Outcome with = plain(testbed, ground, attempt, List.of(option));
    return with.succeeded()
        ? Outcome.denied("succeeds with " + option + ", too")
        : plain(testbed, ground, attempt, List.of());
  }

  private Outcome plain(Testbed testbed, Ground ground, Attempt attempt, List<String> options)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(testbed.java().resolve("bin/java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classes + ":" + HostileBundle.classPath()));
    command.addAll(
        List.of(Ground.module("Attempt"), attempt.bundle(), attempt.argument().of(ground)));
    String said = testbed.run(ground.node(), command.toArray(String[]::new));
    return said.lines()
        .filter(line -> line.startsWith("SUCCEEDED") || line.startsWith("DENIED"))
        .findFirst()
        .map(Outcome::of)
        .orElseGet(() -> Outcome.denied(said.strip()));
  }
}
