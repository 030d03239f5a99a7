// SPDX-License-Identifier: Apache-2.0
/** Why a bundle is refused, and the bounds on what reading one may cost. */
package org.netserv.artifact.refusal;
