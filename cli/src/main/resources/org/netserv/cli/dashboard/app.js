// SPDX-License-Identifier: Apache-2.0
// Shows what the node says, each second. All text of the node goes in as text, never as markup.
'use strict';

const NO_COUNTS = ['pid', 'pktio', 'last']; // processes, and a time
const KEPT = 60; // seconds of a line
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

function showCounts(counters, time) {
  const list = [];
  for (const container of counters.containers || []) {
    for (const module of container.modules || []) {
      for (const [name, value] of Object.entries(module)) {
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

function show(document) {
  if (document.error) {
    byId('state').replaceChildren(element('span', 'bad', document.error));
    return;
  }
  showHead(document.status, document.time);
  showModules(document.status, document.time);
  showCounts(document.counters, document.time);
  showRefusals(document.status, document.time);
  showContainers(document.status);
  showLoad(document.status);
  showLayers(document.status.isolation || {});
  window.shown = document; // for who looks at the page from outside
}

document.querySelectorAll('.wide').forEach((box) => { box.tabIndex = 0; });
const events = new EventSource('events');
events.onmessage = (event) => show(JSON.parse(event.data));
events.onerror = () => byId('state').replaceChildren(element('span', 'bad', 'the dashboard has ended; trying again'));
