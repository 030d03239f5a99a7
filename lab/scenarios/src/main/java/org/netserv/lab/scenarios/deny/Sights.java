// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.scenarios.deny.Attempt.Judge;
import org.netserv.lab.testbed.KernelMaps;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/** Observes attempts from outside: on the wire, in counters, in the node's reports. */
final class Sights {
  private static final String STRANGERS = "198.18.0.0/15";
  private static final int PACKETS = 10;
  private static final int BURSTS = 1500;
  private static final int BURST = 60;
  private static final int CHANGED_ENOUGH = 20;
  private static final int BEYOND = 7999;
  private static final String REFUSED = "refused: ";
  private static final String EXITED = "kind=exit code=7";
  private static final int SETTLE_TURNS = 30;
  private static final int ARRIVAL_TURNS = 5;
  private static final int TURN_MILLIS = 100;

  private final Testbed testbed;
  private final PacketCounter strangers;
  private final Map<String, PacketCounter> sinks = new HashMap<>();
  private final Map<String, Long> seen = new HashMap<>();

  Sights(Testbed testbed, int sink) throws IOException {
    this.testbed = testbed;
    strangers = PacketCounter.of(testbed, "server", "-d", STRANGERS);
    for (String device : List.of("eth0", "eth1")) {
      sinks.put(device, PacketCounter.install(testbed, "server", device, sink));
      seen.put(device, 0L);
    }
  }

  /** Returns a process of root in the node's network that nobody needs. */
  long sacrifice(Ground ground) throws IOException {
    return testbed.spawn(ground.node(), "sacrifice", List.of("sleep", "300")).pid();
  }

  /** Returns a process of root that sees all files: process 1, if root itself may look into it. */
  long root(Ground ground) throws IOException {
    boolean readable = Files.isReadable(Path.of("/proc/1/root" + ground.secret()));
    return readable ? 1 : sacrifice(ground);
  }

  /** Judges by the module's answer. */
  static Judge said() {
    return (ground, port, said) -> said;
  }

  /**
   * Judges by the module's answer, and deletes the file that the module may have written, because
   * it would be in the way of the next attempt.
   */
  static Judge removes(Attempt.Argument file) {
    return (ground, port, said) -> {
      Files.deleteIfExists(Path.of(file.of(ground)));
      return said;
    };
  }

  /** Judges if datagrams came to the server's port. */
  Judge arrives() {
    return (ground, port, said) -> {
      PacketCounter sink = sinks.get(ground.device());
      long before = seen.get(ground.device());
      long now = sink.read();
      for (int i = 0; i < ARRIVAL_TURNS && now == before; i++) {
        Wait.pause(TURN_MILLIS);
        now = sink.read();
      }
      long came = now - before;
      seen.put(ground.device(), now);
      return came > 0
          ? new Outcome(true, came + " arrived")
          : Outcome.denied(said.succeeded() ? "sent, none arrived" : said.saw());
    };
  }

  /** Judges if bpfd has refused a question by this name, and the kernel's map has no entry. */
  Judge refusedBy(String name, String map) {
    return (ground, port, said) -> {
      long entries = KernelMaps.of(testbed, ground.node(), map).entries();
      if (entries != 0) {
        return new Outcome(true, entries + " entries in the kernel");
      }
      boolean otherwise = said.saw().startsWith(REFUSED) && !said.saw().equals(REFUSED + name);
      return otherwise ? new Outcome(true, "by another name: " + said.saw()) : said;
    };
  }

  /** Judges if packets to strangers leave, while pktio counts the packets that it refuses. */
  Judge refused(String counter) {
    return (ground, port, said) -> {
      if (!said.succeeded()) {
        return said;
      }
      long before = ground.counter(counter);
      long overdue = ground.counter("deadline");
      long left = strangers.read();
      send(ground, port, PACKETS);
      long refused = 0;
      long late = 0;
      for (int i = 0; i < SETTLE_TURNS && refused + late < PACKETS; i++) {
        Wait.pause(TURN_MILLIS);
        refused = ground.counter(counter) - before;
        late = ground.counter("deadline") - overdue;
      }
      left = strangers.read() - left;
      // On a busy machine a packet may have gone on unchanged before its verdict was there.
      String text = refused + " of " + PACKETS + " " + counter + (late == 0 ? "" : ", rest late");
      boolean denied = left == 0 && refused > 0 && refused + late >= PACKETS;
      return new Outcome(!denied, left > 0 ? left + " left" : text);
    };
  }

