// SPDX-License-Identifier: Apache-2.0
// Shows what the node says, each second. All text of the node goes in as text, never as markup.
'use strict';

const NO_COUNTS = ['pid', 'pktio', 'last']; // processes, and a time
const KEPT = 60; // seconds of a line
const FORGOTTEN = 60000; // milliseconds after which a counter that is not shown any more is forgotten
const GAINS = [ // sums of counters that modules show
  {module: 'NetServ.apps.KeepAlive', gain: 'keep-alives saved', counts: ['NOTIFY', 'OPTIONS', 'STUN', 'PING']},
  {module: 'NetServ.apps.MediaRelay', gain: 'relayed calls (allocations)', counts: ['ALLOCATED']},
  {module: 'NetServ.apps.ActiveCDN', gain: 'cache hits',
    counts: ['HIT', 'HIT_STALE', 'HIT_WHILE_FILLING', 'HIT_STALE_ON_ERROR']},
];
const PROTOCOLS = {0: 'any', 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6'};
const ENDS = {
  'endpoint': 'the last node is the destination',
  'port-unreachable': 'without signaling (port unreachable)',
  'endpoint-found': 'other signaling (Endpoint Found)',
  'no-answer': 'nobody further answered',
  'timed-out': 'a node did not answer in time',
  'refused': 'refused on the way',
  'hops': 'too many nodes',
};
const seen = new Map(); // counter's name: {value, time, rate}
const lines = new Map(); // module's name: rates of the last minute

const byId = (id) => document.getElementById(id);

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function number(value) {
  return typeof value === 'number' ? value.toLocaleString('en') : '-';
}

/** The growth of a counter in a second, since the document before. */
function rate(name, value, time) {
  const before = seen.get(name);
  let now = null;
  if (before && time > before.time) now = Math.max(0, (value - before.value) * 1000 / (time - before.time));
  seen.set(name, {value, time, rate: now});
  return now;
}

function rateText(value) {
  return value === null ? '' : value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

/** Shows rows: each a list of cells, which are texts, numbers, or elements. */
function rows(id, list) {
  const body = byId(id).tBodies[0];
  const made = list.map((cells) => {
    const row = element('tr');
    cells.forEach((cell) => {
      const isNumber = typeof cell === 'number' || (cell && cell.number);
      const box = element('td', isNumber ? 'number' : cell && cell.className);
      if (cell instanceof Element) box.append(cell);
      else if (cell && cell.text !== undefined) box.textContent = cell.text;
      else box.textContent = typeof cell === 'number' ? number(cell) : cell === undefined || cell === null ? '' : cell;
      row.append(box);
    });
    return row;
  });
  body.replaceChildren(...made);
  byId(id).hidden = list.length === 0;
  const none = byId(id + '-none');
  if (none) none.hidden = list.length > 0;
}

function line(values) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('class', 'line');
  svg.setAttribute('viewBox', `0 0 ${KEPT} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  const most = Math.max(1, ...values);
  svg.setAttribute('aria-label', `at most ${rateText(most)} a second in the last minute`);
  const drawn = document.createElementNS(space, 'polyline');
  const first = KEPT - values.length;
  drawn.setAttribute('vector-effect', 'non-scaling-stroke');
  drawn.setAttribute('points', values.map((v, i) => `${first + i},${(19 - 18 * v / most).toFixed(1)}`).join(' '));
  svg.append(drawn);
  return svg;
}

function kind(state) {
  if (['running', 'ok', 'normal', 'ready', 'fetched'].includes(state)) return 'good';
  if (['failed', 'quarantined', 'damaged', 'failing', 'exhausted', 'bypassed'].includes(state)) return 'bad';
  return 'warn';
}

const colored = (text) => ({text, className: kind(text)});
const right = (text) => ({text, number: true});

function showModules(status, time) {
  const list = [];
  for (const container of status.containers || []) {
    for (const module of container.modules || []) {
      const name = `${container.publisher}/${module.module}`;
      const packets = typeof module.packets === 'number' ? module.packets : null;
      const now = packets === null ? null : rate(name, packets, time);
      const values = lines.get(name) || [];
      if (now !== null) values.push(now);
      while (values.length > KEPT) values.shift();
      lines.set(name, values);
      list.push([container.publisher, module.module, module.version, colored(module.state),
        right(module.expires === undefined ? '' : `${module.expires} s`),
        packets === null ? right('-') : packets, right(rateText(now)), line(values)]);
    }
  }
  rows('modules', list);
}

/** The gains of the modules that have counted any. */
function showGains(counters, time) {
  const list = [];
  for (const container of counters.containers || []) {
    for (const module of container.modules || []) {
      for (const {gain, counts} of GAINS.filter((each) => each.module === module.module && module.counts)) {
        const total = counts.reduce((sum, name) => sum + (module.counts[name] || 0), 0);
        const now = rate(`gain ${container.publisher}/${gain}`, total, time);
        list.push([container.publisher, module.module, gain, total, right(rateText(now))]);
      }
    }
  }
  rows('gains', list);
}

function showCounts(counters, time) {
  const list = [];
  for (const container of counters.containers || []) {
    for (const module of container.modules || []) {
      for (const [name, value] of [...Object.entries(module), ...Object.entries(module.counts || {})]) {
        if (Number.isInteger(value) && value !== 0 && !NO_COUNTS.includes(name)) {
          const key = `count ${container.publisher}/${module.module}/${name}`;
          list.push([container.publisher, module.module, name, value, right(rateText(rate(key, value, time)))]);
        }
      }
    }
  }
  rows('counts', list);
}

function showRefusals(status, time) {
  const all = Object.entries(status.refusals || {}).concat(
    Object.entries(status.socketRefusals || {}).filter(([, value]) => value > 0));
  rows('refusals', all.sort((a, b) => b[1] - a[1]).map(([name, value]) =>
    [name, value, right(rateText(rate(`refused ${name}`, value, time)))]));
}

/** An end of a flow. A field that the kernel does not count by is 0. */
function end(address, port) {
  const any = address === '0.0.0.0' || address === '::';
  return (any ? 'any' : address) + (port ? ` port ${port}` : '');
}

function showTalkers(talkers, time) {
  rows('talkers', talkers.talkers.map((each) => {
    const from = end(each.source, each.sourcePort);
    const to = end(each.destination, each.destinationPort);
    const protocol = PROTOCOLS[each.protocol] || String(each.protocol);
    const key = `talker ${each.publisher} ${each.kind} ${from} ${to} ${protocol} ${each.ttl}`;
    return [each.publisher, each.kind, from, to, protocol, each.packets, each.bytes,
      right(rateText(rate(key, each.bytes, time))), right(`${number(each.idle)} ms ago`)];
  }));
  byId('talkers-none').textContent = talkers.because || 'The kernel counts nothing for a module.';
  byId('talkers-about').textContent = talkers.records === 0 ? ''
    : `${talkers.talkers.length} of ${number(talkers.records)} in the kernel; packets that found no place: ${number(talkers.other)}`;
}

/** The state of a node of the path. */
function hopState(node) {
  if (node.gone) return element('span', 'bad', `gone since ${new Date(node.gone).toLocaleTimeString()}`);
  const answers = node.status >= 200 && node.status < 300;
  return element('span', answers ? 'good' : 'warn', answers ? 'answers' : `status ${node.status}`);
}

function hopModules(data, publisher) {
  const list = element('ul');
  const modules = (data.node || {}).modules;
  for (const each of modules || []) {
    list.append(element('li', kind(each.state), `${each.module} ${each.version}: ${each.state}`));
  }
  if (modules && modules.length === 0) list.append(element('li', 'none', `no module of ${publisher}`));
  return list;
}

function hop(node, publisher, own) {
  const made = element('li', node.gone ? 'hop gone' : 'hop');
  const data = node.data && typeof node.data === 'object' ? node.data : {};
  const version = data.node && data.node.version ? `, version ${data.node.version}` : '';
  made.append(
    element('strong', '', node.address), ' ', hopState(node),
    element('div', 'id', node['node-id']),
    element('div', 'none', `signature ${node.signer}${version}${node['node-id'] === own ? ', this node' : ''}`),
    hopModules(data, publisher));
  return made;
}

/** A sentence about the last PROBE. */
function pathText(path, time) {
  const as = path.publisher ? `as ${path.publisher}` : 'as a stranger, who is not told of modules (give --user and --key)';
  const parts = [`PROBE to ${path.to} ${as}, each ${path.every} s`];
  if (path.answered) parts.push(`answered ${Math.max(0, Math.round((time - path.answered) / 1000))} s ago in ${number(path.took)} ms`);
  if (path.error) parts.push(`the last failed: ${path.error}`);
  if (!path.answered && !path.error) parts.push('no answer yet');
  return parts.join('; ');
}

function showPath(path, own, time) {
  byId('path-none').hidden = !path.ask;
  byId('path-none').textContent = path.ask ? `For a map of the path, ${path.ask}.` : '';
  byId('path').hidden = byId('path-about').hidden = Boolean(path.ask);
  if (path.ask) return;
  byId('path-about').textContent = pathText(path, time);
  const last = element('li', 'end', path.to);
  if (path.end) last.append(element('div', 'none', `${ENDS[path.end] || path.end}${path.reason ? `: ${path.reason}` : ''}`));
  byId('path').replaceChildren(
    element('li', 'end', 'this host'), ...path.nodes.map((node) => hop(node, path.publisher, own)), last);
}

function showContainers(status) {
  rows('containers', (status.containers || []).map((each) =>
    [each.publisher, colored(each.state), each.because || '', right(each.pid || ''), each.restarts || 0,
      each.spare === undefined ? '-' : each.spare ? 'spare' : 'start']));
}

function showLoad(status) {
  rows('load', ((status.load || {}).resources || []).map((each) => {
    const meter = element('meter');
    meter.max = Math.max(1, each.limit);
    meter.value = each.used;
    meter.setAttribute('aria-label', `${each.used} of ${each.limit}`);
    return [each.name, colored(each.state), each.used, each.limit, meter];
  }));
}

function showLayers(isolation) {
  const covered = isolation.covered || {};
  const items = (isolation.layers || []).map((name) => element('li', 'good', name)).concat(
    (isolation.missing || []).map((name) => covered[name]
      ? element('li', 'warn', `${name}: missing, covered by ${covered[name].join(', ')}`)
      : element('li', 'bad', `${name}: missing`)));
  byId('layers').replaceChildren(...items);
}

function showHead(status, time) {
  byId('node').textContent = status.nodeId || '';
  byId('about').textContent =
    `version ${status.version}, profile ${status.profile}, up ${number(status.uptime)} s, as of ${new Date(time).toLocaleTimeString()}`;
  const signaling = status.signaling || {};
  const parts = [
    ['spawner', status.spawner ? 'ok' : 'failing'],
    ['signaling', signaling.running ? 'ok' : 'failing'],
    ['firewall', (status.firewall || {}).state],
    ['load', (status.load || {}).state],
    ['storage', status.storage ? 'failing' : 'ok'],
  ].filter(([, state]) => state);
  byId('state').replaceChildren(...parts.map(([name, state]) => element('span', kind(state), `${name}: ${state}`)));
}

/** Forgets counters that are not shown any more. */
function forget(time) {
  for (const [name, {time: last}] of seen) {
    if (time - last > FORGOTTEN) seen.delete(name);
  }
}

function show(document) {
  const own = (document.status || {}).nodeId;
  showPath(document.path, own, document.time);
  if (document.error) {
    byId('state').replaceChildren(element('span', 'bad', document.error));
    return;
  }
  showHead(document.status, document.time);
  showModules(document.status, document.time);
  showGains(document.counters, document.time);
  showTalkers(document.talkers, document.time);
  showCounts(document.counters, document.time);
  showRefusals(document.status, document.time);
  showContainers(document.status);
  showLoad(document.status);
  showLayers(document.status.isolation || {});
  forget(document.time);
  window.shown = document; // for who looks at the page from outside
}

document.querySelectorAll('.wide').forEach((box) => { box.tabIndex = 0; });
const events = new EventSource('events');
events.onmessage = (event) => show(JSON.parse(event.data));
events.onerror = () => byId('state').replaceChildren(element('span', 'bad', 'the dashboard has ended; trying again'));
