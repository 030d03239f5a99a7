// SPDX-License-Identifier: Apache-2.0
/** Attempts of hostile modules, one after the other, and the layers that stop them. */
package org.netserv.lab.scenarios.deny;
