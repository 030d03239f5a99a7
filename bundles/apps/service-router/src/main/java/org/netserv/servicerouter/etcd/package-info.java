// SPDX-License-Identifier: Apache-2.0
/**
 * A store of etcd that the routers of a domain share, by the JSON gateway of its version 3.
 *
 * <pre>
 *   EtcdClient    requests over HTTP
 *   EtcdExchange  one of them and its answer
 *   EtcdWatch     a thread that reads all entries, and then each change
 *   EtcdLease     the entries of this router, which live as long as its lease
 *   EtcdFeeder    both, for the router
 * </pre>
 */
package org.netserv.servicerouter.etcd;
