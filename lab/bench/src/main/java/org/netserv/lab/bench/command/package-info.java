// SPDX-License-Identifier: Apache-2.0
/** The measurements as commands: {@code netserv bench}. */
package org.netserv.lab.bench.command;
