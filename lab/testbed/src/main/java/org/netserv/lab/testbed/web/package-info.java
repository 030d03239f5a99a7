// SPDX-License-Identifier: Apache-2.0
/** A web service in several instances, its users, and the ways in which they find an instance. */
package org.netserv.lab.testbed.web;
