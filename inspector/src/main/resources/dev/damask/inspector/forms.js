// Forms from a JSON schema: one control for each property; anything else is edited as JSON.
import { at, get, send } from './api.js';
import { blank, button, dialog, el, field, icon, input, select, toast } from './dom.js';
import { sentence, short } from './words.js';

/** A form for a value. read() returns the value or throws an Error that names the field. */
export function valueForm(schema, initial = undefined, label = 'Value') {
  const type = kind(schema);
  if (type === 'object' && schema.properties && Object.keys(schema.properties).length <= 30) return objectForm(schema, initial ?? {});
  if (['string', 'number', 'integer', 'boolean'].includes(type)) {
    const one = control(label, schema, initial, true);
    return { node: el('div', { class: 'stack' }, one.node), read: one.read, focus: () => one.node.querySelector('input, select, textarea')?.focus() };
  }
  const text = el('textarea', { class: 'in mono', rows: 5, 'aria-label': label, spellcheck: 'false' });
  text.value = initial === undefined ? '{}' : JSON.stringify(initial, null, 2);
  return {
    node: field(`${label}, as JSON`, text),
    read() {
      if (!text.value.trim()) return undefined;
      try { return JSON.parse(text.value); } catch (problem) { throw new Error(`${label}: ${problem.message}`); }
    },
    focus: () => text.focus(),
  };
}

function kind(schema) {
  const type = Array.isArray(schema?.type) ? schema.type.find(each => each !== 'null') : schema?.type;
  return type ?? (schema?.properties ? 'object' : schema?.enum ? 'string' : undefined);
}

function objectForm(schema, initial) {
  const needed = new Set(schema.required ?? []);
  const all = Object.entries(schema.properties).map(([name, each]) => ({ name, ...control(each.title ?? sentence(name), each, initial[name] ?? each.default, needed.has(name)) }));
  return {
    node: el('div', { class: 'stack' }, all.map(each => each.node)),
    read() {
      const value = {};
      for (const { name, read } of all) {
        const each = read();
        if (each !== undefined) value[name] = each;
      }
      return value;
    },
    focus: () => all[0]?.node.querySelector('input, select, textarea')?.focus(),
  };
}

function control(label, schema, initial, isNeeded) {
  const type = kind(schema);
  const words = `${label}${isNeeded ? '' : ', optional'}`;
  const missing = () => { if (isNeeded) throw new Error(`${label}: enter a value`); return undefined; };
  if (schema.enum) {
    const made = select([...(isNeeded ? [] : [['', '–']]), ...schema.enum.map(each => [JSON.stringify(each), String(each)])], initial === undefined ? undefined : JSON.stringify(initial));
    return { node: field(words, made, schema.description), read: () => (made.value === '' ? missing() : JSON.parse(made.value)) };
  }
  if (type === 'boolean') {
    const made = el('input', { class: 'ck', type: 'checkbox', checked: initial === true });
    return { node: el('label', { class: 'row' }, made, el('span', {}, label)), read: () => made.checked };
  }
  if (type === 'number' || type === 'integer') {
    const made = input({ inputmode: 'decimal', value: initial ?? '' });
    return {
      node: field(words, made, schema.description),
      read() {
        const text = made.value.trim();
        if (!text) return missing();
        const value = Number(text);
        if (Number.isNaN(value) || (type === 'integer' && !Number.isInteger(value))) throw new Error(`${label}: ${short(text, 40)} is not ${type === 'integer' ? 'an integer' : 'a number'}`);
        return value;
      },
    };
  }
  if (type === 'string') {
    const made = input({ value: initial ?? '', placeholder: schema.format === 'date-time' ? '2026-11-18T10:00:00Z' : null });
    return { node: field(words, made, schema.description), read: () => (made.value === '' ? missing() : made.value) };
  }
  const made = el('textarea', { class: 'in mono', rows: 3, spellcheck: 'false' });
  made.value = initial === undefined ? '' : JSON.stringify(initial, null, 2);
  return {
    node: field(`${words}, as JSON`, made, schema.description),
    read() {
      if (!made.value.trim()) return missing();
      try { return JSON.parse(made.value); } catch (problem) { throw new Error(`${label}: ${problem.message}`); }
    },
  };
}

/** The form that starts a case, with the input schema of the workflow where it has one. */
export function startForm(workflows, chosen = '') {
  dialog('Start a case', close => {
    if (!workflows.length) return blank('flow', 'No workflow is registered', 'Put a document in the playground, or start the server with a directory of documents.');
    const which = select(workflows.map(each => [each.workflow, short(each.workflow, 60)]), chosen || undefined, { id: 'start-workflow' });
    const id = input({ id: 'start-id', placeholder: 'given by the server' });
    const place = el('div');
    const note = el('p', { class: 'small', role: 'alert' });
    const go = el('button', { class: 'btn main', type: 'submit' }, icon('play'), 'Start');
    let form = valueForm(undefined, {}, 'Input');
    const show = async () => {
      form = valueForm(undefined, {}, 'Input');
      try {
        const { input: schema, context } = await get(`workflows/${at(which.value)}`);
        form = valueForm(schema ?? undefined, context ?? (schema ? undefined : {}), 'Input');
      } catch { /* the plain form stays */ }
      place.replaceChildren(form.node);
    };
    which.addEventListener('change', show);
    show();
    const made = el('form', { class: 'dlg stack' }, field('Workflow', which), field('Id, optional', id), place, note, el('div', { class: 'row' }, go, button('Close', close, { kind: 'low' })));
    made.addEventListener('submit', async event => {
      event.preventDefault();
      note.replaceChildren();
      try {
        const body = { workflow: which.value, input: form.read() };
        if (id.value.trim()) body.id = id.value.trim();
        go.disabled = true;
        const started = await send('POST', 'cases', body);
        toast(`${short(started.id, 40)} is durable as revision ${started.revision ?? 1}`);
        close();
        location.hash = `#/cases/${at(started.id)}`;
      } catch (problem) {
        note.replaceChildren(icon('warn', 'is-fail'), ' ', problem.message);
      } finally { go.disabled = false; }
    });
    return made;
  });
}
