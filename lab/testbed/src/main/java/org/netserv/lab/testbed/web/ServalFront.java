// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;

/**
 * Serval: users ask a service router by name. The sald of each instance registers there while nginx
 * listens.
 */
public final class ServalFront implements WebFront {
  private static final String ID = "00004001";

  private final Testbed testbed;
  private final String router;
  private final Map<String, SalHost> hosts = new HashMap<>();
  private SalHost user;

  /**
   * Makes it.
   *
   * @param router address of the service router
   */
  public ServalFront(Testbed testbed, String router) {
    this.testbed = testbed;
    this.router = router;
  }

  @Override
  public String name() {
    return "Serval";
  }

  @Override
  public void open(List<WebInstance> instances) throws IOException {
    for (WebInstance instance : instances) {
      SalHost host = SalHost.start(testbed, instance.name(), "eth0");
      host.order("router address=" + router);
      host.order("register id=" + ID + " port=" + PacedWeb.PORT + " when=listening");
      hosts.put(instance.name(), host);
    }
    user = SalHost.start(testbed, "user", "eth0");
    user.order("forward id=default to=" + router);
    user.order("name name=web.serval id=" + ID);
  }

  @Override
  public String host() {
    return "web.serval";
  }

  @Override
  public Tool users(String name, String command) throws IOException {
    return user.begin(name, command);
  }

  @Override
  public void drain(WebInstance instance) throws IOException {
    hosts.get(instance.name()).order("drain id=" + ID);
  }

  @Override
  public void resume(WebInstance instance) throws IOException {
    hosts.get(instance.name()).order("resume id=" + ID);
  }

  @Override
  public void close() throws IOException {
    for (SalHost host : hosts.values()) {
      host.kill();
    }
    user.kill();
  }
}
