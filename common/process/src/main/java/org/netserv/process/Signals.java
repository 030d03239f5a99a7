// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of this process. The JDK's only way to hear SIGHUP is {@code sun.misc.Signal} in the
 * module jdk.unsupported, which compilers warn about; it is used by name, and a JDK without it
 * still runs, with SIGTERM by its shutdown hook.
 */
public final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * What a signal does, told later than the signal may come: until then it is remembered. Heard
   * from the first line of main on, because a JVM that nobody told ends by SIGHUP.
   */
  public static final class Remembered implements Runnable {
    private Runnable task;
    private boolean came;

    @Override
    public synchronized void run() {
      if (task == null) {
        came = true;
      } else {
        task.run();
      }
    }

    /** Does this from now on; at once when it came already. */
    public synchronized void now(Runnable does) {
      task = does;
      if (came) {
        does.run();
      }
    }
  }

  /** Runs {@code task} on a thread of the JVM's each time the signal comes. */
  public static void on(String name, Runnable task) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  task.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ClassNotFoundException
        | NoSuchMethodException
        | InstantiationException
        | IllegalAccessException
        | InvocationTargetException e) {
      LOG.warn("SIG{} has no effect of ours: {}", name, e.toString());
    }
  }
}
