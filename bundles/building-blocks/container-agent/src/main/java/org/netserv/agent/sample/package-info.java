// SPDX-License-Identifier: Apache-2.0
/** The only class of the bundle that a spare container installs and removes before it is wanted. */
package org.netserv.agent.sample;
