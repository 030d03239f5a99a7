// SPDX-License-Identifier: Apache-2.0
/** Which packets go to a module, as the controller grants it and the spawner is told. */
package org.netserv.filter;
