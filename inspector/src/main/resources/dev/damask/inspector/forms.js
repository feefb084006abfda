// The form that starts a case.
import { at, freshKey, get, send } from './api.js';
import { blank, button, dialog, el, field, icon, input, select, toast } from './dom.js';
import { valueForm } from './values.js';
import { short } from './words.js';

/** The input schema of a workflow; undefined if it has none, or if it cannot be read now. */
export async function inputOf(workflow) {
  try {
    const { input: schema } = await get(`workflows/${at(workflow)}`);
    return schema && typeof schema === 'object' ? schema : undefined;
  } catch { return undefined; }
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
    let form = null, sent = '', key = freshKey();
    const show = async () => {
      const name = which.value;
      go.disabled = true;
      const schema = await inputOf(name);
      if (name !== which.value) return;
      form = valueForm(schema, schema ? undefined : {}, 'Input');
      place.replaceChildren(form.node);
      go.disabled = false;
    };
    which.addEventListener('change', show);
    show();
    const made = el('form', { class: 'dlg stack' }, field('Workflow', which), field('Id, optional', id), place, note, el('div', { class: 'row' }, go, button('Close', close, { kind: 'low' })));
    made.addEventListener('submit', async event => {
      event.preventDefault();
      note.replaceChildren();
      try {
        const body = { workflow: which.value, input: form.read({ show: true }) };
        if (id.value.trim()) body.id = id.value.trim();
        go.disabled = true;
        // The same form sent again, after an answer was lost, starts no second case.
        if (JSON.stringify(body) !== sent) { sent = JSON.stringify(body); key = freshKey(); }
        const started = await send('POST', 'cases', body, { key });
        toast(`${short(started.id, 40)} is durable as revision ${started.revision ?? 1}`);
        close();
        location.hash = `#/cases/${at(started.id)}`;
      } catch (problem) {
        form.refused(problem.message);
        note.replaceChildren(icon('warn', 'is-fail'), ' ', problem.message);
      } finally { go.disabled = false; }
    });
    return made;
  });
}
