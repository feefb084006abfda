// Forms from a JSON schema: one control for each value, errors at the control, and JSON for whatever has no control.
import { button, el, icon, iconButton, input, select, settled } from './dom.js';
import { sentence, short } from './words.js';

const DEPTH_MAX = 4;
const PROPERTIES_MAX = 40;
const ITEMS_MAX = 100;
const CONTROLS_MAX = 500; // a schema may contain itself
const FORMATS = {
  'date-time': ['2026-11-18T10:00:00Z', /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/, 'is not a time such as 2026-11-18T10:00:00Z'],
  date: ['2026-11-18', /^\d{4}-\d\d-\d\d$/, 'is not a day such as 2026-11-18'],
  time: ['10:00:00Z', /^\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/, 'is not a time of day such as 10:00:00Z'],
  email: ['name@example.org', /^[^\s@]+@[^\s@]+$/, 'is not an e-mail address'],
  uri: ['', /^[A-Za-z][\w+.-]*:\S+$/, 'is not an address with a scheme'],
  uuid: ['', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'is not a UUID'],
  duration: ['PT1H', /^P(?!$)(\d+[YMWD])*(T(\d+(\.\d+)?[HMS])+)?$/, 'is not a duration such as PT1H'],
};
let made = 0, controls = 0;

/** What is wrong with the values of a form; `at` is the control that has the first problem. */
class Wrong extends Error {
  constructor(label, problem, at) {
    super(`${label}: ${problem}`);
    Object.assign(this, { problem, at });
  }
}

/** Reads JSON without rounding its numbers, where the browser can. */
export function readJson(text) {
  return JSON.rawJSON ? JSON.parse(text, (_, value, source) => (typeof value === 'number' ? number(source?.source ?? String(value)) : value)) : JSON.parse(text);
}
function number(text) {
  const value = Number(text);
  const isExact = Number.isFinite(value) && (Number.isSafeInteger(value) || /^-?\d{0,15}(\.\d{0,15})?(e[+-]?\d{1,2})?$/i.test(text) && text.replace(/\D/g, '').length <= 15);
  return isExact || !JSON.rawJSON || !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? value : JSON.rawJSON(text);
}

/**
 * A form for a value. read() returns the value or throws an Error that names the control; with {show: true} each
 * control shows what is wrong with it, and the first one gets the focus. refused(message) shows what a server has refused at its control.
 */
export function valueForm(schema, initial = undefined, label = 'Value') {
  const root = schema && typeof schema === 'object' ? schema : {};
  const known = resolved(root, root);
  const start = initial ?? known.default;
  const isForm = kindOf(known) !== 'any' && fits(known, start, root);
  const text = jsonControl(label, start === undefined ? (isForm || schema ? undefined : {}) : start, { isNeeded: true, mayBeEmpty: true, rows: 6 });
  let form = isForm ? build(label, known, root, start, { isNeeded: true, depth: 0, isTop: true }) : null, isJson = !isForm;
  const node = el('div', { class: 'stack value-form' });
  const swap = button('', () => {
    try {
      if (isJson) {
        const value = text.area.value.trim() ? readJson(text.area.value) : undefined;
        if (!fits(known, value, root)) throw new Error('has values that the form cannot show');
        form = build(label, known, root, value, { isNeeded: true, depth: 0, isTop: true });
      } else text.area.value = shown(form.read({ isLoose: true }));
      isJson = !isJson;
      draw();
      focus();
    } catch (problem) { (isJson ? text : form).mark(problem.problem ?? problem.message); }
  }, { kind: 'tiny low', 'data-swap': '' });
  function draw() {
    swap.replaceChildren(icon(isJson ? 'cases' : 'file'), isJson ? 'Edit as a form' : 'Edit as JSON');
    node.replaceChildren(...[isJson ? text.node : form.node, isForm ? el('div', { class: 'row' }, swap) : null].filter(Boolean));
  }
  function focus() {
    node.querySelector('input, select, textarea')?.focus();
  }
  draw();
  return {
    node, focus,
    read({ show = false } = {}) {
      const now = isJson ? text : form;
      if (show) now.clear(); // a preview reads too, and what the server has refused stays
      const wrong = [];
      const value = now.read({ wrong });
      if (show) wrong.forEach(each => each.at.mark(each.problem));
      if (show) wrong[0]?.at.focus();
      if (wrong.length) throw wrong[0];
      return value;
    },
    refused(message) {
      const found = String(message).match(/(?:^|: )((?:\/[^/:\s]+)*): (.+?)( \(and \d+ more\))?$/);
      const missing = String(message).match(/required property '([^']+)' not found/);
      const path = [...(found?.[1] ?? '').split('/').slice(1).map(each => each.replaceAll('~1', '/').replaceAll('~0', '~')), ...(missing ? [missing[1]] : [])];
      const control = isJson || !path.length ? null : form.find(path);
      control?.mark(missing ? 'enter a value' : found[2]);
      control?.focus();
      return Boolean(control);
    },
  };
}

