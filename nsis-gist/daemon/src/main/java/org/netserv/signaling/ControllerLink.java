// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the controller, made again after it has ended: after 100 ms, doubling to 5 s.
 * Safe for any number of threads.
 */
final class ControllerLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLink.class);
  private static final long FIRST_WAIT = 100;
  private static final long LONGEST_WAIT = 5_000;

  private final Path socket;
  private final String build;
  private final Thread keeper;
  private volatile FrameClient client;

  /** Begins to connect. */
  ControllerLink(Path socket, String build, String name) {
    this.socket = socket;
    this.build = build;
    keeper = new Thread(this::keep, "controller-" + name);
    keeper.setDaemon(true);
    keeper.start();
  }

  boolean connected() {
    return client != null;
  }

  /**
   * Asks and waits.
   *
   * @return null when the controller is not there, and has not got the request
   * @throws IOException it may have got the request, and has not answered
   */
  ObjectNode request(ObjectNode request, Duration timeout) throws IOException {
    FrameClient now = client;
    if (now == null || now.end().isDone()) {
      return null;
    }
    return now.request(request, timeout);
  }

  private void keep() {
    long wait = FIRST_WAIT;
    try {
      while (true) {
        if (serve()) {
          wait = FIRST_WAIT;
        }
        Thread.sleep(wait);
        wait = Math.min(LONGEST_WAIT, 2 * wait);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Connects and waits for the end; false: it could not. */
  private boolean serve() throws InterruptedException {
    try (FrameClient connection =
        FrameClient.connect(socket, build, Json.object().put("role", "signaling"))) {
      client = connection;
      LOG.info("controller: connected");
      LOG.info("controller: {}", connection.end().get().getMessage());
      return true;
    } catch (IOException e) {
      LOG.debug("controller: {}", e.getMessage());
      return false;
    } catch (ExecutionException e) {
      return true;
    } finally {
      client = null;
    }
  }

  @Override
  public void close() {
    keeper.interrupt();
    FrameClient now = client;
    if (now != null) {
      try {
        now.close();
      } catch (IOException e) {
        LOG.debug("controller: close: {}", e.getMessage());
      }
    }
  }
}
