// Act: choose, see what would follow, confirm. Nothing is shown as done before it is durable.
import { Problem, ask, at, has, may, send } from './api.js';
import { blank, button, el, field, icon, input, part, toast } from './dom.js';
import { valueForm } from './values.js';
import { changes, tokens } from './past.js';
import { contextTable } from './panels.js';
import { ENDED, count, reasons, short, status } from './words.js';

/** The actions that a case accepts now, the likely ones first. */
export function actions(now, flow) {
  if (now.status === 'CORRUPT') return [];
  const all = [], isOpen = !ENDED.has(now.status);
  const names = new Set();
  if (isOpen) {
    if (now.status === 'QUARANTINED') all.push({ id: 'release', kind: 'retry', icon: 'retry', name: 'Release from quarantine', short: 'Release', small: 'It moves again from its last commit', isHead: true, isPlain: true });
    for (const name of now.signals ?? (now.waitingFor ?? []).filter(each => each.kind === 'signal').map(each => each.name)) {
      names.add(name);
      all.push({ id: `signal:${name}`, kind: 'signal', icon: 'signal', name: `Send signal ${short(name, 60)}`, short: short(`Signal ${name}`, 24), small: 'The case waits for it', place: name, isHead: true, schema: (flow.signals ?? []).find(signal => signal.name === name)?.schema });
    }
    for (const set of now.sets ?? []) {
      all.push({ id: `add:${set}`, kind: 'instances', icon: 'plus', name: `Add an instance to ${short(set, 40)}`, small: 'One more item of the set', set, isPlain: true });
      all.push({ id: `close:${set}`, kind: 'instances', icon: 'join', name: `Close ${short(set, 40)}`, small: 'No further instances are added', set, isClosing: true, isPlain: true });
    }
    for (const each of now.effects ?? []) {
      const task = each.task ?? each.name, name = short(task, 40).replace(/#1$/, '');
      if (each.held === 'FOR_DECISION') {
        all.push({ id: `approve:${task}`, kind: 'decide', icon: 'done', name: `Approve ${name}`, short: `Approve ${short(name, 14)}`, small: 'Your name is recorded with the decision', task, isApproval: true, isHead: true, isPlain: true });
        all.push({ id: `reject:${task}`, kind: 'decide', icon: 'fail', name: `Reject ${name}`, short: `Reject ${short(name, 14)}`, small: 'Your name is recorded with the decision', task, isApproval: false, isHead: true, isPlain: true, bad: true });
      }
      if (each.incident || each.next) all.push({ id: `retry:${task}`, kind: 'retry', icon: 'retry', name: `Retry ${name} now`, short: `Retry ${short(name, 14)}`, small: each.attempts ? `Attempt ${each.attempts + 1} is called at once` : 'It is called at once', task, isHead: true });
      all.push({ id: `complete:${task}`, kind: 'complete', icon: 'done', name: `Complete ${name} by hand`, short: `Complete ${short(name, 14)}`, small: 'You have done it elsewhere', task, isHead: true, schema: (flow.tasks ?? []).find(known => known.name === each.name)?.result });
      all.push({ id: `stop:${task}`, kind: 'cancel', icon: 'gone', name: `Cancel ${name}`, small: 'This task alone, without a result', task, bad: true });
      all.push({ id: `fail:${task}`, kind: 'fail', icon: 'fail', name: `Fail ${name}`, small: 'The workflow decides what follows', task });
    }
    all.push(now.paused
      ? { id: 'resume', kind: 'resume', icon: 'play', name: 'Resume the case', short: 'Resume', small: 'It moves again; timers that came due fire', isHead: true, isPlain: true }
      : { id: 'pause', kind: 'pause', icon: 'pause', name: 'Pause the case', small: 'It accepts inputs and moves nothing', isPlain: true });
    for (const each of flow.signals ?? []) {
      const { name } = each;
      if (!names.has(name)) all.push({ id: `signal:${name}`, kind: 'signal', icon: 'signal', name: `Send signal ${short(name, 60)}`, small: 'Kept until the case asks for it', place: name, schema: each.schema });
    }
    if (may('admin')) all.push({ id: 'change', kind: 'change', icon: 'pen', name: 'Change data', small: 'Writes keys of one token that waits', isPlain: true });
    if (may('admin')) all.push({ id: 'migrate', kind: 'migrate', icon: 'swap', name: 'Migrate to another version', small: 'Opens the migration of this workflow', isPlain: true });
    for (const scope of new Set((now.scopes ?? []).filter(each => (each.kind === 'region' || each.kind === 'set') && each.name && each.progress === 'ACTIVE').map(each => each.name))) {
      all.push({ id: `cancel:${scope}`, kind: 'cancel', icon: 'gone', name: `Cancel scope ${short(scope, 40)}`, small: 'Its tasks are cancelled, and undone if it undoes', scope, bad: true });
    }
    all.push({ id: 'cancel', kind: 'cancel', icon: 'gone', name: 'Cancel the case', short: 'Cancel', small: 'Completed tasks are undone where the workflow says so', bad: true, isHead: true });
  }
  all.push({ id: 'restart', kind: 'restart', icon: 'fork', name: 'Start again', small: 'A new case with the same input, or from a position', isPlain: true });
  if (!isOpen && may('admin') && has('DELETE', '/v1/cases/{case}')) all.push({ id: 'delete', kind: 'delete', icon: 'bin', name: 'Delete the case', small: 'Its state, journal and receipts are removed', bad: true, isPlain: true });
  return all.filter(each => each.kind === 'migrate' || each.kind === 'delete' || has('POST', `/v1/cases/{case}/${each.kind}`));
}

export function actPanel(pane, of) {
  let chosen = null, form = null, fork = null, position = null, number = 0, timer = 0, moved = false;

  function close() {
    chosen = null;
    moved = false;
    fork = null;
    number++;
    of.forked(null);
    draw();
  }
  function show(id, from = null) {
    const found = actions(of.now(), of.flow).find(each => each.id === id);
    if (!found) { close(); return; }
    if (found.kind === 'migrate') { location.hash = `#/workflows/${at(of.now().workflow)}/migration?from=${encodeURIComponent(of.now().program ?? '')}`; return; }
    if (found.kind !== 'restart') of.toNow();
    chosen = found;
    moved = false;
    position = from;
    form = formOf(found);
    draw();
    preview();
  }
  /** Goes to the form of the action that was chosen, which may lie below the window. */
  function reach() {
    if (!chosen) return;
    const isTouch = matchMedia('(pointer: coarse)').matches;
    const first = isTouch ? null : pane.querySelector('.part :is(input, select, textarea)');
    (first ?? pane.querySelector('#act-go'))?.focus({ preventScroll: true });
    pane.scrollIntoView({ block: 'nearest' });
    if (pane.getBoundingClientRect().top > innerHeight * 0.6) pane.scrollIntoView({ block: 'start' });
  }

  function formOf(action) {
    const reason = input({ id: 'act-reason' });
    if (action.kind === 'signal') return withReason(valueForm(action.schema, action.schema ? undefined : {}, 'Payload'), value => ({ place: action.place, payload: value }));
    if (action.kind === 'complete') return withReason(valueForm(action.schema, action.schema ? undefined : {}, `Result of ${short(action.task, 30)}`), value => ({ task: action.task, result: value }));
    if (action.kind === 'fail') { const made = input({ id: 'act-reason', value: 'failed by an operator' }); return { node: field('Reason of the failure', made), read: () => ({ task: action.task, reason: made.value }), control: made }; }
    if (action.kind === 'retry') return { node: null, read: () => (action.task ? { task: action.task } : {}) };
    if (action.kind === 'decide') return { node: null, read: () => ({ task: action.task, approve: action.isApproval }) };
    if (action.kind === 'instances') {
      const item = action.isClosing ? null : valueForm(undefined, {}, 'Item');
      return { node: item?.node ?? null, read: () => (item ? { set: action.set, item: item.read() } : { set: action.set, close: true }) };
    }
    if (action.kind === 'change') return changeForm(reason);
    if (action.kind === 'restart') {
      const id = input({ placeholder: 'given by the server' }), from = input({ inputmode: 'numeric', value: position ?? '', placeholder: 'the start' });
      return { node: el('div', { class: 'stack' }, field('Id of the new case, optional', id), field('From position, optional', from, 'State and receipts before it are kept; open calls get new keys.')), read: () => ({ ...(id.value.trim() ? { id: id.value.trim() } : {}), ...(from.value.trim() ? { position: Number(from.value) } : {}) }) };
    }
    if (action.kind === 'resume' || action.kind === 'delete') return { node: null, read: () => ({}) };
    if (action.kind === 'pause') return { node: field('Reason', reason), read: () => ({ reason: reason.value.trim() || 'paused by an operator' }) };
    return { node: field('Reason, for the audit log', reason), read: () => ({ ...(action.scope ? { scope: action.scope } : {}), ...(action.task ? { task: action.task } : {}), ...(reason.value ? { reason: reason.value } : {}) }) };
  }
  function withReason(made, read) {
    return { node: made.node, read: how => read(made.read(how)), focus: made.focus, refused: made.refused };
  }
  function changeForm(reason) {
    const waiting = (of.now().tokens ?? []).filter(token => token.activity !== 'READY');
    const which = el('select', { class: 'in' }, waiting.map(token => el('option', { value: token.token ?? token.id }, `Token ${token.token ?? token.id} at ${short(token.element ?? '', 50)}`)));
    const set = el('textarea', { class: 'in mono', rows: 4, spellcheck: 'false', id: 'act-set' });
    set.value = '{}';
    return {
      node: el('div', { class: 'stack' }, field('Token', which), field('Keys to set, as JSON', set), field('Reason', reason)),
      read() {
        if (!reason.value.trim()) throw new Error('Reason: enter one; it is written to the audit log');
        let value;
        try { value = JSON.parse(set.value || '{}'); } catch (problem) { throw new Error(`Keys to set: ${problem.message}`); }
        return { token: Number(which.value), set: value, reason: reason.value };
      },
    };
  }

  // ---- before: the fork

  async function preview() {
    if (!chosen || chosen.isPlain || !may('operator')) return;
    const mine = ++number;
    try {
      const body = form.read();
      fork = { busy: true };
      steps();
      const state = await ask(`${of.path}/fork`, { inputs: [{ kind: chosen.kind, ...body }] });
      if (mine !== number) return;
      fork = { state };
      of.forked({ name: chosen.name[0].toLowerCase() + chosen.name.slice(1), state });
    } catch (problem) {
      if (mine !== number) return;
      fork = { problem };
    }
    steps();
  }

  const following = el('div');
  function steps() {
    if (!fork) { following.replaceChildren(); return; }
    if (fork.busy) { following.replaceChildren(part('What would follow', 'computing', el('p', { class: 'quiet' }, '…'))); return; }
    if (fork.problem) { following.replaceChildren(part('What would follow', 'cannot be computed', el('p', {}, short(fork.problem.message, 300)))); return; }
    const { state } = fork, before = of.now();
    const open = new Set((before.effects ?? []).map(each => each.id ?? each.task));
    const calls = (state.effects ?? []).filter(each => !open.has(each.id ?? each.task));
    const gone = (before.effects ?? []).filter(each => !(state.effects ?? []).some(other => (other.id ?? other.task) === (each.id ?? each.task)));
    const list = [
      ...calls.map(each => `${short(each.name ?? each.task, 60)} is called.`),
      ...gone.filter(each => (each.task ?? each.name) !== chosen.task).map(each => `${short(each.name ?? each.task, 60)} is not waited for any more.`),
      ENDED.has(state.status) ? `The case ends: ${status(state.status)[2].toLowerCase()}${state.failure ? `, ${short(state.failure.reason ?? state.failure, 80)}` : ''}.` : `${count(tokens(state).length, 'token')} in the case.`,
      ...reasons(state.why).map(each => short(each, 240)),
    ];
    const rows = changes(before.context ?? {}, state.context ?? {}).filter(row => row.sign);
    following.replaceChildren(part('What would follow', 'computed, no task is called', el('ol', { class: 'steps' }, [...new Set(list)].map(each => el('li', {}, el('span', { dir: 'auto' }, each)))), rows.length ? contextTable(rows) : null));
  }

  // ---- confirm

  async function confirm(event) {
    event.preventDefault();
    const go = pane.querySelector('#act-go'), said = pane.querySelector('#act-said'), action = chosen;
    let body;
    try { body = form.read({ show: true }); } catch (problem) { said.replaceChildren(icon('warn', 'is-fail'), ' ', problem.message); return; }
    const shownFor = action.kind === 'restart' ? undefined : of.now().revision, began = performance.now();
    go.disabled = true;
    go.setAttribute('aria-busy', 'true');
    go.replaceChildren(icon('spin'), 'Waiting until it is durable');
    try {
      const answer = action.kind === 'delete' ? await send('DELETE', of.path, undefined, { revision: shownFor }) : await send('POST', `${of.path}/${action.kind}`, body, { revision: shownFor });
      toast(`${action.name}: durable${answer.revision ? ` as revision ${answer.revision}` : ''} after ${Math.round(performance.now() - began)} ms`);
      const hadFocus = document.activeElement === document.body || pane.contains(document.activeElement);
      close();
      if (hadFocus) pane.querySelector('.opts button')?.focus({ preventScroll: true });
      if (action.kind === 'restart' && answer.id) location.hash = `#/cases/${at(answer.id)}`;
      else if (action.kind === 'delete') location.hash = '#/cases';
      else of.done();
    } catch (problem) {
      go.disabled = false;
      go.removeAttribute('aria-busy');
      go.replaceChildren(action.name);
      if (problem instanceof Problem && problem.status === 412) {
        moved = true;
        await of.done();
      } else {
        form.refused?.(problem.message);
        said.replaceChildren(icon('warn', 'is-fail'), ' ', short(problem.message, 400));
      }
    }
  }

  function draw() {
    if (!may('operator')) {
      pane.replaceChildren(blank('shield', 'You may look, not act', 'Actions need a token with the role operator.'));
      return;
    }
    const all = actions(of.now(), of.flow);
    const made = el('form', { 'aria-label': 'Act', onsubmit: confirm });
    // Once an action is chosen the others step back, so that its form and its fork are in sight.
    const option = each => el('button', { type: 'button', 'aria-pressed': String(each.id === chosen?.id), 'data-action': each.id, onclick: () => { if (each.id === chosen?.id) { close(); pane.querySelector('.opts button')?.focus(); } else { show(each.id); reach(); } } }, icon(each.icon), el('span', {}, el('b', { dir: 'auto' }, each.name), el('small', {}, each.small)));
    made.append(part(chosen ? 'This action' : 'What do you want to do?', '', el('div', { class: 'opts' }, all.filter(each => !chosen || each.id === chosen.id).map(option)), chosen ? button('Choose another action', () => { close(); pane.querySelector('.opts button')?.focus(); }, { kind: 'tiny low', icon: 'left', id: 'act-other' }) : null));
    if (chosen) {
      made.append(...[!form.node ? null : chosen.schema ? part(chosen.kind === 'signal' ? `Payload of ${short(chosen.place, 30)}` : `Result of ${short(chosen.task, 30).replace(/#1$/, '')}`, 'from its schema', form.node) : el('section', { class: 'part' }, form.node), following, el('section', { class: 'part list' },
        el('div', { class: 'row' }, el('button', { class: `btn ${chosen.bad ? 'bad' : 'main'}`, type: 'submit', id: 'act-go' }, chosen.name), button('Close', () => { close(); pane.querySelector('.opts button')?.focus(); }, { kind: 'low' })),
        el('p', { class: 'small quiet', id: 'act-said', role: 'status' }, moved ? [icon('warn', 'is-wait'), ' The case has moved on. This is what would follow now; confirm again.'] : chosen.kind === 'restart' ? '' : `Only if the case is still at revision ${of.now().revision}.`))].filter(Boolean));
      made.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(preview, 250); });
      steps();
    } else made.append(blank('fork', 'No action is chosen', 'Choose an action to see in the drawing what would follow. No task is called until you confirm.'));
    pane.replaceChildren(made);
  }

  draw();
  return {
    show: (...all) => { show(...all); reach(); }, open: show, close,
    // The case has moved: the list and the revision are new, what was typed and the focus stay.
    refresh() {
      const active = pane.contains(document.activeElement) ? document.activeElement : null;
      const found = chosen && actions(of.now(), of.flow).find(each => each.id === chosen.id);
      if (chosen && !found) close();
      else {
        chosen = found;
        draw();
        if (chosen) preview();
      }
      if (!active) return;
      const same = active.isConnected ? active : [...pane.querySelectorAll('button')].find(each => (active.id ? each.id === active.id : each.dataset.action && each.dataset.action === active.dataset.action));
      (same ?? pane.querySelector('button'))?.focus();
    },
  };
}
