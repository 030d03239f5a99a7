// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Method;

/** Ignores the signal with which containers are stopped. */
public final class TakeSignal extends Attempt {
  @Override
  protected String attempt(String name) throws Exception {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    Class<?> signal = Class.forName("sun.misc.Signal", true, loader);
    Class<?> handler = Class.forName("sun.misc.SignalHandler", true, loader);
    Method handle = signal.getMethod("handle", signal, handler);
    handle.invoke(
        null,
        signal.getConstructor(String.class).newInstance(name),
        handler.getField("SIG_IGN").get(null));
    return "ignores " + name;
  }
}
