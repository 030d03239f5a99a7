// SPDX-License-Identifier: Apache-2.0
/**
 * The director, a process beside a publisher's web server. It deploys a module toward users and
 * tells the web server which of them an edge serves: {@link org.netserv.origin.Origin}.
 */
package org.netserv.origin;
