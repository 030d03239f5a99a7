// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.security.cert.X509Certificate;

/**
 * A trust anchor: {@code anchors.d/<name>.pem}.
 *
 * @param pem the certificate as PEM, as jobs get it
 */
public record Anchor(String name, String pem, X509Certificate certificate) {}
