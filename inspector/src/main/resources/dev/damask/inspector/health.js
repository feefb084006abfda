// Health: is the engine well, and what needs a person.
import { at, get, has, list, may, send } from './api.js';
import { blank, button, card, el, fill, icon, pill, scrolling, svg, table, time, toast } from './dom.js';
import { tree } from './tree.js';
import { age, bytes, clock, count, number, short, span } from './words.js';

const KEPT = 120;
const EVERY = 2000;
const LATE = 3500;
const FENCED_SHOWN = 3;

export default async function health({ view, isCurrent }) {
  const past = [];
  let job = null, timer = 0;
  const meta = el('div', { class: 'meta' }), tiles = el('div', { class: 'tiles' });
  const incidents = el('div', { class: 'c7' }), nursery = el('div', { class: 'c5' }), nodes = el('div', { class: 'c7' }), effects = el('div', { class: 'c5' }), workers = el('div', { class: 'c12' }), quarantined = el('div', { class: 'c12' });
  const jobNote = el('span', { class: 'small second', role: 'status' });
  view.append(el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Health'), meta), el('div', { class: 'acts' }, jobNote, may('admin') ? button('Verify the store', () => start('verify'), { icon: 'shield', id: 'verify' }) : null)),
    tiles, el('div', { class: 'he' }, incidents, nursery, nodes, effects, quarantined, workers));

  const quiet = promise => promise.catch(problem => ({ problem }));
  async function load() {
    const [figures, nodeList, children, broken, people, open] = await Promise.all([quiet(get('statistics')), quiet(get('nodes')), quiet(get('nursery')), quiet(list('quarantined')), has('GET', '/v1/workers') ? quiet(list('workers')) : null, quiet(list('incidents', { limit: 5 }))]);
    if (!isCurrent()) return;
    if (figures.problem && nodeList.problem) throw figures.problem;
    past.push({ ...figures, seen: Date.now() });
    if (past.length > KEPT) past.shift();
    facts(figures, nodeList, broken, open);
    charts(figures);
    showNodes(nodeList);
    put(nursery, children.problem ? none('Children that have not finished', children.problem) : card('Children that have not finished', '', el('div', { class: 'body tree-box', tabindex: 0, role: 'group', 'aria-label': 'Children' }, (children.items ?? [children]).map(each => tree(each)))));
    showIncidents(open);
    showEffects(figures);
    showBroken(broken);
    if (people) showWorkers(people);
  }
  function put(place, node) {
    // A reader who has the focus inside a card keeps it.
    if (!place.contains(document.activeElement)) fill(place, node);
  }
  function none(title, problem) {
    return card(title, '', el('div', { class: 'body quiet' }, problem ? short(problem.message, 200) : 'None'));
  }
  function facts(figures, nodeList, broken, open) {
    const n = open.total ?? open.items?.length ?? 0, bad = broken.items?.length ?? 0;
    const all = [n || bad ? pill('wait', 'wait', [n ? (typeof n === 'number' ? count(n, 'incident') : `${n} incidents`) : '', bad ? `${bad} quarantined` : ''].filter(Boolean).join(', ')) : pill('done', 'done', 'No incident is open'),
      el('span', {}, nodeCount(nodeList.items ?? [])), figures.cases ? el('span', {}, `${number(Object.values(figures.cases).reduce((a, b) => a + (typeof b === 'number' ? b : 1000), 0))}${Object.values(figures.cases).some(each => typeof each !== 'number') ? '+' : ''} cases`) : null, figures.storeBytes ? el('span', {}, bytes(figures.storeBytes)) : null];
    meta.replaceChildren(...all.filter(Boolean));
  }

  function nodeCount(all) {
    const fenced = all.filter(isFenced).length;
    return `${count(Math.max(all.length - fenced, all.length ? 0 : 1), 'node')}${fenced ? `, ${fenced} fenced` : ''}`;
  }

  // ---- rates: what this page has seen since it was opened

  function rate(name, total) {
    return past.map((each, i) => {
      const before = past[i - 1];
      return before && typeof each[total] === 'number' && typeof before[total] === 'number' ? Math.max(0, each[total] - before[total]) / Math.max(0.001, (each.seen - before.seen) / 1000) : each[name] ?? 0;
    });
  }
  function charts(figures) {
    const durable = figures.durable ?? figures.latency ?? {};
    const digits = value => (value >= 100 ? number(Math.round(value)) : value.toFixed(1));
    tiles.replaceChildren(
      tile('Commits', rate('commitsPerSecond', 'commits'), value => digits(value), 'per second', 'ok'),
      tile('Time to durable', past.map(each => (each.durable ?? each.latency)?.p99 ?? 0), value => `${digits(value)} ms`, `99th percentile${durable.p50 !== undefined ? `, median ${digits(durable.p50)} ms` : ''}`),
      tile('Effects', rate('effectsPerSecond', 'effects'), value => digits(value), `per second, ${number(figures.openCalls ?? 0)} open`, 'ok'),
      tile('Inbox', past.map(each => each.inbox ?? 0), value => number(Math.round(value)), 'inputs wait'));
  }
  function tile(name, seen, words, more, tone = '') {
    const values = seen.length === 1 ? [seen[0], seen[0]] : seen, now = values.at(-1) ?? 0, top = Math.max(...values, 1e-9), width = 240, height = 72;
    const x = i => (values.length < 2 ? width : i / (values.length - 1) * width), y = value => height - 4 - value / top * (height - 12);
    const path = values.map((value, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
    const chart = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, svg('path', { class: 'ax', d: `M0 ${height - .5}H${width}` }), svg('path', { class: `ar ${tone}`, d: `${path}L${width} ${height}L0 ${height}Z` }), svg('path', { class: `ln ${tone}`, d: path }));
    return el('section', { class: 'card tile', 'aria-label': name }, el('h2', { class: 'h3' }, name), el('div', { class: 'fig' }, el('b', {}, words(now)), el('span', {}, more)), el('div', { class: 'axis high' }, `most ${words(top < 1e-6 ? 0 : top)}`), chart,
      el('div', { class: 'axis' }, el('span', {}, past.length > 1 ? `${span(Date.now() - past[0].seen)} ago` : ''), el('span', {}, 'now')));
  }

  // ---- nodes and slots

  // A heartbeat is a counter of its node; this page notes when it last saw it move.
  const beats = new Map(), seenNodes = new Map(), happened = [];
  function watched(items, unowned) {
    const now = Date.now(), isFirst = !seenNodes.size;
    for (const each of items) {
      const beat = beats.get(each.node);
      if (!beat || beat.value !== each.heartbeat) beats.set(each.node, { value: each.heartbeat, at: beat || typeof each.heartbeat === 'string' ? now : null, first: beat?.first ?? now });
      const before = seenNodes.get(each.node);
      if (!isFirst && !before) tell(`${called(each)} joined`);
      if (before && !isFenced(before) && isFenced(each)) tell(`${called(each)} was fenced; it had ${count(amount(before), 'slot')}`);
      if (before && !isFenced(before) && !isFenced(each) && amount(each) > amount(before)) tell(`${called(each)} took over ${count(amount(each) - amount(before), 'slot')}`);
      seenNodes.set(each.node, each);
    }
    if (unowned && unowned !== watched.unowned) tell(`${count(unowned, 'slot')} had no owner`);
    watched.unowned = unowned;
  }
  function tell(text) {
    happened.unshift({ at: new Date().toISOString(), text });
    happened.length = Math.min(happened.length, 8);
  }
  function called(each) {
    return short(each.address || each.node || each.name, 40);
  }
  function isFenced(each) {
    return ['FENCED', 'DEAD', 'LOST'].includes(String(each.state ?? (each.fenced ? 'FENCED' : 'ALIVE')).toUpperCase());
  }
  function isLate(each) {
    const beat = beats.get(each.node);
    return Boolean(beat) && !isFenced(each) && Date.now() - (beat.at ?? beat.first) > LATE;
  }
  function heartbeat(each) {
    const beat = beats.get(each.node);
    if (isFenced(each)) return '–';
    if (typeof each.heartbeat === 'string') return time(each.heartbeat, `${age(each.heartbeat)} ago`);
    const since = beat ? Date.now() - (beat.at ?? beat.first) : 0;
    return !beat?.at && !isLate(each) ? 'watching' : since < 1000 ? 'now' : `${span(since)} ago`;
  }
  function showNodes(answer) {
    if (answer.problem) { put(nodes, none('Nodes and slots', answer.problem)); return; }
    const all = answer.items ?? [], total = answer.slots ?? answer.total ?? all.reduce((sum, each) => sum + amount(each), 0);
    const unowned = typeof answer.unowned === 'number' ? answer.unowned : ranges(answer.unowned).reduce((sum, [a, b]) => sum + b - a + 1, 0);
    if (!all.length) { put(nodes, card('Nodes and slots', '', el('div', { class: 'body' }, el('p', {}, 'This engine is one process and owns all its cases. On PostgreSQL, the nodes of the cluster are shown here.')))); return; }
    watched(all, unowned);
    const state = each => {
      const word = String(each.state ?? 'ALIVE').toUpperCase();
      if (isFenced(each)) return pill('fail', 'fail', word.toLowerCase(), true);
      if (isLate(each)) return pill('wait', 'wait', 'late', true);
      return ['LEAVING', 'JOINING', 'TAKING', 'LATE'].includes(word) ? pill('wait', 'wait', word.toLowerCase(), true) : pill('done', 'done', word.toLowerCase(), true);
    };
    // Nodes that are alive come first. Of the fenced ones the newest are shown; the others only count.
    const living = all.filter(each => !isFenced(each)), fenced = all.filter(isFenced).sort((a, b) => (b.epoch ?? 0) - (a.epoch ?? 0));
    const rows = [...living, ...fenced.slice(0, FENCED_SHOWN)];
    put(nodes, card('Nodes and slots', `${number(total)} slots${unowned ? `, ${number(unowned)} without an owner` : ''}`, el('div', { class: 'body slots' },
      total ? el('div', {}, map(all, answer.unowned, total), el('p', { class: 'small quiet' }, 'One cell is one slot, by owner.')) : el('span'),
      el('div', { class: 'stack' }, table('tight', [['Node'], ['Slots', 'num'], ['Epoch', 'num'], ['Heartbeat', 'num'], ['State']], rows.map(each => el('tr', {}, el('td', {}, el('span', { class: 'row' }, el('i', { class: isFenced(each) ? 'swatch nb-none' : `swatch nb-${tint(each, all)}` }), el('b', { dir: 'auto' }, called(each)), each.own ? el('span', { class: 'tag' }, 'this') : null)),
        el('td', { class: 'num' }, number(amount(each))), el('td', { class: 'num' }, each.epoch ?? '–'), el('td', { class: 'num' }, heartbeat(each)), el('td', {}, state(each)))), 'Nodes'),
      fenced.length > FENCED_SHOWN ? el('p', { class: 'small quiet' }, `${count(fenced.length - FENCED_SHOWN, 'older node is', 'older nodes are')} fenced.`) : null,
      happened.length ? el('ul', { class: 'log', 'aria-label': 'Changes of nodes since this page was opened' }, happened.map(each => el('li', {}, time(each.at, clock(each.at)), ` ${each.text}`))) : null))));
  }
  // The colour of a node stays while other nodes come and go.
  function tint(each, all) {
    return (typeof each.node === 'number' ? each.node - 1 : all.indexOf(each)) % 6;
  }
  function ranges(slots) {
    return Array.isArray(slots) ? slots.map(each => (Array.isArray(each) ? each : [each, each])) : [];
  }
  function amount(node) {
    return typeof node.slots === 'number' ? node.slots : node.count ?? ranges(node.slots).reduce((sum, [a, b]) => sum + b - a + 1, 0);
  }
  function map(items, unowned, total) {
    const side = Math.ceil(Math.sqrt(total)), made = svg('svg', { class: 'map', viewBox: `0 0 ${side} ${Math.ceil(total / side)}`, role: 'img' });
    const label = svg('title');
    label.textContent = `Slots by owner: ${items.filter(each => !isFenced(each)).map(each => `${called(each)} ${amount(each)}`).join(', ')}`;
    made.append(label);
    const fill = (all, name) => {
      let d = '';
      for (const [from, to] of ranges(all)) {
        for (let at = from; at <= to;) {
          const row = Math.floor(at / side), end = Math.min(to, row * side + side - 1);
          d += `M${at % side} ${row}h${end - at + 1}v1h${at - end - 1}z`;
          at = end + 1;
        }
      }
      if (d) made.append(svg('path', { class: name, d }));
    };
    let next = 0;
    for (const each of items.filter(one => !isFenced(one))) {
      const n = Math.min(amount(each), total - next);
      if (n > 0) fill(Array.isArray(each.slots) ? each.slots : [[next, next + n - 1]], `nf-${tint(each, items)}`);
      next += n;
    }
    if (Array.isArray(unowned)) fill(unowned, 'n-m');
    else if (next < total) fill([[next, total - 1]], 'n-m');
    return made;
  }

  // ---- lists

  function showIncidents(open) {
    if (open.problem) { put(incidents, none('Incidents', open.problem)); return; }
    put(incidents, el('section', { class: 'card', 'aria-label': 'Incidents' }, el('header', {}, el('h2', { class: 'grow' }, 'Incidents'), el('a', { class: 'small', href: '#/incidents' }, 'All incidents')),
      open.items.length ? el('div', {}, open.items.slice(0, 5).map(each => el('div', { class: 'inc' }, icon('warn', 'is-fail'), time(each.since, age(each.since)), el('div', {}, el('p', {}, el('a', { href: `#/cases/${at(each.case)}`, dir: 'auto' }, short(`${String(each.task).replace(/#1$/, '')} of ${each.case}`, 70))), el('p', { dir: 'auto' }, short([each.reason, each.detail].filter(Boolean).join(': '), 160))), el('span')))) : blank('done', 'No incident is open')));
  }
  function showEffects(figures) {
    // Calls since the server started, with the limits of those types that have one.
    const limits = new Map((figures.limits ?? []).map(each => [each.type, each]));
    const called = new Map((figures.byType ?? []).map(each => [each.name, each]));
    const all = [...new Set([...called.keys(), ...limits.keys()])].map(name => ({ name, ...called.get(name), limit: limits.get(name) })).sort((a, b) => (b.calls ?? 0) - (a.calls ?? 0));
    const waits = [...limits.values()].reduce((sum, each) => sum + each.waiting, 0);
    const millis = value => (value === undefined ? '–' : `${value >= 100 ? number(Math.round(value)) : value.toFixed(1)} ms`);
    put(effects, card('Calls by type', `${number(figures.openCalls ?? 0)} open, ${number(waits)} wait for a permit`, all.length ? table('tight', [['Type'], ['Calls', 'num'], ['Failed', 'num'], ['Median', 'num'], ['99th', 'num'], ['Waiting', 'num']], all.slice(0, 30).map(each => el('tr', {}, el('td', { dir: 'auto' }, short(each.name, 40)), el('td', { class: 'num' }, number(each.calls ?? 0)), el('td', { class: each.failed ? 'num is-fail' : 'num' }, number(each.failed ?? 0)), el('td', { class: 'num' }, millis(each.p50)), el('td', { class: 'num' }, millis(each.p99)), el('td', { class: 'num' }, each.limit ? number(each.limit.waiting) : '–'))), 'Calls by type', 'tall-box') : el('div', { class: 'body quiet' }, 'No effect has been called since the server started.')));
  }
  function showBroken(broken) {
    if (broken.problem) { put(quarantined, none('Quarantined cases', broken.problem)); return; }
    put(quarantined, card('Quarantined cases', count(broken.items.length, 'case'), broken.items.length ? scrolling(table('rows', [['Case'], ['Why'], ['Evidence'], ['For', 'num'], ['Actions', '', true]], broken.items.map(each => el('tr', {}, el('td', {}, el('a', { class: 'strong', href: `#/cases/${at(each.id)}`, dir: 'auto' }, short(each.id, 50)), ' ', el('span', { class: 'quiet' }, short(each.workflow ?? '', 40))), el('td', {}, el('span', { class: 'row' }, icon('quar', 'is-fail'), el('span', { dir: 'auto' }, short(each.why ?? '', 160)))), el('td', { class: 'quiet', dir: 'auto' }, short(typeof each.evidence === 'string' ? each.evidence : JSON.stringify(each.evidence ?? ''), 160)), el('td', { class: 'num' }, each.since ? time(each.since, age(each.since)) : '–'), el('td', { class: 'num' }, el('a', { class: 'btn tiny', href: `#/cases/${at(each.id)}` }, 'Open')))), 'Quarantined cases')) : el('div', { class: 'body quiet' }, 'No case is quarantined.')));
  }
  function showWorkers(people) {
    if (people.problem) { put(workers, none('Workers', people.problem)); return; }
    put(workers, card('Workers', count(people.items.length, 'worker'), people.items.length ? scrolling(table('tight', [['Worker'], ['Task types'], ['Claims', 'num'], ['Since', 'num'], ['Last poll', 'num']], people.items.map(each => el('tr', {}, el('td', {}, el('b', { dir: 'auto' }, short(each.worker ?? each.name, 50))), el('td', { dir: 'auto' }, short([each.types ?? []].flat().join(', '), 100)), el('td', { class: 'num' }, number(typeof each.claims === 'number' ? each.claims : (each.claims ?? []).length)), el('td', { class: 'num' }, each.since ? time(each.since, age(each.since)) : '–'), el('td', { class: 'num' }, each.last ? time(each.last, `${age(each.last)} ago`) : '–'))), 'Workers')) : el('div', { class: 'body quiet' }, 'No external worker polls this server.')));
  }

  // ---- long work

  async function start(name) {
    try {
      ({ job } = await send('POST', `jobs/${name}`, {}));
      watchJob();
    } catch (problem) { toast(problem.message, 'fail'); }
  }
  async function watchJob() {
    if (!job || !isCurrent()) return;
    try {
      const at = await get(`jobs/${encodeURIComponent(job)}`);
      const word = String(at.state ?? '').toLowerCase();
      jobNote.textContent = `Verify: ${word}${at.total ? `, ${number(at.done ?? 0)} of ${number(at.total)}` : ''}${at.result ? `, ${short(typeof at.result === 'string' ? at.result : JSON.stringify(at.result), 80)}` : ''}${at.problems ? `, ${count(at.problems.length, 'problem')} found` : ''}`;
      if (word === 'running' || word === 'queued') setTimeout(watchJob, 500);
    } catch (problem) { jobNote.textContent = problem.message; }
  }

  await load();
  timer = setInterval(() => { if (!document.hidden) load().catch(() => {}); }, EVERY);
  return { key(event) { if (event.key === 'r') load().catch(() => {}); }, close() { clearInterval(timer); } };
}
