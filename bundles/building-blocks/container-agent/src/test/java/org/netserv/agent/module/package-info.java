// SPDX-License-Identifier: Apache-2.0
/** Small modules, good and bad, that the integration test packs into bundles. */
package org.netserv.agent.module;
