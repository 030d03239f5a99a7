// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.util.List;
import org.netserv.artifact.job.JobRequest;

/** What policy says about jobs. */
public interface JobSettings {

  /** The whole request: what to fetch, whom to trust, where not to connect. */
  JobRequest fetchRequest(FetchOrder order);

  JobRequest notifyRequest(NotifyOrder order);

  /** Prefixes that jobs may send to although they are special, or the node's own. */
  List<String> fetchAllowed();

  /** Prefixes that jobs may not send to. */
  List<String> fetchDenied();

  /** TCP ports that a job may connect to. */
  List<Integer> fetchPorts();

  /** Longest bundle of this publisher, in bytes. */
  int maxBytes(String user);

  /** Memory of a job, in MiB. */
  int memoryMib();

  /** A job that takes longer is killed. */
  int timeoutSeconds();
}
