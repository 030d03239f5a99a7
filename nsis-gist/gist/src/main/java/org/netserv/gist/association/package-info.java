// SPDX-License-Identifier: Apache-2.0
/** Messaging associations (C-mode): RFC 5971 sections 4.4.2, 4.4.3, 4.4.5, 5.4, 5.7 and 6.4. */
package org.netserv.gist.association;