function shown(value) {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

// ---- what a schema says

/** A schema with its local references followed; the parts of `allOf` are laid over each other. */
function decoded(step) {
  try { return decodeURIComponent(step); } catch { return step; }
}
function resolved(schema, root, depth = 0) {
  if (!schema || typeof schema !== 'object' || depth > 8) return {};
  let all = schema;
  if (typeof schema.$ref === 'string') {
    let target = root;
    if (!schema.$ref.startsWith('#')) return {};
    for (const step of schema.$ref.slice(1).split('/').filter(Boolean)) target = target?.[decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')];
    all = { ...resolved(target, root, depth + 1), ...schema, $ref: undefined };
  }
  for (const each of Array.isArray(all.allOf) ? all.allOf : []) {
    const more = resolved(each, root, depth + 1);
    all = { ...more, ...all, properties: all.properties || more.properties ? { ...more.properties, ...all.properties } : undefined, required: [...(more.required ?? []), ...(all.required ?? [])] };
  }
  return all;
}

function kindOf(schema) {
  if ('const' in schema || Array.isArray(schema.enum)) return 'enum';
  if (schema.oneOf || schema.anyOf || schema.if) return 'any';
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat().filter(each => each !== 'null');
  if (types.length !== 1) return 'any';
  if (types[0] === 'object') return schema.properties && Object.keys(schema.properties).length && Object.keys(schema.properties).length <= PROPERTIES_MAX ? 'object' : 'any';
  if (types[0] === 'array') return schema.items && typeof schema.items === 'object' && !schema.prefixItems ? 'array' : 'any';
  return ['string', 'number', 'integer', 'boolean'].includes(types[0]) ? types[0] : 'any';
}

/** Whether a form can show a value without losing a part of it. */
function fits(schema, value, root, depth = 0) {
  if (value === undefined) return true;
  const kind = depth > DEPTH_MAX ? 'any' : kindOf(schema);
  if (kind === 'any') return true;
  if (kind === 'enum') return (schema.enum ?? [schema.const]).some(each => JSON.stringify(each) === JSON.stringify(value));
  if (kind === 'array') return Array.isArray(value) && value.length <= ITEMS_MAX && value.every(each => fits(resolved(schema.items, root), each, root, depth + 1));
  if (kind === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.entries(value).every(([name, each]) => Object.hasOwn(schema.properties, name) && fits(resolved(schema.properties[name], root), each, root, depth + 1));
  return typeof value === (kind === 'integer' ? 'number' : kind);
}

// ---- controls: each has a node, read, mark, clear, focus and find

function build(label, schema, root, initial, how) {
  controls = how.isTop ? 0 : controls + 1;
  const kind = how.depth > DEPTH_MAX || controls > CONTROLS_MAX ? 'any' : kindOf(schema);
  if (kind === 'object') return objectControl(label, schema, root, initial, how);
  if (kind === 'array') return listControl(label, schema, root, initial, how);
  return kind === 'any' ? jsonControl(label, initial, { isNeeded: how.isNeeded, rows: 3, hint: schema.description }) : one(label, schema, kind, initial, how.isNeeded);
}

function frame(label, control, isNeeded, hint) {
  const id = `value-${++made}`, error = el('small', { class: 'wrong', id: `${id}-wrong`, hidden: true });
  const help = hint ? el('small', { class: 'quiet small', id: `${id}-help` }, short(hint, 300)) : null;
  control.id = id;
  if (isNeeded) control.setAttribute('aria-required', 'true');
  const described = isWrong => {
    const all = [isWrong ? error.id : '', help?.id ?? ''].filter(Boolean).join(' ');
    if (all) control.setAttribute('aria-describedby', all);
    else control.removeAttribute('aria-describedby');
  };
  described(false);
  const isBox = control.type === 'checkbox';
  const words = el('label', { for: id, dir: 'auto' }, short(label, 80), isNeeded || isBox ? null : el('span', { class: 'quiet' }, ', optional'));
  return {
    node: el('div', { class: 'field' }, ...(isBox ? [el('div', { class: 'row' }, control, words)] : [words, control]), error, help),
    control,
    mark(problem) {
      error.replaceChildren(icon('warn'), sentence(problem));
      error.hidden = false;
      control.setAttribute('aria-invalid', 'true');
      described(true);
    },
    clear() {
      error.hidden = true;
      control.removeAttribute('aria-invalid');
      described(false);
    },
    focus: () => control.focus(),
    find: path => (path.length ? null : undefined),
  };
}

/** A control of one value. parse returns undefined for no value, or throws with what is wrong. */
function leaf(label, control, isNeeded, hint, parse) {
  const made1 = frame(label, control, isNeeded, hint);
  const self = {
    ...made1,
    read({ wrong, isLoose } = {}) {
      try {
        const value = parse(control);
        if (value === undefined && isNeeded && !isLoose) throw new Error('enter a value');
        return value;
      } catch (problem) {
        if (isLoose) return control.type === 'text' || control.tagName === 'TEXTAREA' ? control.value || undefined : undefined;
        wrong?.push(new Wrong(label, problem.message, self));
        return undefined;
      }
    },
    find: path => (path.length ? null : self),
  };
  // A value is judged when its control is left, not while it is typed.
  control.addEventListener('change', () => settled(control, () => {
    self.clear();
    const wrong = [];
    self.read({ wrong });
    if (wrong.length && wrong[0].problem !== 'enter a value') self.mark(wrong[0].problem);
  }));
  return self;
}

function one(label, schema, kind, initial, isNeeded) {
  const hint = [schema.description, bounds(schema)].filter(Boolean).join('. ');
  if (kind === 'enum') {
    const values = 'const' in schema ? [schema.const] : schema.enum;
    const control = select([...(isNeeded && (initial !== undefined || values.length === 1) ? [] : [['', '–']]), ...values.map(each => [JSON.stringify(each), typeof each === 'string' ? short(each, 80) : JSON.stringify(each)])], initial === undefined ? undefined : JSON.stringify(initial));
    return leaf(label, control, isNeeded, schema.description, ({ value }) => (value === '' ? undefined : JSON.parse(value)));
  }
  // A box has two states; no value is a third.
  if (kind === 'boolean' && !isNeeded && initial === undefined) return leaf(label, select([['', '–'], ['true', 'yes'], ['false', 'no']]), false, schema.description, ({ value }) => (value === '' ? undefined : value === 'true'));
  if (kind === 'boolean') return leaf(label, el('input', { class: 'ck', type: 'checkbox', checked: initial === true }), isNeeded, schema.description, ({ checked }) => checked);
  if (kind === 'number' || kind === 'integer') return leaf(label, input({ inputmode: kind === 'integer' ? 'numeric' : 'decimal', value: initial ?? '' }), isNeeded, hint, ({ value }) => amount(value.trim(), schema, kind));
  const isLong = schema.maxLength > 200 || schema.contentMediaType || String(initial ?? '').includes('\n');
  const control = isLong ? el('textarea', { class: 'in', rows: 3, spellcheck: 'false', value: initial ?? '' }) : input({ value: initial ?? '', placeholder: FORMATS[schema.format]?.[0] || null, dir: 'auto' });
  return leaf(label, control, isNeeded, hint, ({ value }) => text(value, schema, isNeeded));
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }) {
  const low = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `more than ${exclusiveMinimum}` : '';
  const high = maximum !== undefined ? `to ${maximum}` : exclusiveMaximum !== undefined ? `less than ${exclusiveMaximum}` : '';
  const step = multipleOf !== undefined && multipleOf !== 1 ? `a multiple of ${multipleOf}` : '';
  return sentence([low, high].filter(Boolean).join(low && high && !high.startsWith('to') ? ' and ' : ' ') + (step ? `${low || high ? ', ' : ''}${step}` : ''));
}

function amount(typed, schema, kind) {
  if (!typed) return undefined;
  const value = Number(typed);
  if (Number.isNaN(value) || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) throw new Error(`'${short(typed, 40)}' is not a number`);
  if (kind === 'integer' && !/^[+-]?\d+(\.0*)?$/.test(typed) && !Number.isInteger(value)) throw new Error(`'${short(typed, 40)}' is not an integer`);
  if (schema.minimum !== undefined && value < schema.minimum) throw new Error(`must be at least ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) throw new Error(`must be at most ${schema.maximum}`);
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) throw new Error(`must be more than ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum) throw new Error(`must be less than ${schema.exclusiveMaximum}`);
  if (schema.multipleOf > 0 && Math.abs(value / schema.multipleOf - Math.round(value / schema.multipleOf)) > 1e-9) throw new Error(`must be a multiple of ${schema.multipleOf}`);
  return number(typed.replace(/^\+/, ''));
}

function text(typed, schema, isNeeded) {
  // An empty text is a value only where one is asked for and allowed.
  if (typed === '') return isNeeded && schema.minLength === 0 ? '' : undefined;
  const length = [...typed].length;
  if (schema.minLength !== undefined && length < schema.minLength) throw new Error(`must have at least ${schema.minLength} characters, has ${length}`);
  if (schema.maxLength !== undefined && length > schema.maxLength) throw new Error(`must have at most ${schema.maxLength} characters, has ${length}`);
  const format = FORMATS[schema.format];
  if (format && (!format[1].test(typed) || (schema.format.startsWith('date') && Number.isNaN(Date.parse(typed))))) throw new Error(`'${short(typed, 40)}' ${format[2]}`);
  // A pattern may be slow here; the server matches it in linear time. Short ones on short values are tried.
  if (typeof schema.pattern === 'string' && schema.pattern.length < 100 && length < 200 && !/[*+}]\)?[*+{]|\)[*+{]/.test(schema.pattern)) {
    let pattern = null;
    try { pattern = new RegExp(schema.pattern, 'u'); } catch { /* the server judges it */ }
    if (pattern && !pattern.test(typed)) throw new Error(`does not fit the pattern ${short(schema.pattern, 60)}`);
  }
  return typed;
}

function jsonControl(label, initial, { isNeeded, mayBeEmpty = false, rows, hint }) {
  const area = el('textarea', { class: 'in mono', rows, spellcheck: 'false' });
  area.value = shown(initial);
  const self = leaf(`${label}, as JSON`, area, isNeeded, hint, ({ value }) => {
    if (!value.trim()) return undefined;
    try { return readJson(value); } catch (problem) { throw new Error(`is not JSON: ${problem.message}`); }
  });
  return { ...self, area, read: how => self.read({ ...how, isLoose: how?.isLoose || (mayBeEmpty && !area.value.trim()) }) };
}

function objectControl(label, schema, root, initial, { isNeeded, depth, isTop = false }) {
  const needed = new Set(schema.required ?? []);
  const all = Object.entries(schema.properties).map(([name, each]) => {
    const of = resolved(each, root);
    return [name, build(of.title ?? sentence(name), of, root, initial && Object.hasOwn(initial, name) ? initial[name] : of.default, { isNeeded: needed.has(name), depth: depth + 1 })];
  });
  const note = el('small', { class: 'wrong', hidden: true });
  const nodes = all.map(([, each]) => each.node);
  const self = {
    node: isTop ? el('div', { class: 'stack' }, nodes, note) : el('fieldset', { class: 'part-of' }, el('legend', { dir: 'auto' }, short(label, 80), isNeeded ? null : el('span', { class: 'quiet' }, ', optional')), el('div', { class: 'stack' }, nodes, note)),
    read({ wrong, isLoose } = {}) {
      const inner = [];
      const entries = all.map(([name, each]) => [name, each.read({ wrong: inner, isLoose })]).filter(([, value]) => value !== undefined);
      // An optional object that is left empty is not sent, so its own needs do not count.
      const isLeft = !isTop && !isNeeded && !entries.length && inner.every(each => each.problem === 'enter a value');
      if (isLeft) return undefined;
      wrong?.push(...inner);
      return Object.fromEntries(entries);
    },
    mark(problem) { note.replaceChildren(icon('warn'), sentence(problem)); note.hidden = false; },
    clear() { note.hidden = true; all.forEach(([, each]) => each.clear()); },
    focus: () => all[0]?.[1].focus(),
    find: ([first, ...rest]) => (first === undefined ? self : all.find(([name]) => name === first)?.[1].find(rest) ?? null),
  };
  return self;
}

function listControl(label, schema, root, initial, { isNeeded, depth }) {
  const of = resolved(schema.items, root);
  const rows = el('div', { class: 'stack' }), note = el('small', { class: 'wrong', hidden: true });
  let all = [];
  const add = button('Add', () => { put(undefined); all.at(-1).focus(); add.dispatchEvent(new Event('input', { bubbles: true })); }, { kind: 'tiny', icon: 'plus', 'aria-label': `Add to ${short(label, 60)}` });
  function put(value) {
    if (all.length >= ITEMS_MAX) return;
    const each = build(`${label} ${all.length + 1}`, of, root, value, { isNeeded: true, depth: depth + 1 });
    const row = el('div', { class: 'item' }, each.node, iconButton('x', `Remove from ${short(label, 60)}`, () => {
      all = all.filter(other => other !== each);
      row.remove();
      (all.at(-1) ?? add).focus();
      add.dispatchEvent(new Event('input', { bubbles: true }));
    }));
    all.push(each);
    rows.append(row);
    note.hidden = true;
  }
  (Array.isArray(initial) ? initial : []).forEach(put);
  const self = {
    node: el('fieldset', { class: 'part-of' }, el('legend', { dir: 'auto' }, short(label, 80), isNeeded ? null : el('span', { class: 'quiet' }, ', optional')), schema.description ? el('small', { class: 'quiet small' }, short(schema.description, 300)) : null, rows, el('div', { class: 'row' }, add), note),
    read({ wrong, isLoose } = {}) {
      const values = all.map(each => each.read({ wrong, isLoose })).filter(each => each !== undefined);
      const low = schema.minItems ?? 0;
      if (!isLoose && values.length < low && (isNeeded || values.length)) wrong?.push(new Wrong(label, `add at least ${low}`, self));
      if (!isLoose && schema.maxItems !== undefined && values.length > schema.maxItems) wrong?.push(new Wrong(label, `must have at most ${schema.maxItems}`, self));
      if (!isLoose && schema.uniqueItems && new Set(values.map(each => JSON.stringify(each))).size < values.length) wrong?.push(new Wrong(label, 'has the same value twice', self));
      return values.length || isNeeded ? values : undefined;
    },
    mark(problem) { note.replaceChildren(icon('warn'), sentence(problem)); note.hidden = false; },
    clear() { note.hidden = true; all.forEach(each => each.clear()); },
    focus: () => add.focus(),
    find: ([first, ...rest]) => (first === undefined ? self : all[Number(first)]?.find(rest) ?? self),
  };
  return self;
}
