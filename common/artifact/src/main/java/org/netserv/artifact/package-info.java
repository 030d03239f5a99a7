// SPDX-License-Identifier: Apache-2.0

/**
 * Signing bundles, and deciding about a foreign one before anything else of the node sees it:
 * {@link org.netserv.artifact.StrictVerifier} reads the whole file and trusts no other reader of
 * ZIP or of manifests.
 */
package org.netserv.artifact;
