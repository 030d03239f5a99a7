// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What policy says about jobs. */
public interface JobSettings {

  /** The whole request: what to fetch, whom to trust, where not to connect. */
  ObjectNode fetchRequest(FetchOrder order);

  ObjectNode notifyRequest(NotifyOrder order);

  /** TCP ports that a job may connect to. */
  List<Integer> fetchPorts();

  /** Longest bundle of this publisher, in bytes. */
  int maxBytes(String user);

  /** Memory of a job, in MiB. */
  int memoryMib();

  /** A job that takes longer is killed. */
  int timeoutSeconds();
}
