// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/**
 * Attempts that the node refuses beside a running module, which goes on as before. Also repeats
 * messages.
 */
final class RefusedBeside {
  private final Testbed testbed;
  private final NodeClient node;
  private final LabPublisher publisher;
  private final BadBundles bundles;
  private final InetAddress server;
  private Ncm setup;

  RefusedBeside(
      Testbed testbed,
      NodeClient node,
      LabPublisher publisher,
      BadBundles bundles,
      InetAddress server) {
    this.testbed = testbed;
    this.node = node;
    this.publisher = publisher;
    this.bundles = bundles;
    this.server = server;
  }

  /** Sets up the module. */
  void begin() throws IOException {
    setup = publisher.sign(draft(bundles.good()));
    must(node.ncm(setup));
  }

  void end() throws IOException {
    must(node.ncm(publisher.remove(bundles.good(), server)));
  }

  private static void must(Answer answer) throws IOException {
    if (!answer.running()) {
      throw new LabException("refused what is right: " + answer);
    }
  }

  List<RefusedAttempt> running(LabPublisher other) {
    Bundle good = bundles.good();
    return List.of(
        replayed("replayed: the stored answer"),
        new RefusedAttempt(
            "its nonce in another message",
            409,
            "nonce",
            "used before",
            () -> node.ncm(publisher.sign(setup.toBuilder().set(Header.TTL, 7200)))),
        new RefusedAttempt(
            "its seq again", 409, "seq", setup.get(Header.SEQ), () -> node.ncm(sequence(setup))),
        new RefusedAttempt(
            "same version, another bundle",
            409,
            "digest",
            good.digest(),
            () -> node.ncm(publisher.sign(draft(bundles.tampered())))),
        new RefusedAttempt(
            "new version, tampered with",
            403,
            "url",
            good.version() + " stays",
            () -> node.ncm(publisher.sign(draft(bundles.versionTampered("0.1.1"))))),
        new RefusedAttempt(
            "new version that does not start", 424, "", good.version() + " stays", this::badStart),
        new RefusedAttempt("refresh with a bad property", 424, "", "pass-every", this::badRefresh),
        new RefusedAttempt(
            "REMOVE of another version",
            404,
            "",
            good.version() + " is here",
            () -> node.ncm(publisher.remove(bundles.version("0.1.3"), server))),
        new RefusedAttempt(
            "REMOVE of another session",
            404,
            "to",
            "no claim",
            () ->
                node.ncm(
                    publisher.remove(good, testbed.topology().node("node").address(false).ip()))),
        new RefusedAttempt(
            "REMOVE of another publisher",
            404,
            "",
            "",
            () -> node.ncm(other.remove(good, server))));
  }

  /**
   * Returns the attempt to replay the first SETUP. After the REMOVE it must not bring the module
   * back.
   */
  RefusedAttempt replayed(String name) {
    return new RefusedAttempt(
        name,
        200,
        "",
        "",
        () -> {
          long before = downloads();
          Answer answer = node.ncm(setup);
          return downloads() == before ? answer : new Answer(0, "", "fetched once more");
        });
  }

  /**
   * Returns the attempt of two SETUPs for one module at the same time, over two connections. One
   * SETUP wins, and the attempt's answer is the loser's.
   */
  RefusedAttempt atOnce() {
    return new RefusedAttempt("two SETUPs at once: the loser", 409, "", "under way", this::race);
  }

  private Answer race() throws IOException {
    List<Callable<Answer>> racers = List.of(this::single, this::single);
    ExecutorService threads = Executors.newFixedThreadPool(racers.size());
    Answer loser = null;
    int winners = 0;
    try {
      for (Future<Answer> racer : threads.invokeAll(racers)) {
        Answer answer = racer.get();
        if (answer.running()) {
          winners++;
        } else {
          loser = answer;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
    if (winners > 0) {
      end();
    }
    return winners == 1 ? loser : new Answer(0, "", winners + " of two SETUPs won");
  }

  /**
   * Sends a SETUP. The later of the two needs the higher seq, else the node refuses it for its seq,
   * so a SETUP that was refused for it is sent again.
   */
  private Answer single() throws IOException {
    try (NodeClient own = testbed.client("node")) {
      Answer answer = own.ncm(publisher.sign(draft(bundles.good())));
      return answer.header().equals("seq")
          ? own.ncm(publisher.sign(draft(bundles.good())))
          : answer;
    }
  }

  private Answer badStart() throws IOException {
    Map<String, String> properties = Map.of("pass-every", "many");
    return node.ncm(
        publisher.setup(bundles.version("0.1.2"), server, server, RefusalsRun.FILTER, properties));
  }

  private Answer badRefresh() throws IOException {
    Map<String, String> properties = Map.of("pass-every", "many");
    return node.ncm(
        publisher.setup(bundles.good(), server, server, RefusalsRun.FILTER, properties));
  }

  private Ncm sequence(Ncm before) throws IOException {
    return publisher.sign(draft(bundles.good()).set(Header.SEQ, before.get(Header.SEQ)));
  }

  private Ncm.Builder draft(Bundle bundle) {
    return publisher.draft(bundle, server, server, RefusalsRun.FILTER, Map.of());
  }

  private long downloads() throws IOException {
    return Files.readAllLines(testbed.log("server", "files")).stream()
        .filter(line -> line.startsWith("GET "))
        .count();
  }
}
