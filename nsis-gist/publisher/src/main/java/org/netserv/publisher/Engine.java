// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import org.netserv.gist.GistService;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;

/** What a client stands on: GIST, its thread, its clock. Tests have their own. */
interface Engine extends AutoCloseable {
  /** Runs a task on the GIST thread, on which all else here is used. */
  void execute(Runnable task);

  GistService gist();

  Timers timers();

  LocalNetwork network();

  /** What this host cannot do, in words; callable on any thread. */
  List<String> limits();

  /** Waits until the thread has ended; nothing is called afterwards. */
  @Override
  void close();
}