  /**
   * Judges if a packet that is changed during the check leaves with the change. Bursts go on until
   * enough packets were changed after pktio had copied them. The user then has these packets as
   * pktio checked them.
   */
  Judge race() {
    return (ground, port, said) -> {
      if (!said.succeeded()) {
        return said;
      }
      long refused = ground.counter("egress_denied");
      long left = strangers.read();
      int changed = 0;
      int sent = 0;
      for (int i = 0; i < BURSTS && changed < CHANGED_ENOUGH; i++) {
        changed += burst(ground, port);
        sent += BURST;
      }
      Wait.pause(TURN_MILLIS);
      left = strangers.read() - left;
      refused = ground.counter("egress_denied") - refused;
      String text =
          "of %d %d changed after the check, and left as checked, %d egress_denied, %d out"
              .formatted(sent, changed, refused, left);
      return changed < CHANGED_ENOUGH
          ? new Outcome(true, "NO RACE: " + text)
          : new Outcome(left > 0, text);
    };
  }

  /**
   * Sends a burst. Returns the packets that came back although they were changed before their
   * verdict was taken.
   */
  private static int burst(Ground ground, int port) throws IOException {
    String answered =
        ground
            .user()
            .ask("burst " + ground.server() + " " + port + " " + TURN_MILLIS + " " + BURST);
    String raced = ground.order(port, "raced");
    if (answered.equals(User.NOTHING) || raced.equals(User.NOTHING)) {
      return 0;
    }
    return (int)
        Arrays.stream(answered.split(",", -1))
            .filter(number -> raced.charAt(Integer.parseInt(number)) == '1')
            .count();
  }

  private static void send(Ground ground, int port, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      ground.user().ask("send " + ground.server() + " " + port + " 0 x");
      Wait.pause(2);
    }
  }

  /** Judges if the user gets an answer to a packet to the module's own port. */
  Judge answered() {
    return (ground, port, said) -> answer(ground.order(port, "x"), "answered");
  }

  /** Judges if the module answers packets outside its filter. */
  Judge beyond(String kind) {
    return (ground, port, said) -> answer(ask(ground, kind, BEYOND), "answered");
  }

  Judge within(String kind) {
    return (ground, port, said) -> answer(ask(ground, kind, port), "answered");
  }

  private static String ask(Ground ground, String kind, int port) throws IOException {
    return ground
        .user()
        .ask(kind + " " + ground.server() + " " + port + " 500 OPTIONS sip:server SIP/2.0");
  }

  private static Outcome answer(String text, String word) {
    return text.equals(User.NOTHING) || text.equals("other")
        ? Outcome.denied("no answer")
        : new Outcome(true, word);
  }

  /** Judges the end of a virtual machine: it must not end the neighbour's, too. */
  Judge exit() {
    return (ground, port, said) -> {
      if (!said.saw().contains(EXITED)) {
        return said;
      }
      boolean runs = running(ground);
      return new Outcome(!runs, runs ? "the neighbour runs on" : "the neighbour ended");
    };
  }

  /** Judges if the attempt's own virtual machine ended. It gives no answer then. */
  Judge ended() {
    return (ground, port, said) -> new Outcome(said.saw().contains(EXITED), said.saw());
  }

  /** Judges the effect of an accusation on the neighbour's module. */
  Judge accused() {
    return (ground, port, said) -> {
      if (!said.succeeded()) {
        return said;
      }
      boolean runs = running(ground);
      return new Outcome(!runs, runs ? "the neighbour's module runs" : "it is in quarantine");
    };
  }

  Judge accusedItself() {
    return (ground, port, said) -> {
      boolean heard = ground.why(Ground.module("Control")).toString().contains("accused");
      return new Outcome(heard, heard ? "in its own history" : "not heard");
    };
  }

  private static boolean running(Ground ground) throws IOException {
    var why = ground.why(Ground.VICTIM, Ground.VICTIMS_MODULE);
    return why.path("state").asText().equals("running") && !why.toString().contains("accused");
  }

  /** A judge after which the container is useless. */
  interface Ruin extends Judge {}

  /** Judges a cursor with an impossible value: pktio counts it, and packets go on. */
  Ruin corrupt() {
    return (ground, port, said) -> {
      if (LayerRows.isJava(said)) {
        return said;
      }
      send(ground, port, PACKETS);
      long events = 0;
      for (int i = 0; i < SETTLE_TURNS && events == 0; i++) {
        Wait.pause(TURN_MILLIS);
        events = ground.counter("ring_corrupt");
      }
      return new Outcome(events == 0, "ring_corrupt " + events);
    };
  }
}
