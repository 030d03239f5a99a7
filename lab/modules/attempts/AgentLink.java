// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * The agent's connection in this process, found by reflection. Java hides nothing of the agent from
 * a module unless the layer {@code java} does.
 */
final class AgentLink {
  private final Object link;

  private AgentLink(Object link) {
    this.link = link;
  }

  static AgentLink of(BundleContext context) throws ReflectiveOperationException {
    for (Bundle bundle : context.getBundles()) {
      if (String.valueOf(bundle.getSymbolicName()).endsWith("container-agent")) {
        return new AgentLink(field(field(bundle.getBundleContext(), "activator"), "link"));
      }
    }
    throw new IllegalStateException("no agent here");
  }

  /** Closes the agent's connection for good: the agent does not connect again. */
  void end() throws ReflectiveOperationException {
    Field closed = link.getClass().getDeclaredField("closed");
    closed.setAccessible(true);
    closed.setBoolean(link, true);
    Object channel = field(link, "current");
    if (channel != null) {
      channel.getClass().getMethod("close").invoke(channel);
    }
  }

  private static Object field(Object object, String name) throws ReflectiveOperationException {
    for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(object);
        }
      }
    }
    throw new NoSuchFieldException(name);
  }
}
