// SPDX-License-Identifier: Apache-2.0
/**
 * Registers the services of a host's sald by signatures (docs/protocols/sald.md, "Signed
 * registration"). {@code HostController} decides without I/O. {@code ControllerLoop} joins it to
 * sald.
 */
package org.netserv.cli.serval.controller;
