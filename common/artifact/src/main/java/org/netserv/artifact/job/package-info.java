// SPDX-License-Identifier: Apache-2.0

/**
 * The throw-away process in which a node touches foreign bytes: it fetches and verifies one bundle,
 * or notifies one URL, and ends. {@code docs/protocols/jobs.md} is its contract.
 */
package org.netserv.artifact.job;
