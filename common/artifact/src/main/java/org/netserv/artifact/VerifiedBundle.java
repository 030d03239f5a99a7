// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/**
 * The facts about a bundle that passed verification. Lists are in the manifest's order.
 *
 * @param sha256 of the file, lower-case hex
 * @param size of the file in bytes
 * @param version as OSGi prints it: three numbers and an optional qualifier
 * @param chain the signer's certificate first, the trust anchor last
 * @param headers the manifest's main attributes
 * @param imports clauses of Import-Package; requiredBundles, requires, exports: of Require-Bundle,
 *     Require-Capability, Export-Package
 * @param files entry names in the file's order, directories left out
 * @param warnings findings of the class scan: lint for people, never a gate
 */
public record VerifiedBundle(
    String sha256,
    long size,
    String symbolicName,
    String version,
    List<X509Certificate> chain,
    Map<String, String> headers,
    List<String> imports,
    List<String> requiredBundles,
    List<String> requires,
    List<String> exports,
    List<String> files,
    List<String> warnings) {

  public VerifiedBundle {
    chain = List.copyOf(chain);
    imports = List.copyOf(imports);
    requiredBundles = List.copyOf(requiredBundles);
    requires = List.copyOf(requires);
    exports = List.copyOf(exports);
    files = List.copyOf(files);
    warnings = List.copyOf(warnings);
  }

  /** Returns the certificate of the key that signed every entry. */
  public X509Certificate signer() {
    return chain.get(0);
  }

  /** The certificate of the node's policy that made the signer trusted. */
  public X509Certificate anchor() {
    return chain.get(chain.size() - 1);
  }
}
