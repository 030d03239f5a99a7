// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.util.Optional;

/**
 * An order to fetch a bundle.
 *
 * @param sha256 hex digest that the publisher signed; empty in a legacy message
 * @param module symbolic name it must have
 * @param version version it must have
 */
public record FetchOrder(
    String user, String url, Optional<String> sha256, String module, String version) {}
