// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.netserv.cli.dashboard.PathMap;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.publisher.Destination;
import org.netserv.publisher.PathAnswer;

/**
 * Sends a PROBE along a path at an interval, for the dashboard's map. Each PROBE is sent as {@code
 * netserv probe} sends it, by a client of its own. So a node that has come or gone is found without
 * state of the PROBE before.
 */
final class PathWatch implements AutoCloseable {
  static final int LEAST_SECONDS = 2;
  static final int MOST_SECONDS = 3600;

  /** Stands for no module in particular. */
  private static final String ANY = "*";

  private final ModuleMessage command;
  private final Ncm probe;
  private final Destination destination;
  private final int seconds;
  private final PathMap map;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(PathWatch::daemon);

  private PathWatch(
      ModuleMessage command, Ncm probe, Destination destination, int seconds, PathMap map) {
    this.command = command;
    this.probe = probe;
    this.destination = destination;
    this.seconds = seconds;
    this.map = map;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "dashboard-probe");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the map's document where no path is given: what to give. */
  static ObjectNode unasked() {
    return JsonCommand.MAPPER
        .createObjectNode()
        .put("ask", "start the dashboard with --to ADDRESS, and with --user NAME --key FILE");
  }

  /**
   * Makes a watch by the options of a command. It sends nothing before {@link #start}.
   *
   * @param seconds between an answer and the next PROBE
   * @throws CommandException if no PROBE can be sent with these options
   */
  static PathWatch of(ModuleMessage command, int seconds) throws CommandException {
    if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
      throw new CommandException(
          ExitCode.USAGE,
          "--every: " + seconds + " is not " + LEAST_SECONDS + " to " + MOST_SECONDS);
    }
    String publisher = command.publisher();
    if (publisher != null) {
      command.readKey(); // a key that is not there is told now
    }
    Ncm.Builder message = Ncm.builder(Method.PROBE, ANY);
    message.set(Header.PROBE, "node");
    ObjectNode settings = JsonCommand.MAPPER.createObjectNode();
    settings.put("to", command.path.to).put("publisher", publisher).put("every", seconds);
    command.path.knownNodes(command.named());
    return new PathWatch(
        command,
        command.draft(message),
        command.path.destination(command.wait),
        seconds,
        new PathMap(settings));
  }

  /** Begins to probe. */
  @SuppressWarnings("FutureReturnValueIgnored") // the map tells of faults
  void start() {
    clock.scheduleWithFixedDelay(this::turn, 0, seconds, TimeUnit.SECONDS);
  }

  private void turn() {
    long begin = System.nanoTime();
    try {
      PathAnswer answer =
          PathExchange.ask(command, client -> client.probe(probe, destination), limit -> {});
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      map.answered(PathExchange.json(answer), took, System.currentTimeMillis());
    } catch (CommandException | RuntimeException e) {
      map.failed(String.valueOf(e.getMessage())); // and the next turn comes all the same
    }
  }

  /** Returns the map as it is now. */
  ObjectNode document() {
    return map.document();
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
