// SPDX-License-Identifier: Apache-2.0

/** The one way in which a node makes HTTP requests to places that strangers name. */
package org.netserv.artifact.fetch;
