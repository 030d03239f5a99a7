// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * Installs fragments of the framework and of a building block from inside, and reports the outcome.
 */
public final class Extending implements BundleActivator {
  @Override
  public void start(BundleContext context) throws Exception {
    StringBuilder states = new StringBuilder();
    for (String host :
        new String[] {"org.eclipse.osgi;extension:=framework", "org.netserv.dispatcher"}) {
      states.append(' ').append(state(context, host));
    }
    throw new IllegalStateException("fragments are" + states);
  }

  @Override
  public void stop(BundleContext context) {}

  private static String state(BundleContext context, String host) throws IOException {
    Bundle fragment;
    try {
      fragment = context.installBundle("inside:" + host, new ByteArrayInputStream(fragment(host)));
    } catch (BundleException e) {
      return "refused";
    }
    context.getBundle(0).adapt(FrameworkWiring.class).resolveBundles(java.util.List.of(fragment));
    boolean resolved = (fragment.getState() & (Bundle.INSTALLED | Bundle.UNINSTALLED)) == 0;
    return resolved ? "RESOLVED" : "outside";
  }

  private static byte[] fragment(String host) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "inside" + host.length());
    main.putValue("Fragment-Host", host);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new JarOutputStream(bytes, manifest).close();
    return bytes.toByteArray();
  }
}
