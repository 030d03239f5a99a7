// SPDX-License-Identifier: Apache-2.0

/**
 * The policy of a node, and its decisions about messages. The policy is read from YAML files and
 * checked against JSON schemas. The schemas are beside these classes, and also state the defaults
 * and document each key. No I/O but files. Nothing here changes after loading.
 */
package org.netserv.policy;
