// SPDX-License-Identifier: Apache-2.0
/** The ground of testbeds, scenarios and measurements: programs, namespaces, waiting, tables. */
package org.netserv.lab.testbed.base;
