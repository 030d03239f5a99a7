// SPDX-License-Identifier: Apache-2.0
/** A flood of INVITEs to Kamailio alone, and to Kamailio behind the module Overload Control. */
package org.netserv.lab.bench.overload;
