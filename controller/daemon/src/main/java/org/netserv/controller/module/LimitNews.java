// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import org.netserv.controller.limit.Limit;
import org.netserv.controller.limit.LimitListener;
import org.netserv.controller.loop.Loop;

/** Notes the limits that a publisher has met in the history of its modules. On the loop. */
final class LimitNews implements LimitListener {
  private final Loop loop;
  private final ModuleTable modules;
  private final ModuleHistory history;

  LimitNews(Loop loop, ModuleTable modules, ModuleHistory history) {
    this.loop = loop;
    this.modules = modules;
    this.history = history;
  }

  @Override
  public void over(String user, Limit limit, String text) {
    for (ModuleLife life : modules.livesOf(user)) {
      history.addLimit(life.key(), loop.wall(), life.state.text(), limit.counter(), text);
    }
  }
}
