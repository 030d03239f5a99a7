// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.osgi.launch.EquinoxFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.wiring.BundleRevision;

/**
 * Starts the OSGi framework with the building blocks in it. The agent, one of the blocks, does the
 * rest. A virtual machine runs one framework, and keeps nothing of an earlier one.
 */
public final class HostMain {
  /** Framework properties that the agent reads. */
  public static final String CONTROL = "netserv.control";

  public static final String DATA = "netserv.data";
  public static final String BLOCKS = "netserv.blocks";

  /**
   * Framework property and system property: the features of the node's fast path, comma separated.
   * Bundles may require a capability of the same name.
   */
  public static final String FASTPATH = "netserv.fastpath";

  private static final long STOP_MILLIS = 5000;

  private static Framework framework;

  private HostMain() {}

  /**
   * Installs every jar of {@code blocks} in file-name order. Starts all of them but the blocks that
   * only serve modules ({@link #isForModules}).
   *
   * @param blocks directory of the building blocks
   * @param storage directory of the framework, made anew
   * @param data directory of the publisher; may be empty, and hidden by another later
   * @param control the controller's socket
   * @param archive class data with a framework's state behind it ({@link Prepared}), or empty
   * @return null, or a message for people about the failure, of one line or more
   */
  public static synchronized String boot(
      String blocks, String storage, String data, String control, String archive) {
    try {
      if (framework != null) {
        return "already started";
      }
      JavaPolicy.beforeFramework();
      Blocks connector = new Blocks(Path.of(blocks), System.getProperty(FASTPATH, ""));
      framework = make(connector, properties(storage, data, control, blocks), archive);
      framework.init();
      JavaPolicy.beforeBundles(
          framework.getBundleContext(), connector, Path.of(data, "data").toString());
      framework.start();
      start(install(framework.getBundleContext(), connector.locations(), blocks));
      return null;
    } catch (BundleException | IOException | RuntimeException | LinkageError e) {
      return e.toString();
    }
  }

  /** Makes the framework with the prepared state, or without it if the state is broken. */
  private static Framework make(Blocks blocks, Map<String, String> properties, String archive)
      throws IOException {
    EquinoxFactory factory = new EquinoxFactory();
    if (Prepared.place(Path.of(properties.get(Constants.FRAMEWORK_STORAGE)), archive)) {
      try {
        return factory.newFramework(properties, blocks);
      } catch (IllegalStateException e) {
        System.err.println("host: the prepared state is of no use: " + e.getCause());
      }
    }
    properties.put(
        Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
    return factory.newFramework(properties, blocks);
  }

  /**
   * Boots and performs the first moments of a container, for the class data archive. Parameters and
   * result are as for {@link #boot}, with two differences. The method makes {@code control} itself.
   * It writes the framework's state to {@code state}, for the end of the archive.
   */
  public static String rehearse(
      String blocks, String storage, String data, String control, String state) {
    return ContainerRehearsal.run(blocks, storage, data, control, state);
  }

  /** Returns the context of the running framework, for tests. */
  static BundleContext context() {
    return framework.getBundleContext();
  }

  /** Stops the framework, and so all modules. Waits at most 5 s. */
  public static synchronized void stop() {
    if (framework == null) {
      return;
    }
    try {
      framework.stop();
      framework.waitForStop(STOP_MILLIS);
    } catch (BundleException e) {
      System.err.println("host: the framework did not stop: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      framework = null;
    }
  }

  private static Map<String, String> properties(
      String storage, String data, String control, String blocks) {
    Map<String, String> properties = new HashMap<>(JavaPolicy.properties());
    properties.put(Constants.FRAMEWORK_STORAGE, storage);
    // The framework writes its state only at its end.
    properties.put("eclipse.stateSaveDelayInterval", "-1");
    properties.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, "org.netserv.host;version=\"1.0.0\"");
    // A bundle sees the packages that it imports, never the host's class path.
    properties.put("osgi.compatibility.bootdelegation", "false");
    // The agent sets the context class loader, because the loader tells a module's threads.
    properties.put("eclipse.bundle.setTCCL", "false");
    properties.put(CONTROL, control);
    properties.put(DATA, data);
    properties.put(BLOCKS, blocks);
    String features = System.getProperty(FASTPATH, "");
    if (!features.isEmpty()) {
      properties.put(FASTPATH, features);
    }
    return properties;
  }

  private static List<Bundle> install(BundleContext context, List<String> locations, String blocks)
      throws IOException, BundleException {
    if (locations.isEmpty()) {
      throw new IOException("no building blocks in " + blocks);
    }
    List<Bundle> installed = new ArrayList<>();
    if (context.getProperty(FASTPATH) != null) {
      context.installBundle(Offer.LOCATION);
    }
    for (String location : locations) {
      installed.add(context.installBundle(location));
    }
    return installed;
  }

  /**
   * Tells whether this block only extends or serves modules, by the OSGi namespaces {@code
   * osgi.extender} and {@code osgi.implementation}. Such a block is started before the first module
   * that is wired to it. Declarative Services are most of the cost of a container's start, and not
   * all modules need them.
   */
  public static boolean isForModules(Bundle block) {
    BundleRevision revision = block.adapt(BundleRevision.class);
    return !revision.getDeclaredCapabilities("osgi.extender").isEmpty()
        || !revision.getDeclaredCapabilities("osgi.implementation").isEmpty();
  }

  private static boolean isFragment(Bundle block) {
    return (block.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0;
  }

  private static void start(List<Bundle> bundles) throws BundleException {
    for (Bundle bundle : bundles) {
      if (isFragment(bundle) || isForModules(bundle)) {
        continue;
      }
      try {
        bundle.start();
      } catch (BundleException e) {
        throw new BundleException(
            bundle.getLocation() + " does not start: " + e.getMessage(), e.getType(), e);
      }
    }
  }
}
