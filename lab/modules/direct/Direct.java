// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.netserv.host.Host;
import org.netserv.host.PacketPort;
import org.netserv.lab.module.Accept;
import org.osgi.framework.Constants;

/**
 * A dispatcher with one module, without framework, container and pktio. {@code lab-direct} calls it
 * with the packets that it reads from the queue itself.
 */
public final class Direct {
  private static final long BUNDLE = 1;

  private Direct() {}

  /** Sets the module up as the agent does. From now on the module sees UDP packets to port 5060. */
  public static void open() {
    PacketPort.host(nobody());
    PacketDispatcher dispatcher = new PacketDispatcher();
    PacketFilter filter = PacketFilter.of(4, 17, null, null, null, "5060", 0, false);
    dispatcher.module("accept", BUNDLE, Direct.class.getClassLoader(), List.of(filter));
    dispatcher.bindProcessor(
        new Accept(), Map.of(Constants.SERVICE_BUNDLEID, BUNDLE, Constants.SERVICE_ID, BUNDLE));
  }

  /** Returns a host that ignores every call, because no process around this one needs an answer. */
  private static Host nobody() {
    return (Host)
        Proxy.newProxyInstance(
            Host.class.getClassLoader(),
            new Class<?>[] {Host.class},
            (proxy, method, arguments) -> null);
  }
}
