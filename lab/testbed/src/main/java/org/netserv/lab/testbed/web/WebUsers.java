// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;

/**
 * Users of a web service, each of whom fetches the file again as soon as it has come. Each request
 * has a connection of its own, so the name is looked up each time.
 */
public final class WebUsers {
  private static final int PATIENCE_SECONDS = 40;

  private final Testbed testbed;
  private final WebFront front;
  private final Path go;
  private final Path log;
  private final List<Tool> scripts = new ArrayList<>();

  private WebUsers(Testbed testbed, WebFront front) throws IOException {
    String name = testbed.unique("users");
    this.testbed = testbed;
    this.front = front;
    this.go = Files.createFile(testbed.state().resolve(name + ".go"));
    this.log = Files.createFile(testbed.log("user", name + "-requests"));
  }

  /** Starts so many users. They find the service by a front. */
  public static WebUsers start(Testbed testbed, WebFront front, int users) throws IOException {
    WebUsers all = new WebUsers(testbed, front);
    all.join(users);
    return all;
  }

  /** Starts so many further users. */
  public void join(int users) throws IOException {
    String command =
        "exec bash %s %d %s %s %s %d"
            .formatted(
                LabHome.file("clients/steady.sh"), users, go, log, front.host(), PacedWeb.PORT);
    scripts.add(front.users(testbed.unique("users"), command));
  }

  /** Lets all users end their last request, and returns the requests in the order of their ends. */
  public List<WebRequest> stop() throws IOException {
    Files.delete(go);
    for (Tool script : scripts) {
      script.result(PATIENCE_SECONDS);
    }
    return Files.readAllLines(log).stream().map(WebRequest::parse).toList();
  }
}
