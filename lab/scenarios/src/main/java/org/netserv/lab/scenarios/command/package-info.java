// SPDX-License-Identifier: Apache-2.0
/** The scenarios as commands: {@code netserv lab} and {@code netserv demo}. */
package org.netserv.lab.scenarios.command;
