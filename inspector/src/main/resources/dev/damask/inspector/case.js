// Case: why does it wait, what happened, what would happen.
import { at, follow, get, getText, has, list, may } from './api.js';
import { button, el, fill, icon, iconButton, pill, redrawn, tabs, time, toast } from './dom.js';
import { Drawing } from './drawing.js';
import { TimeLine } from './timeline.js';
import { Past, boxes, joins, tokens } from './past.js';
import { lineAddress, statePanel, taskPanel, tracePanel } from './panels.js';
import { actPanel, actions } from './act.js';
import { address } from './place.js';
import { ENDED, LANES, age, count, reasons, short, status, when } from './words.js';

export default async function page({ view, names: [id], query, isCurrent }) {
  const path = `cases/${at(id)}`;
  let now = await get(path);
  if (!isCurrent()) return null;
  // The versions of the workflow that the case has had, by their program: each position is shown on its own.
  const versions = new Map();
  let present = await version(now.program), current = null;
  versions.set(now.program, present);
  const past = new Past(id, { loaded: () => { if (isCurrent()) { line.lay(true); line.tell(); draw(); } }, arrived: () => { if (isCurrent()) draw(); } });
  await past.open();
  if (!isCurrent()) return null;

  let picked = query.get('element') ?? '', fork = null, shown = now, frame = 0, receipts = null;
  let here = query.get('tab') ?? 'state';

  const headOf = el('div', { class: 'head' });
  const why = el('div', { class: 'note', role: 'status' });
  const mode = el('span', { class: 'mode' });
  const stage = el('div', { class: 'stage fits with-legend', id: 'stage' });
  const back = button('Back to now', () => line.go(last()), { kind: 'tiny', id: 'back', hidden: true });
  const again = may('operator') && has('POST', '/v1/cases/{case}/restart') ? button('Start again from here', () => { panel.choose('act'); act.show('restart', line.now + 1); }, { kind: 'tiny low hide-s', icon: 'fork', id: 'restart-here', hidden: true }) : null;
  const stageCard = el('section', { class: 'card stage-card', 'aria-label': 'Drawing' },
    el('header', {}, mode, again, back, iconButton('zoom', 'Larger (+)', () => current?.drawing?.scale(1.25), { class: 'icbtn hide-s' }), iconButton('fit', 'Fit the drawing (0)', () => current?.drawing?.scale(0), { class: 'icbtn hide-s' })),
    stage, legend());
  const line = new TimeLine({
    lanes: LANES, length: past.total, event: i => past.events[i], seek: () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(seek); },
    need: (from, to) => past.need(from, to),
  });
  const task = el('div', { class: 'pane cols' }), state = el('div', { class: 'pane cols' }), acting = el('div', { class: 'pane' }), trace = el('div', { class: 'pane' });
  const panel = tabs('Details', [['task', 'Task', task], ['state', 'State', state], ['act', 'Act', acting], ['trace', 'Trace', trace]], name => { here = name; panels(); note(); });
  const aside = el('aside', { class: 'card aside', 'aria-label': 'Details' }, panel.list, panel.panels);
  view.append(headOf, why, el('div', { class: 'case-grid' }, el('div', { class: 'stack' }, stageCard, line.card), aside));

  async function version(program) {
    const [flow, picture] = await Promise.all([
      get(`workflows/${at(now.workflow)}`, { program }).catch(() => ({ places: [], signals: [] })),
      getText(`workflows/${at(now.workflow)}/drawing`, { program }, 'image/svg+xml').catch(() => null)]);
    return { program, flow, picture, drawing: null };
  }
  /** Shows the drawing of the version that a state belongs to. Returns false until it is loaded. */
  function use(program) {
    const wanted = versions.get(program);
    if (wanted === undefined) {
      versions.set(program, null);
      version(program).then(found => { versions.set(program, found); if (isCurrent()) draw(); });
    }
    if (!wanted) return false;
    if (wanted === current) return true;
    current = wanted;
    if (current.drawing) current.drawing.attach();
    else if (current.picture) current.drawing = new Drawing(stage, current.picture, { label: `Workflow ${short(now.workflow, 80)} with the tokens of case ${short(id, 80)}`, pick: each => { picked = each; panel.choose('task'); draw(); } });
    else stage.replaceChildren(el('p', { class: 'quiet' }, 'This version of the workflow has no drawing: its definition is not on this server.'));
    return true;
  }
  use(now.program);

  const act = actPanel(acting, {
    id, path, get flow() { return present.flow; }, now: () => now, position: () => line.now + 1,
    toNow: () => line.go(last()),
    forked: made => { fork = made; if (made) panel.choose('act'); draw(); },
    done: () => refresh(),
  });

  function last() { return past.total - 1; }
  function isPast() { return line.now < last(); }

  // ---- what is shown at a position

  function seek() {
    if (isPast() && fork) act.close();
    note();
    draw();
  }
  function stateHere() {
    return isPast() ? past.state(line.now + 1) : now;
  }
  function draw() {
    if (line.now === undefined) return;
    const known = stateHere();
    shown = known ?? past.nearest(line.now + 1) ?? shown;
    const of = fork ? fork.state : shown, isDrawn = use(of.program ?? now.program), { flow, drawing } = current;
    stageCard.classList.toggle('loading', !known || !isDrawn);
    if (isDrawn) drawing?.show({ states: boxes(flow.places, past.events, line.now, of), tokens: fork ? [] : tokens(of), ghosts: fork ? tokens(of) : [], joins: joins(of, drawing), picked });
    said();
    header();
    panels();
  }
  function header() {
    stageCard.classList.toggle('in-past', isPast());
    stageCard.classList.toggle('in-fork', Boolean(fork));
    const event = past.events[line.now];
    const [sign, strong, text, more] = fork ? ['fork', 'What would follow:', `${fork.name}.`, 'Dashed tokens; no task was called.']
      : isPast() ? ['clock', 'The past:', event?.at ? `${when(event.at)}.` : '', `${event?.item.computed ? 'Computed between two commits.' : 'A committed state.'}${current !== present ? ` ${title(current)}.` : ''}`]
        : ['token', 'Now:', `revision ${now.revision}${now.changed ? `, ${age(now.changed)} old` : ''}`, ''];
    mode.replaceChildren(icon(sign), el('b', { class: 'strong' }, strong), el('span', { class: 'second' }, text), el('span', { class: 'second hide-s' }, more));
    back.hidden = !isPast() || Boolean(fork);
    if (again) again.hidden = back.hidden;
  }
  function title(of) {
    return of.flow.version ? `Version ${short(of.flow.version, 20)} of the workflow` : `Program ${short(of.program ?? '', 10)}`;
  }
  function said() {
    const of = shown; // header facts speak of the case, also while a fork is shown
    const tone = (of.effects ?? []).some(each => each.incident) ? 'fail' : { COMPLETED: 'done', FAILED: 'fail', CANCELLED: 'gone', DEADLOCKED: 'fail', QUARANTINED: 'fail', RUNNING: 'run' }[of.status] ?? (/^(Runs|Running)/.test(of.why ?? '') ? 'run' : 'wait');
    const sentences = reasons(of.why);
    const first = sentences.length ? sentences[0] : ENDED.has(of.status) ? `The case has ended: ${status(of.status)[2].toLowerCase()}.` : 'The case runs.';
    why.className = `note is-${tone}`;
    fill(why, icon(tone === 'gone' ? 'gone' : tone, `is-${tone}`), el('div', { class: 'grow' },
      el('p', {}, el('b', {}, ...linked(first))), ...sentences.slice(1, 4).map(each => el('p', {}, ...linked(each))), sentences.length > 4 ? el('p', { class: 'quiet' }, `and ${count(sentences.length - 4, 'more reason')}`) : null,
      of.paused?.reason ? el('p', {}, `Paused: ${short(of.paused.reason, 200)}; ${count(of.paused.inputs, 'stored input')}.`) : null,
      of.failure ? el('p', {}, 'Failure: ', el('code', {}, short(typeof of.failure === 'string' ? of.failure : of.failure.reason ?? JSON.stringify(of.failure), 300))) : null,
      of.divergence ? el('p', { class: 'is-fail' }, `The repetition differs here: ${short(of.divergence.sentence ?? of.divergence, 300)}`) : null,
      past.problem && isPast() ? el('p', { class: 'is-fail' }, `This state cannot be shown: ${short(past.problem.message, 300)}`) : null), ...same());
  }
  // `line 14` in a sentence leads to the line of the document; times are shown in the chosen zone.
  function linked(text) {
    return text.split(/\b(line \d+|\d{4}-\d\d-\d\dT[\d:.]+Z)/).map((each, i) => {
      if (i % 2 === 0) return each;
      return each.startsWith('line') ? el('a', { href: lineAddress(inDocument(), each.slice(5)) }, each) : time(each, when(each));
    });
  }
  function inDocument() {
    return { workflow: now.workflow, program: current.flow.current === false ? current.program : '' };
  }
  function same() {
    const first = now.waitingFor?.[0]?.name;
    return first && !isPast() ? [el('a', { class: 'small hide-s', href: `#/cases?where=${encodeURIComponent(`waitingFor = '${first.replaceAll("'", "''")}'`)}` }, 'Cases that wait for the same')] : [];
  }

  function heading() {
    redrawn(headOf, drawHead);
  }
  function drawHead() {
    const [tone, sign, word] = status(now.paused ? 'PAUSED' : now.status);
    const facts = Object.entries(now.attributes ?? {}).slice(0, 4).map(([key, value]) => el('span', { title: key, dir: 'auto' }, short(typeof value === 'object' ? JSON.stringify(value) : value, 40)));
    const { flow } = present, all = actions(now, flow);
    headOf.replaceChildren(
      el('div', { class: 'grow' }, el('div', { class: 'row title-row' }, el('a', { class: 'up', href: '#/cases' }, 'Cases'), el('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), el('h1', { dir: 'auto', title: short(id, 400) }, short(id, 120))),
        el('div', { class: 'meta' }, pill(tone, sign, word),
          el('span', {}, el('a', { href: `#/workflows/${at(now.workflow)}`, dir: 'auto' }, short(now.workflow, 60)), ' ', el('span', { class: 'tag', title: now.program }, flow.version ? `v${short(flow.version, 12)}` : short(now.program ?? '', 8))),
          facts, el('span', {}, 'Started ', time(now.started, age(now.started)), ' ago'), el('span', {}, `Revision ${now.revision}`),
          now.node ? el('span', {}, `Slot ${now.slot} on node ${now.node}`) : null,
          now.parent ? el('span', {}, 'Parent ', el('a', { href: `#/cases/${at(now.parent.id ?? now.parent)}`, dir: 'auto' }, short(now.parent.id ?? now.parent, 40))) : null,
          (now.children ?? []).length ? el('span', {}, `${count(now.children.length, 'child', 'children')}: `, now.children.slice(0, 3).map((each, i) => [i ? ', ' : '', el('a', { href: `#/cases/${at(each.id ?? each)}`, dir: 'auto' }, short(each.id ?? each, 30))]), now.children.length > 3 || now.moreChildren ? ' and more' : '') : null,
          now.session ? el('a', { href: `#/sessions/${at(now.session)}` }, 'Session') : null)),
      el('div', { class: 'acts' }, save(), ...(may('operator') ? all.filter(each => each.isHead).slice(0, 3).reverse().map((each, i, shownActs) => button(each.short ?? each.name, () => { panel.choose('act'); act.show(each.id); }, { kind: i === shownActs.length - 1 && !each.bad ? 'main' : '', icon: i === shownActs.length - 1 ? each.icon : undefined, 'data-act': each.id })) : [])));
  }

  function save() {
    const menu = el('div', { class: 'menu', role: 'group', 'aria-label': 'Save as', hidden: true }, ...[
      ['Scenario for damask test', 'scenario', 'text/yaml', 'yaml'], ['Trace', 'trace', 'application/json', 'json'], ['Raw JSON', 'raw', 'application/json', 'json'], ['Receipts', 'receipts', 'application/json', 'json'], ['Diagram of this position', 'drawing', 'image/svg+xml', 'svg'],
    ].map(([name, route, type, ending]) => el('button', { type: 'button', onclick: () => download(name, route, type, ending) }, name)));
    const open = el('button', { class: 'btn low', type: 'button', 'aria-expanded': 'false', id: 'save-as', onclick: () => { menu.hidden = !menu.hidden; open.setAttribute('aria-expanded', String(!menu.hidden)); } }, icon('save'), 'Save as', icon('down'));
    const box = el('div', { class: 'menu-box' }, open, menu);
    box.addEventListener('keydown', event => { if (event.key === 'Escape' && !menu.hidden) { event.stopPropagation(); menu.hidden = true; open.setAttribute('aria-expanded', 'false'); open.focus(); } });
    box.addEventListener('focusout', event => { if (!box.contains(event.relatedTarget)) { menu.hidden = true; open.setAttribute('aria-expanded', 'false'); } });
    return box;
  }
  async function download(name, route, type, ending) {
    try {
      const text = await getText(`${path}/${route}`, route === 'drawing' ? { position: line.now + 1 } : {}, `${type}, */*`);
      const address = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
      el('a', { href: address, download: `${id.replace(/[^\w.-]+/g, '_').slice(0, 60)}-${route}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
      toast(`${name} saved`);
    } catch (problem) { toast(problem.message, 'fail'); }
  }

  // ---- panels

  function panels() {
    redrawn(aside, drawPanels);
  }
  function drawPanels() {
    if (!isCurrent()) return;
    const { flow } = current, place = (flow.places ?? []).find(each => each.id === picked);
    panel.rename('task', place?.name ? `Task ${short(place.name, 18)}` : 'Task');
    if (here === 'state') statePanel(state, { state: fork?.state ?? shown, before: fork ? shown : line.now > 0 ? past.state(line.now) : null, position: line.now + 1, flow, isFork: Boolean(fork), workflow: inDocument(), family: now });
    if (here === 'task') {
      if (receipts === null) { receipts = []; list(`${path}/receipts`).then(answer => { receipts = answer.items; panels(); }).catch(() => {}); }
      taskPanel(task, { place, picked, flow, receipts, state: shown, events: past.events, now: line.now, isPast: isPast(), workflow: inDocument() });
    }
    if (here === 'trace') tracePanel(trace, path, now.revision);
  }
  // Browsers limit how often an address may change.
  let noting = 0, noted = 0;
  function note() {
    clearTimeout(noting);
    if (performance.now() - noted > 150) written();
    else noting = setTimeout(written, 120);
  }
  function written() {
    if (!isCurrent() || line.now === undefined) return;
    noted = performance.now();
    const position = isPast() ? String(line.now + 1) : '';
    address(`cases/${at(id)}`, [['at', position], ['tab', here === 'state' ? '' : here], ['element', picked]]);
  }

  // ---- live: the new state is shown when its event arrives; in the past nothing moves

  let due = 0;
  function heard({ type }) {
    if (type === 'reset') receipts = null;
    clearTimeout(due);
    due = setTimeout(refresh, 60);
  }
  async function refresh() {
    try {
      const [next] = await Promise.all([get(path), past.refresh()]);
      if (!isCurrent()) return;
      if (next.program !== now.program) {
        const made = versions.get(next.program) ?? await version(next.program);
        if (!isCurrent()) return;
        versions.set(next.program, made);
        present = made;
      }
      now = next;
      receipts = null;
      const wasLast = line.grow(past.total);
      heading();
      act.refresh();
      if (wasLast) line.go(last());
      draw();
    } catch (problem) { if (problem.status === 404) toast('The case was deleted', 'fail'); }
  }

  heading();
  panel.choose(['task', 'state', 'act', 'trace'].includes(here) ? here : 'state');
  line.lay();
  line.go(query.get('at') ? Number(query.get('at')) - 1 : last());
  if (query.get('act')) act.open(query.get('act'));
  follow(`${path}/events`, heard, now.revision);

  function key(event) {
    if (event.key === 'theme') { line.lay(true); return; }
    if (event.target?.closest?.('[role=tablist]')) return;
    if (event.key === 'a') { event.preventDefault(); panel.choose('act'); acting.querySelector('button')?.focus(); }
    else if (event.key === 'n') line.go(last());
    else if (event.key === '+' || event.key === '=') current?.drawing?.scale(1.25);
    else if (event.key === '-') current?.drawing?.scale(0.8);
    else if (event.key === '0') current?.drawing?.scale(0);
    else if (event.key === 'Escape' && fork) act.close();
    else if (['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'].includes(event.key) && !event.target?.matches?.('.stage, .pane, .wide, .log, .code')) line.key(event);
  }
  return { key, close() { clearTimeout(due); clearTimeout(noting); cancelAnimationFrame(frame); line.close(); } };
}

function legend() {
  const entry = (tone, word) => el('span', { class: `is-${tone}` }, icon(tone), word);
  return el('div', { class: 'legend' }, el('span', {}, el('i', { class: 'tokn' }, '1'), 'token'), entry('run', 'running'), entry('wait', 'waiting'), entry('done', 'done'), entry('fail', 'failed'), entry('gone', 'cancelled'), el('span', {}, el('i', { class: 'tokn ghost' }, '1'), 'would follow'));
}
