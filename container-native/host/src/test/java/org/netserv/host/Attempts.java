// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;

/**
 * A program that boots a framework and installs a module. As a bundle it tries actions that the
 * layer may deny.
 */
public final class Attempts implements BundleActivator {
  /** Something that may be denied. */
  interface Attempt {
    void run() throws Exception;
  }

  /** Another way to define classes. */
  static final class Loader extends ClassLoader {}

  public static void main(String[] args) throws IOException, BundleException {
    Path root = Path.of(args[0]);
    String failed =
        HostMain.boot(
            root.resolve("blocks").toString(),
            root.resolve("framework").toString(),
            root.resolve("data").toString(),
            "none",
            "");
    if (failed != null) {
      System.out.println(failed);
      System.exit(1);
    }
    try (InputStream jar = Files.newInputStream(root.resolve("module.jar"))) {
      HostMain.context().installBundle("sha256:00", jar).start();
    }
    System.exit(0);
  }

  @Override
  public void start(BundleContext context) {
    String name = context.getBundle().getSymbolicName();
    Path data = Path.of(context.getProperty(HostMain.DATA));
    attempt(name, "own", () -> Files.writeString(data.resolve("data/" + name), "x"));
    attempt(name, "read", () -> Files.readString(data.resolveSibling("secret")));
    attempt(name, "write", () -> Files.writeString(data.resolveSibling("written"), "x"));
    attempt(name, "up", () -> Files.readString(data.resolve("data/../../secret")));
    attempt(name, "exec", () -> new ProcessBuilder("/bin/true").start().waitFor());
    attempt(name, "loader", Loader::new);
    attempt(name, "private", Attempts::lookInside);
    attempt(name, "getenv", () -> System.getenv("PATH"));
    attempt(name, "property", () -> System.getProperty("java.version"));
    attempt(name, "thread", Attempts::useThreads);
    attempt(name, "socket", () -> new ServerSocket(0).close());
    attempt(name, "load", () -> System.load("/nowhere.so"));
    if (System.getProperty("java.security.manager") != null && name.equals("module")) {
      attempt(name, "exit", () -> System.exit(3));
    }
  }

  @Override
  public void stop(BundleContext context) {}

  private static void attempt(String name, String what, Attempt attempt) {
    try {
      attempt.run();
      System.out.println(name + " " + what + ": done");
    } catch (Throwable e) {
      System.out.println(name + " " + what + ": " + e.getClass().getName());
    }
  }

  private static void lookInside() throws ReflectiveOperationException {
    Field field = Attempts.class.getDeclaredField("hidden");
    field.setAccessible(true);
  }

  @SuppressWarnings("unused")
  private int hidden;

  private static void useThreads() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    executor.submit(() -> {}).get();
    executor.shutdownNow();
  }
}
