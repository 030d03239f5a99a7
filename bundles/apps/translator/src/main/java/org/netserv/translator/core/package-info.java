// SPDX-License-Identifier: Apache-2.0
/** Decisions of the translator, without sockets and clocks. */
package org.netserv.translator.core;
