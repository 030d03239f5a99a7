// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

/**
 * A place for an instance of the service.
 *
 * @param name of the node and of the instance
 * @param address of the node
 */
public record WebInstance(String name, String address) {}
