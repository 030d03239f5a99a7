// SPDX-License-Identifier: Apache-2.0
/** Counters, which all rooms of the provider share. */
package org.netserv.provider.base;
