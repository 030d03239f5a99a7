// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's hand inside a container: installs, configures and removes modules, and answers
 * questions about them. Exports nothing.
 */
package org.netserv.agent;
