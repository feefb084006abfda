// Workflow: what does it do, where do cases stand, is it sound.
import { Problem, ask, at, get, getText, may, send } from './api.js';
import { blank, button, card, el, icon, scrolling, table, time, toast } from './dom.js';
import { Drawing } from './drawing.js';
import { startForm } from './forms.js';
import { findings, player, verdictPill } from './proof.js';
import { address } from './place.js';
import { Editor, Source } from './source.js';
import { age, count, number, short } from './words.js';

const ROWS_MAX = 100;
// How long the median case has stood at a step: the steps of the heat map after the first.
const STAYS = [[3_600_000, '1 h'], [86_400_000, '1 d'], [604_800_000, '7 d or more']];

export default async function page({ view, names: [name], query, isCurrent, again }) {
  const program = query.get('program') ?? '';
  const path = `workflows/${at(name)}`;
  const of = await get(path, { program });
  const picture = await getText(`${path}/drawing`, { program }, 'image/svg+xml');
  if (!isCurrent()) return null;
  const isDocument = typeof of.document === 'string';
  const versions = of.versions ?? [];
  // A step that waits for several places is named once for each of them.
  const stood = new Map();
  for (const each of of.standing ?? []) if (each.count > (stood.get(each.id)?.count ?? 0)) stood.set(each.id, each);
  of.standing = [...stood.values()];
  const open = ['RUNNING', 'WAITING', 'DEADLOCKED', 'QUARANTINED'].reduce((sum, each) => sum + (typeof of.cases?.[each] === 'number' ? of.cases[each] : of.cases?.[each] ? 1000 : 0), 0);
  let picked = '', line = null, isHot = true;

  const verdict = el('span', {});
  view.append(el('div', { class: 'head' },
    el('div', {}, el('div', { class: 'row title-row' }, el('a', { class: 'up', href: '#/workflows' }, 'Workflows'), el('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), el('h1', { dir: 'auto' }, short(name, 120))),
      el('div', { class: 'meta' }, verdict, of.version ? el('span', { class: 'tag' }, `v${short(of.version, 16)}`) : null, el('a', { href: `#/cases?${new URLSearchParams({ workflow: name })}` }, `${count(open, 'open case')}`), el('span', {}, 'Program ', el('code', {}, short(of.program ?? '', 14))), isDocument ? null : el('span', {}, 'defined in Java'))),
    el('div', { class: 'acts' }, isDocument && may('admin') ? button('Edit', edit, { icon: 'pen', id: 'edit' }) : null,
      may('admin') && versions.length > 1 ? el('a', { class: 'btn', href: `#/workflows/${at(name)}/migration` }, icon('swap'), 'Migrate cases') : null,
      may('operator') ? button('Start a case', () => startForm([{ workflow: name }], name), { kind: 'main', icon: 'plus' }) : null)));

  // ---- drawing and document know each other

  const stage = el('div', { class: 'stage hot' });
  const plain = el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => hot(false) }, 'Plain'), heat = el('button', { type: 'button', 'aria-pressed': 'true', onclick: () => hot(true) }, 'Heat map');
  const grid = el('div', { class: 'wf-grid' });
  const stands = el('div', { class: 'stack' }, el('section', { class: 'card', 'aria-label': 'Where cases stand' }, el('header', {}, el('h2', { class: 'grow' }, 'Where cases stand, and how long'), el('div', { class: 'seg', role: 'group', 'aria-label': 'Kind of drawing' }, heat, plain)), scrolling(stage),
    el('footer', {}, el('span', { class: 'legend' }, el('span', {}, el('i', { class: 'tokn' }, 'n'), 'cases that stand there'), ['under 1 h', ...STAYS.map(([, word]) => word)].map((word, i) => el('span', {}, el('i', { class: 'ramp-box' }, el('i', { class: `h${i + 1}` })), word))))), standing());
  grid.append(stands);
  view.append(grid);
  const drawing = new Drawing(stage, picture, { pick: each => light(each), label: `Workflow ${short(name, 80)}` });
  const lines = new Set((of.places ?? []).map(each => each.line).filter(Boolean));
  const source = isDocument ? new Source(of.document, { lines, pick: n => light((of.places ?? []).filter(each => each.line <= n && each.line).sort((a, b) => b.line - a.line)[0]?.id ?? '', n) }) : null;
  grid.append(el('section', { class: 'card fill', 'aria-label': 'Document' }, el('header', {}, el('h2', { class: 'grow' }, isDocument ? `${short(name, 40)}.yaml` : 'Java workflow'), isDocument ? el('span', { class: 'small quiet' }, count(of.document.split('\n').length, 'line')) : null),
    source?.node ?? blank('file', 'There is no document', 'This workflow is defined in Java. The drawing and the proof come from its program.')));

  function light(id, lineOf) {
    picked = id;
    const place = (of.places ?? []).find(each => each.id === id);
    source?.mark([lineOf ?? place?.line].filter(Boolean));
    show();
    address(`workflows/${at(name)}`, [['program', program], ['line', String(lineOf ?? place?.line ?? '')]]);
  }
  function hot(isOn) {
    isHot = isOn;
    heat.setAttribute('aria-pressed', isOn);
    plain.setAttribute('aria-pressed', !isOn);
    stage.classList.toggle('hot', isOn);
    show();
  }
  function show() {
    drawing.show({ picked });
    if (isHot) drawing.heat(heats());
  }
  function heats() {
    const stay = each => (each.median ?? each.oldest ? Date.now() - Date.parse(each.median ?? each.oldest) : 0);
    return (of.standing ?? []).filter(each => each.count).map(each => ({ id: each.id, count: each.count, heat: 1 + STAYS.filter(([least]) => stay(each) >= least).length, title: `${each.more ? `${number(each.count)}+ cases` : count(each.count, 'case')}${each.oldest ? `, the oldest for ${age(each.oldest)}` : ''}` }));
  }
  function standing() {
    const rows = [...(of.standing ?? [])].filter(each => each.count).sort((a, b) => b.count - a.count);
    const most = Math.max(1, ...rows.map(each => each.count));
    if (!rows.length) return el('section', { class: 'card' }, blank('cases', 'No case waits at a step', 'The heat map shows how many cases wait for a task or a signal, and for how long.'));
    return el('section', { class: 'card', 'aria-label': 'Cases by step' }, table('tight', [['Step'], ['Line'], ['Cases', 'num'], ['Share', '', true], ['Oldest', 'num']], rows.slice(0, ROWS_MAX).map(each => {
      const place = (of.places ?? []).find(known => known.id === each.id);
      const meter = el('meter', { min: 0, max: most, value: each.count, 'aria-label': `${each.count} of ${most}` });
      meter.value = each.count;
      return el('tr', {}, el('td', {}, el('b', { dir: 'auto' }, short(place?.name || place?.kind || each.name || each.id, 40))), el('td', {}, place?.line ? el('button', { class: 'copy', type: 'button', onclick: () => light(each.id) }, place.line) : '–'),
        el('td', { class: 'num' }, `${number(each.count)}${each.more ? '+' : ''}`), el('td', { class: 'bar-cell' }, meter), el('td', { class: 'num' }, each.oldest ? time(each.oldest, age(each.oldest)) : '–'));
    }), 'Cases by step'), rows.length > ROWS_MAX ? el('footer', {}, `${number(rows.length - ROWS_MAX)} more steps with fewer cases`) : null);
  }

  // ---- versions

  view.append(el('div', { class: 'gap' }, card('Versions', '', table('tight', [['Version'], ['Program'], ['Open cases', 'num']], versions.map(each => el('tr', { 'aria-selected': String(each.program === of.program) },
    el('td', {}, el('a', { class: 'idl', href: `#/workflows/${at(name)}?program=${encodeURIComponent(each.program)}` }, each.version ? `v${short(each.version, 20)}` : short(each.program, 10)), ' ', each.current ? el('span', { class: 'tag' }, 'current') : null),
    el('td', {}, el('code', { class: 'quiet' }, short(each.program, 20))), el('td', { class: 'num' }, number(each.cases ?? 0), each.more ? '+' : ''))), 'Versions'))));

  // ---- proof

  const proofCard = el('div', { class: 'gap' });
  view.append(proofCard);
  async function prove() {
    if (!isDocument || !may('operator')) { shownProof(of.proof); return; }
    verdict.replaceChildren(verdictPill('SEARCHING'));
    try { shownProof(await ask('check', of.document, { type: 'text/yaml' })); } catch (problem) { verdict.replaceChildren(verdictPill('UNKNOWN', 'Not proved')); proofCard.replaceChildren(card('Proof', '', el('div', { class: 'body' }, short(problem.message, 300)))); }
  }
  function shownProof(proof) {
    if (!isCurrent()) return;
    line?.close();
    if (!proof) { verdict.replaceChildren(verdictPill('UNKNOWN', 'Not proved')); return; }
    verdict.replaceChildren(verdictPill(proof.verdict));
    const made = card('Proof', '', findings(proof, { goTo: n => light((of.places ?? []).find(each => each.line === n)?.id ?? '', n) }));
    proofCard.replaceChildren(made);
    if (proof.counterexample?.length) proofCard.append(el('div', { class: 'gap' }), counterexample(proof.counterexample, picture, of.places, source?.node ? of.document : null));
  }
  function counterexample(steps, svg, places, text) {
    const where = el('div', { class: 'stage' });
    const doc = text ? new Source(text) : null;
    doc?.node.classList.add('short');
    const made = el('section', { class: 'stack', 'aria-label': 'Counterexample' }, el('h2', {}, 'How it goes wrong'), el('section', { class: 'card' }, scrolling(where)));
    const drawn = () => {
      const on = new Drawing(where, svg, { label: 'Counterexample' });
      line = player(steps, { drawing: on, places, lines: (all, isLast) => doc?.mark(all, isLast ? 'bad' : 'on') });
      made.append(el('div', { class: 'wf-grid' }, line.card, doc ? el('section', { class: 'card' }, doc.node) : el('span')));
      line.lay();
      line.go(steps.length - 1);
    };
    requestAnimationFrame(drawn);
    return made;
  }

  // ---- edit: live drawing and live check, then put

  function edit() {
    const state = el('span', { class: 'small quiet' }), result = el('div'), where = el('div', { class: 'stage' });
    const put = button('Put', save, { kind: 'main', id: 'put', disabled: true });
    const editor = new Editor(of.document, changed);
    let timer = 0, number = 0;
    grid.replaceChildren(el('section', { class: 'card', 'aria-label': 'Editor' }, el('header', {}, el('h2', { class: 'grow' }, `${short(name, 40)}.yaml`), state, button('Discard', again, { kind: 'tiny' }), put), editor.node),
      el('div', { class: 'stack' }, card('Drawing', '', scrolling(where)), el('section', { class: 'card', 'aria-label': 'Check' }, el('header', {}, el('h2', { class: 'grow' }, 'Check')), result)));
    grid.classList.add('editing');
    editor.area.focus();
    function changed(text) {
      clearTimeout(timer);
      put.disabled = true;
      state.textContent = 'changed, not put';
      timer = setTimeout(async () => {
        const mine = ++number;
        const { verdict: word, isReadable } = await checkInto({ text, result, where, editor, isCurrent: () => mine === number });
        if (mine === number) put.disabled = !isReadable || word === 'UNSOUND';
      }, 300);
    }
    changed(of.document);
    async function save() {
      put.disabled = true;
      try {
        await send('PUT', path, editor.text, { type: 'text/yaml' });
        toast('The document was put');
        again();
      } catch (problem) {
        editor.marks(problem.body?.findings ?? []);
        result.replaceChildren(findings({ verdict: 'INVALID', findings: problem.body?.findings ?? [{ message: problem.message }] }, { goTo: (...all) => editor.goTo(...all) }));
      }
    }
  }

  hot(true);
  if (query.get('line')) { const n = Number(query.get('line')); light((of.places ?? []).find(each => each.line === n)?.id ?? '', n); }
  prove();
  return {
    key(event) {
      if (event.key === '+' || event.key === '=') drawing.scale(1.25);
      else if (event.key === '-') drawing.scale(0.8);
      else if (event.key === '0') drawing.scale(0);
      else if (event.key === 'theme') line?.lay(true);
      else if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key) && line && !event.target?.matches?.('.stage, .src, .pane')) line.key(event);
    },
    close() { line?.close(); },
  };
}

