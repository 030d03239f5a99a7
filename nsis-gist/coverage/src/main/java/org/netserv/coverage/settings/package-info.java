// SPDX-License-Identifier: Apache-2.0
/** Settings that the processes with a coverage have in common. */
package org.netserv.coverage.settings;
