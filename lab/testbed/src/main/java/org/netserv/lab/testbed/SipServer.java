// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/** A Kamailio with one worker that needs 2 ms for each INVITE. */
public final class SipServer implements Closeable {
  /** The ways in which a server differs. */
  public enum Kind {
    /** By UDP. */
    UDP("udp", "disable_tcp=yes"),
    /** By UDP; above 400 INVITE/s it rejects itself, by its module pipelimit. */
    LIMITED("udp", "disable_tcp=yes"),
    /** By TCP alone. */
    TCP("tcp", "disable_tcp=no\ntcp_children=1");

    private final String transport;
    private final String settings;

    Kind(String transport, String settings) {
      this.transport = transport;
      this.settings = settings;
    }
  }

  private static final String PIPELIMIT =
      """
      loadmodule "pipelimit.so"
      modparam("pipelimit", "timer_interval", 1)
      """;
  private static final String CHECK =
      """
      if (!pl_check("invites", "TAILDROP", "400")) {
                  sl_send_reply("503", "Service Unavailable");
                  exit;
              }\
      """;

  private final Process process;
  private final Path pidFile;

  private SipServer(Process process, Path pidFile) {
    this.process = process;
    this.pidFile = pidFile;
  }

  /**
   * Starts the server and waits until it has its port.
   *
   * @param name new, for its files
   */
  public static SipServer start(Testbed testbed, String name, String address, Kind kind)
      throws IOException {
    boolean limited = kind == Kind.LIMITED;
    Path directory = Files.createDirectories(testbed.state().resolve(name));
    Path config = directory.resolve("kamailio.cfg");
    Path pid = directory.resolve("kamailio.pid");
    Files.writeString(
        config,
        Files.readString(LabHome.file("kamailio/overload.cfg"))
            .replace("@TCP@", kind.settings)
            .replace("@LISTEN@", "listen=" + kind.transport + ":" + address + ":5060")
            .replace("@MODULES@", limited ? PIPELIMIT : "")
            .replace("@LIMIT@", limited ? CHECK : ""));
    List<String> command = KamailioCommand.of(config, directory, 8, "-P", pid.toString());
    Process process = testbed.spawn("server", name, command);
    Wait.until("kamailio", Duration.ofSeconds(20), () -> Files.exists(pid));
    Wait.until(
        "the port of kamailio",
        Duration.ofSeconds(20),
        () ->
            testbed
                .run("server", "ss", kind == Kind.TCP ? "-Hltn" : "-Hlun", "sport = :5060")
                .contains(":5060"));
    return new SipServer(process, pid);
  }

  /** Returns the file of the main process's id. */
  public Path pidFile() {
    return pidFile;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
