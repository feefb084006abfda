// Migration: two drawings, what maps to what, a dry run, then go, with progress and a stop button.
import { at, get, getText, may, send } from './api.js';
import { blank, button, card, el, field, icon, scrolling, select, table, toast } from './dom.js';
import { Drawing } from './drawing.js';
import { address } from './place.js';
import { count, number, short } from './words.js';

export default async function migration({ view, names: [name], query, isCurrent }) {
  const path = `workflows/${at(name)}`;
  const of = await get(path);
  const versions = of.versions ?? [];
  let from = query.get('from') ?? versions.find(each => each.program !== of.program)?.program ?? '', to = query.get('to') ?? of.program;
  let plan = null, job = null, drawings = {}, picked = '';

  const title = each => (each?.version ? `Version ${short(each.version, 20)}` : short(each?.program ?? '', 12));
  const options = versions.map(each => [each.program, `${title(each)}, ${count(each.cases ?? 0, 'open case')}`]);
  const chooseFrom = select(options, from, { id: 'from' }), chooseTo = select(options, to, { id: 'to' });
  const stages = { from: el('div', { class: 'stage' }), to: el('div', { class: 'stage' }) }, heads = { from: el('h2', { class: 'grow' }), to: el('h2', { class: 'grow' }) };
  const result = el('div', { class: 'gap' }), said = el('span', { class: 'small second', role: 'status' });
  const dry = button('Dry run', tryIt, { icon: 'play', id: 'dry-run' }), go = button('Migrate', run, { kind: 'main', icon: 'swap', id: 'go', disabled: true }), halt = button('Stop', stop, { kind: 'bad', icon: 'pause', id: 'stop', hidden: true });

  view.append(el('div', { class: 'head' }, el('div', {}, el('div', { class: 'row title-row' }, el('a', { class: 'up', href: `#/workflows/${at(name)}`, dir: 'auto' }, short(name, 60)), el('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), el('h1', {}, 'Migration')), el('p', { class: 'second' }, 'Waiting cases move to another version at the step where they stand.')), el('div', { class: 'acts' }, said, halt, may('admin') ? [dry, go] : null)));
  if (versions.length < 2) {
    view.append(el('div', { class: 'card' }, blank('swap', 'There is only one version', 'Put a new version of the document; then its waiting cases can be migrated here.')));
    return null;
  }
  view.append(el('div', { class: 'card mig-from' }, field('From', chooseFrom), icon('right'), field('To', chooseTo)),
    el('div', { class: 'pair gap' }, el('section', { class: 'card', 'aria-label': 'From' }, el('header', {}, heads.from), scrolling(stages.from)), el('section', { class: 'card', 'aria-label': 'To' }, el('header', {}, heads.to), scrolling(stages.to))), result);

  const placeNames = new Map();
  function called(id) {
    return placeNames.get(id) || String(id).replace(/^places\./, '');
  }
  async function show() {
    for (const each of [from, to]) {
      const { places = [] } = await get(path, { program: each }).catch(() => ({}));
      for (const place of places) if (place.name || place.kind) placeNames.set(place.id, place.name || place.kind);
    }
    address(`workflows/${at(name)}/migration`, [['from', from], ['to', to]]);
    plan = null;
    go.disabled = true;
    result.replaceChildren();
    for (const [side, program] of [['from', from], ['to', to]]) {
      heads[side].textContent = title(versions.find(each => each.program === program));
      try { drawings[side] = new Drawing(stages[side], await getText(`${path}/drawing`, { program }, 'image/svg+xml'), { pick: id => pair(side, id), label: side === 'from' ? 'Version before' : 'Version after' }); } catch (problem) { stages[side].replaceChildren(el('p', {}, problem.message)); }
    }
  }
  // A box and what it maps to are chosen together.
  function pair(side, id) {
    picked = id;
    const row = plan?.mapping?.find(each => each[side] === id);
    const other = side === 'from' ? 'to' : 'from';
    paint({ [side]: id, [other]: row ? row[other] : id });
  }
  function paint(chosen = {}) {
    const mapped = plan?.mapping ?? [];
    drawings.from?.show({ picked: chosen.from, states: Object.fromEntries(mapped.filter(each => drawings.from.isStep(each.from)).map(each => [each.from, each.lost ? 'fail' : 'done'])) });
    drawings.to?.show({ picked: chosen.to, states: Object.fromEntries(mapped.filter(each => each.to && !each.lost && drawings.to.isStep(each.to)).map(each => [each.to, 'done'])) });
  }

  async function tryIt() {
    dry.disabled = true;
    said.textContent = 'Trying every waiting case';
    try {
      plan = await send('POST', `${path}/migration`, { from, to, dryRun: true });
      if (!isCurrent()) return;
      const items = plan.items ?? [], refused = plan.refused ?? items.filter(each => !each.ok).length, possible = plan.possible ?? items.filter(each => each.ok).length;
      said.textContent = '';
      go.disabled = !possible;
      go.replaceChildren(icon('swap'), `Migrate ${count(possible, 'case')}${refused ? `, leave ${number(refused)}` : ''}`);
      paint();
      const why = new Map();
      for (const each of items.filter(every => !every.ok)) why.set(each.reason, [...(why.get(each.reason) ?? []), each]);
      const times = reason => plan.reasons?.[reason] ?? why.get(reason).length;
      result.replaceChildren(el('div', { class: 'he' },
        el('div', { class: 'c7' }, card('Dry run', `${number(plan.total ?? items.length)} waiting cases`, el('div', { class: 'body' }, el('ul', { class: 'fate' }, el('li', {}, icon('done', 'is-done'), el('b', {}, number(possible)), el('span', {}, 'can be migrated; each stays at its step.')), ...[...why].map(([reason, all]) => el('li', {}, icon('fail', 'is-fail'), el('b', {}, number(times(reason))), el('span', { dir: 'auto' }, `refused: ${short(reason, 240)} `, el('span', { class: 'quiet' }, all.slice(0, 5).map((each, i) => [i ? ', ' : '', el('a', { href: `#/cases/${at(each.id)}` }, short(each.id, 30))]), all.length > 5 ? ` and ${all.length - 5} more` : '')))))))),
        el('div', { class: 'c5' }, card('What maps to what', '', (plan.mapping ?? []).length ? table('tight', [['From'], ['To']], plan.mapping.slice(0, 200).map(each => el('tr', {}, el('td', {}, el('button', { class: 'copy', type: 'button', onclick: () => pair('from', each.from) }, short(each.what || called(each.from), 40))), el('td', {}, each.to && !each.lost ? short(called(each.to), 40) : el('span', { class: 'is-fail' }, short(each.why || 'no counterpart', 80))))), 'Mapping') : el('div', { class: 'body quiet' }, 'Steps with the same name and place map to each other.')))));
    } catch (problem) { said.textContent = problem.message; } finally { dry.disabled = false; }
  }
  async function run() {
    go.disabled = true;
    try {
      ({ job } = await send('POST', `${path}/migration`, { from, to }));
      halt.hidden = false;
      watch();
    } catch (problem) { said.textContent = problem.message; go.disabled = false; }
  }
  async function watch() {
    if (!isCurrent()) return;
    try {
      const at2 = await get(`jobs/${encodeURIComponent(job)}`);
      const word = String(at2.state).toUpperCase();
      said.textContent = `${number(at2.done ?? at2.possible ?? 0)}${at2.total ? ` of ${number(at2.total)}` : ''} durable${at2.failed ? `, ${number(at2.failed)} refused` : ''}`;
      if (word === 'RUNNING' || word === 'QUEUED') { setTimeout(watch, 300); return; }
      halt.hidden = true;
      toast(word === 'STOPPED' ? 'The migration was stopped; migrated cases stay migrated' : 'The migration is done');
    } catch (problem) { said.textContent = problem.message; halt.hidden = true; }
  }
  async function stop() {
    halt.disabled = true;
    try { await send('POST', `jobs/${encodeURIComponent(job)}/stop`, {}); } catch (problem) { toast(problem.message, 'fail'); } finally { halt.disabled = false; }
  }
  chooseFrom.addEventListener('change', () => { from = chooseFrom.value; show(); });
  chooseTo.addEventListener('change', () => { to = chooseTo.value; show(); });
  await show();
  return { key(event) { if (event.key === 'Escape' && picked) { picked = ''; paint(); } } };
}
