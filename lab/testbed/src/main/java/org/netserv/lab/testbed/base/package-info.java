// SPDX-License-Identifier: Apache-2.0
/** What testbeds, scenarios and measurements stand on: programs, namespaces, waiting, tables. */
package org.netserv.lab.testbed.base;
