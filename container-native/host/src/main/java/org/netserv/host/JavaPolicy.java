// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.AllPermission;
import java.security.CodeSource;
import java.security.Permission;
import java.security.PermissionCollection;
import java.security.Permissions;
import java.security.Policy;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.service.condpermadmin.ConditionalPermissionAdmin;
import org.osgi.service.condpermadmin.ConditionalPermissionInfo;
import org.osgi.service.condpermadmin.ConditionalPermissionUpdate;

/**
 * The layer {@code java}: the framework checks the actions of bundles' code by the rows of {@code
 * policies/java/container.policy}. The C host turns the layer on with a system property, and only a
 * JDK with a security manager starts with that property. On later JDKs the same rows would be
 * accepted and have no effect, so they are not set.
 */
@SuppressWarnings("removal") // of the security manager, in a JDK on which this is not used
final class JavaPolicy {
  private static final String TEMPLATE = "container.policy";

  private JavaPolicy() {}

  static boolean wanted() {
    return "allow".equals(System.getProperty("java.security.manager"));
  }

  /** Properties of a framework that has a security manager. */
  static Map<String, String> properties() {
    return wanted()
        ? Map.of(Constants.FRAMEWORK_SECURITY, Constants.FRAMEWORK_SECURITY_OSGI)
        : Map.of();
  }

  /**
   * Gives the code on the class path, which is ours, all permissions. Called before the framework.
   */
  static void beforeFramework() {
    if (wanted()) {
      Policy.setPolicy(new ClassPath());
    }
  }

  /** Sets the rows. Called when the framework is initialized and no bundle is installed. */
  static void beforeBundles(BundleContext context, Blocks blocks, String data)
      throws IOException, BundleException {
    if (!wanted()) {
      return;
    }
    if (System.getSecurityManager() == null) {
      throw new BundleException("the framework has no security manager");
    }
    ConditionalPermissionAdmin admin =
        context.getService(context.getServiceReference(ConditionalPermissionAdmin.class));
    ConditionalPermissionUpdate update = admin.newConditionalPermissionUpdate();
    List<ConditionalPermissionInfo> rows = update.getConditionalPermissionInfos();
    rows.clear();
    for (String row : template().split("\n\\s*\n", -1)) {
      rows.add(admin.newConditionalPermissionInfo(row.strip().replace("${data}", quoted(data))));
    }
    if (!update.commit()) {
      throw new BundleException("the framework does not take the permissions");
    }
    blocks.touch();
  }

  private static String quoted(String data) {
    return data.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private static String template() throws IOException {
    try (InputStream in = JavaPolicy.class.getResourceAsStream(TEMPLATE)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.replaceAll("(?m)^\\s*#.*\n", "").strip();
    }
  }

  /**
   * Permissions of the class path. Bundles have permissions of their own from the framework, so it
   * never asks this policy about them.
   */
  private static final class ClassPath extends Policy {
    @Override
    public PermissionCollection getPermissions(CodeSource source) {
      Permissions all = new Permissions();
      all.add(new AllPermission());
      return all;
    }

    @Override
    public boolean implies(ProtectionDomain domain, Permission permission) {
      return true;
    }
  }
}
