// SPDX-License-Identifier: Apache-2.0
/** For publishers' servers: deploys modules along the path to a user, from any Linux host. */
package org.netserv.publisher;
