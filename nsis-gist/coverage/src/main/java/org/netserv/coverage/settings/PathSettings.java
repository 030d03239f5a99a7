// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import java.net.InetAddress;

/**
 * The paths to users. Times are in seconds.
 *
 * @param from null = the address by which packets leave
 */
public record PathSettings(
    InetAddress from, int budget, int check, int retry, boolean tls, boolean routerAlert) {}
