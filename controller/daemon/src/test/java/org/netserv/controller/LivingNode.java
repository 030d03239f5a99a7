// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.ncm.NcmException;

/** A small node, with helpers for the tests of the lives of modules. */
abstract class LivingNode {
  @TempDir Path directory;
  SmallNode node;

  @BeforeEach
  void open() throws IOException, LogException {
    node = SmallNode.fresh(directory);
  }

  @AfterEach
  void close() {
    node.log.close();
    node.audit.close();
  }

  void setup(String user, String module, String version) throws NcmException {
    Answer answer = node.ask(node.setup(user, module, version)).answer();
    assertEquals(200, answer.status(), answer.reason());
  }

  String states() {
    return String.join(
        " ",
        node.controller.modules().lives().stream()
            .map(l -> l.key() + "=" + l.order().version() + ":" + l.state().text())
            .toList());
  }

  ContainerState container() {
    return node.controller.containers().all().stream()
        .findFirst()
        .map(c -> c.state())
        .orElse(ContainerState.IDLE);
  }
}
