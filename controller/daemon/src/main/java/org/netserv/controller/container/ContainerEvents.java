// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Passes the news of containers on to those that subscribed, in the order in which they did. */
public final class ContainerEvents implements ContainerListener {
  private final List<ContainerListener> listeners = new ArrayList<>();

  public void subscribe(ContainerListener listener) {
    listeners.add(listener);
  }

  @Override
  public void ready(String user, Map<String, String> running) {
    listeners.forEach(listener -> listener.ready(user, running));
  }

  @Override
  public void lost(String user, String why) {
    listeners.forEach(listener -> listener.lost(user, why));
  }

  @Override
  public void failed(String user, String why) {
    listeners.forEach(listener -> listener.failed(user, why));
  }

  @Override
  public void quarantined(String user, String module, String sha256, String reason) {
    listeners.forEach(listener -> listener.quarantined(user, module, sha256, reason));
  }

  @Override
  public void fault(String user, String kind, String module, String text) {
    listeners.forEach(listener -> listener.fault(user, kind, module, text));
  }
}
