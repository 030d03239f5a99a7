// SPDX-License-Identifier: Apache-2.0
/** The thread and the status socket of a process with a coverage. */
package org.netserv.coverage.process;
