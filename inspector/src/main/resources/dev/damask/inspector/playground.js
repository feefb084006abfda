// Playground: write a document; it is drawn and proved while you type, and tried in memory.
import { ask, at, get, list, may, send } from './api.js';
import { blank, button, card, el, field, icon, scrolling, select, toast } from './dom.js';
import { statePanel } from './panels.js';
import { player } from './proof.js';
import { Editor } from './source.js';
import { storage } from './storage.js';
import { readJson } from './values.js';
import { checkInto } from './workflow.js';
import { LANES, count, short } from './words.js';

const KEPT = 'damask-playground';
const tab = storage(() => sessionStorage);
const FIRST = `workflow: claim
version: "1"
description: Two of three quotes, then pay.

context: {limit: 2500}

places:
  documents: {external: true}

do:
  - task: register
  - par:
      - task: quote north
      - task: quote south
  - take: documents
  - xor:
      - when: limit > 1000
        do: {task: approve by hand}
      - else: {task: approve}
  - task: pay
`;
const EVENTS = `complete register
complete quote north {"north": 900}
complete quote south {"south": 850}
signal documents
`;
const VERBS = ['complete', 'fail', 'signal', 'retry', 'cancel', 'time'];

export default async function playground({ view }) {
  if (!may('operator')) {
    view.append(el('h1', {}, 'Playground'), el('div', { class: 'card' }, blank('shield', 'The playground needs the role operator', 'It checks and runs documents on the server, in memory and without effects.')));
    return null;
  }
  let timer = 0, number = 0, line = null, last = {};
  const state = el('span', { class: 'small quiet' }), result = el('div'), where = el('div', { class: 'stage' }), tried = el('div'), under = el('div', { class: 'stack' });
  const put = button('Put', save, { id: 'put', disabled: true });
  const editor = new Editor(tab.get(KEPT) ?? FIRST, changed);
  const opened = select([['', 'Open a workflow']], '', { 'aria-label': 'Open a workflow', id: 'open' });
  const events = el('textarea', { class: 'in mono', rows: 6, id: 'events', spellcheck: 'false' });
  events.value = EVENTS;
  const given = el('textarea', { class: 'in mono', rows: 6, id: 'given', spellcheck: 'false' });
  given.value = '{}';
  const go = button('Run', run, { kind: 'main', icon: 'play', id: 'run' });
  const said = el('p', { class: 'small quiet', role: 'status' }, 'In memory, without effects.');

  view.append(
    el('div', { class: 'head' }, el('div', {}, el('h1', {}, 'Playground'), el('p', { class: 'second' }, 'Write a document; it is drawn and proved as you type. It is stored only when you put it.')), el('div', { class: 'acts' }, el('div', { class: 'open-box' }, opened), may('admin') ? put : null)),
    el('div', { class: 'pg' }, el('section', { class: 'card', 'aria-label': 'Editor' }, el('header', {}, el('h2', { class: 'grow' }, 'Document'), state, button('Check', () => changed(editor.text), { kind: 'tiny low' })), editor.node),
      el('div', { class: 'stack' }, el('section', { class: 'card', 'aria-label': 'Drawing' }, el('header', {}, el('h2', { class: 'grow' }, 'Drawing')), scrolling(where)), under,
        el('section', { class: 'card', 'aria-label': 'Check' }, el('header', {}, el('h2', { class: 'grow' }, 'Check')), result),
        card('Try it', 'in memory, no effects', el('div', { class: 'body stack' }, el('div', { class: 'two' }, field('Events, one per line', events, 'complete TASK {result}, fail TASK: reason, signal PLACE {payload}, retry TASK, cancel SCOPE, time 2026-11-18T10:00:00Z'), field('Input, as JSON', given)), el('div', { class: 'row' }, go, said))), tried)));

  function changed(text) {
    tab.set(KEPT, text);
    clearTimeout(timer);
    put.disabled = true;
    timer = setTimeout(async () => {
      const mine = ++number;
      state.textContent = 'checking';
      const made = await checkInto({ text, result, where, editor, isCurrent: () => mine === number });
      if (mine !== number) return;
      last = made;
      state.textContent = '';
      put.disabled = !made.isReadable || made.verdict === 'UNSOUND';
      go.disabled = !made.drawing;
      line?.close();
      under.replaceChildren();
      tried.replaceChildren();
      if (made.check?.counterexample?.length && made.drawing) play(made.check.counterexample, 'Step', 'Steps of the counterexample');
    }, 300);
  }
  function play(steps, unit, label, lanes, seek) {
    line?.close();
    line = player(steps, { drawing: last.drawing, places: last.check?.places ?? [], lines: all => { if (all.length) editor.gutter.querySelectorAll('li:not(.block)').forEach(li => li.classList.toggle('here', all.includes(Number(li.textContent)))); }, unit, label, lanes, seek });
    under.replaceChildren(line.card);
    line.lay();
    line.go(steps.length - 1);
  }

  // One event per line; data follow as JSON.
  function parsed(line, i) {
    const text = line.trim();
    if (!text || text.startsWith('#')) return null;
    const [kind] = text.split(/\s+/, 1), brace = text.indexOf(' {');
    if (!VERBS.includes(kind)) throw new Error(`Events, line ${i + 1}: begin with ${VERBS.join(', ')}`);
    const name = text.slice(kind.length, brace < 0 ? undefined : brace).trim();
    let data = {};
    if (brace >= 0) try { data = readJson(text.slice(brace + 1)); } catch (problem) { throw new Error(`Events, line ${i + 1}: ${problem.message}`); }
    if (kind === 'signal') return { kind, place: name, payload: data };
    if (kind === 'complete') return { kind, task: name, result: data };
    if (kind === 'fail') { const [task, reason = 'failed'] = name.split(/:\s*/, 2); return { kind, task, reason }; }
    if (kind === 'time') return { kind, at: name };
    return kind === 'retry' ? { kind, task: name } : name ? { kind, scope: name } : { kind };
  }

  async function run() {
    said.replaceChildren(icon('spin'), ' Running');
    go.disabled = true;
    try {
      let start;
      try { start = readJson(given.value.trim() || '{}'); } catch (problem) { throw new Error(`Input: ${problem.message}`); }
      const lines = events.value.split('\n').map((text, i) => ({ i, event: parsed(text, i) })).filter(each => each.event);
      const ask2 = upTo => ask('try', { document: editor.text, input: start, events: lines.slice(0, upTo).map(each => each.event) });
      let wrong = null, answer;
      try { answer = await ask2(lines.length); } catch (problem) {
        // An event that cannot be applied has its number: what comes before it is shown.
        if (!problem.body?.event) throw problem;
        wrong = new Error(`Events, line ${lines[problem.body.event - 1].i + 1}: ${problem.message.replace(/^inputs: /, '')}`);
        answer = await ask2(problem.body.event - 1);
      }
      const { positions } = answer;
      said.replaceChildren(...(wrong ? [icon('warn', 'is-fail'), ' ', short(wrong.message, 300)] : [`${count(positions.length, 'position')}.`]));
      const pane = el('div', { class: 'pane cols' });
      tried.replaceChildren(el('section', { class: 'card', 'aria-label': 'State' }, el('header', {}, el('h2', { class: 'grow' }, 'State')), pane));
      let before = null;
      where.closest('section').scrollIntoView({ block: 'start' });
      play(positions, 'Position', 'Positions of the run', LANES.slice(0, -1), (now, at) => { before = now ? positions[now - 1].state ?? positions[now - 1] : null; statePanel(pane, { state: at, before, position: now + 1, flow: { places: last.drawing.places() }, workflow: { go: line => editor.goTo(line) } }); });
    } catch (problem) {
      said.replaceChildren(icon('warn', 'is-fail'), ' ', short(problem.message, 300));
    } finally { go.disabled = !last.drawing; }
  }

  async function save() {
    put.disabled = true;
    const name = editor.text.match(/^workflow:\s*["']?([^"'#\n]+?)["']?\s*(#.*)?$/m)?.[1];
    try {
      await send('PUT', `workflows/${at(name ?? '')}`, editor.text, { type: 'text/yaml' });
      toast(`${short(name, 40)} was put`);
      location.hash = `#/workflows/${at(name)}`;
    } catch (problem) {
      editor.marks(problem.body?.findings ?? []);
      toast(short(problem.message, 200), 'fail');
    }
  }

  opened.addEventListener('change', async () => {
    if (!opened.value) return;
    try {
      const { document: text } = await get(`workflows/${at(opened.value)}`);
      if (text) editor.text = text;
    } catch (problem) { toast(problem.message, 'fail'); }
  });
  list('workflows').then(({ items }) => opened.append(...items.filter(each => each.document).map(each => el('option', { value: each.workflow }, short(each.workflow, 50))))).catch(() => {});
  changed(editor.text);
  return {
    key(event) {
      if (event.key === 'theme') line?.lay(true);
      else if (event.key === 'e') { event.preventDefault(); editor.area.focus(); }
      else if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key) && line && !event.target?.matches?.('.stage, .src, .pane')) line.key(event);
    },
    close() { clearTimeout(timer); number++; line?.close(); },
  };
}
