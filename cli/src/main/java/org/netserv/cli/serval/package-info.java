// SPDX-License-Identifier: Apache-2.0
/**
 * Sets up a host for sald, asks it by its control socket, and explains its answers. Holds no
 * command.
 */
package org.netserv.cli.serval;