/** Draws and checks a document that is being written. Shared with the playground. */
export async function checkInto({ text, result, where, editor, isCurrent }) {
  // A document that cannot be read is not drawn; a long search does not delay the drawing.
  const checking = ask('check', text, { type: 'text/yaml' });
  const first = await Promise.race([checking.catch(() => ({ verdict: 'INVALID' })), new Promise(done => setTimeout(done, 600, {}))]);
  const isReadable = String(first.verdict).toUpperCase() !== 'INVALID';
  if (first.verdict === undefined && isCurrent()) result.replaceChildren(el('div', { class: 'verdict' }, verdictPill('SEARCHING')));
  const [drawn, checked] = await Promise.allSettled([isReadable ? ask('draw', text, { type: 'text/yaml', accept: 'image/svg+xml' }) : Promise.reject(new Error('invalid')), checking]);
  if (!isCurrent()) return {};
  let drawing = null;
  if (drawn.status === 'fulfilled') {
    where.classList.remove('old');
    drawing = new Drawing(where, drawn.value, { label: 'Drawing of the document' });
  } else {
    where.classList.add('old');
    // Too large, or too long to lay out: the drawing of another text would mislead.
    if (isReadable && drawn.reason instanceof Problem) where.replaceChildren(blank('flow', 'There is no drawing', short(drawn.reason.message, 200)));
  }
  const problem = checked.status === 'rejected' ? checked.reason : null;
  const check = problem ? { verdict: 'INVALID', findings: problem.body?.findings ?? [{ message: problem.message, line: problem.body?.place?.line ?? problem.body?.line, column: problem.body?.place?.column ?? problem.body?.column }] } : checked.value;
  editor.marks(String(check.verdict).toUpperCase() === 'INVALID' ? check.findings ?? [] : []);
  result.replaceChildren(el('div', { class: 'verdict' }, verdictPill(check.verdict)), findings(check, { goTo: (...all) => editor.goTo(...all) }));
  return { verdict: String(check.verdict).toUpperCase(), isReadable: !problem && String(check.verdict).toUpperCase() !== 'INVALID', check, drawing, svg: drawn.value };
}
