// SPDX-License-Identifier: Apache-2.0
/** The settings of the director: origin.yaml. */
package org.netserv.origin.settings;
