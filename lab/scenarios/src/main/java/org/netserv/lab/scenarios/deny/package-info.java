// SPDX-License-Identifier: Apache-2.0
/** Attempts of hostile modules, one after the other, and what stops each. */
package org.netserv.lab.scenarios.deny;
