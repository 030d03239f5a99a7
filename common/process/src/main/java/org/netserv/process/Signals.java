// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of this process. The JDK's only way to hear SIGHUP is {@code sun.misc.Signal} in the
 * module jdk.unsupported, which compilers warn about. Reflection uses the class by name, so that a
 * JDK without it still runs, with SIGTERM by its shutdown hook.
 */
public final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * The task of a signal, set later than the signal may come. An early signal is remembered until
   * then. It is installed in the first line of main, because SIGHUP ends a JVM without a handler.
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

    /** Runs the task at each signal from now on, and at once if the signal has already come. */
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
