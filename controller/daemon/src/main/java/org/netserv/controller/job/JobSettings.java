// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.util.List;
import org.netserv.artifact.job.JobRequest;

/** The settings of policy for jobs. */
public interface JobSettings {

  /**
   * Returns the whole request: the bundle to fetch, the certificates to trust, and the addresses
   * not to connect to.
   */
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

  /** Jobs that are kept ready and have no order yet; 0 = none. */
  int spareJobs();

  /** Memory of a job, in MiB. */
  int memoryMib();

  /** Seconds after which a job is killed. */
  int timeoutSeconds();
}
