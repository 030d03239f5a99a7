// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import org.netserv.gist.GistService;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;

/** The base of a client: GIST, its thread and its clock. Tests have their own. */
interface Engine extends AutoCloseable {
  /** Runs a task on the GIST thread. All other methods here are used on that thread. */
  void execute(Runnable task);

  GistService gist();

  Timers timers();

  LocalNetwork network();

  /** Returns the abilities that this host lacks, in words. Callable on any thread. */
  List<String> limits();

  /** Waits until the thread has ended; nothing is called afterwards. */
  @Override
  void close();
}
