// Builds elements. Text from a case or a document is only ever set as text, never as markup.
import { exact } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element. Attributes that are false, null or undefined are left out. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'indeterminate') made[name] = value;
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== false).map(text));
  return made;
}

function text(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export function icon(name, extra = '') {
  return svg('svg', { class: `ic ${extra}`.trim(), 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));
}

/** A time: short text, the exact time with its zone on hover and for screen readers. */
export function time(iso, shown) {
  return iso ? el('time', { datetime: iso, title: exact(iso) }, shown) : el('span', { class: 'quiet' }, '–');
}

export function button(label, onclick, { kind = '', icon: name, ...more } = {}) {
  return el('button', { class: `btn ${kind}`.trim(), type: 'button', onclick, ...more }, name ? icon(name) : null, label);
}

export function iconButton(name, label, onclick, more = {}) {
  return el('button', { class: 'icbtn', type: 'button', 'aria-label': label, title: label, onclick, ...more }, icon(name));
}

export function pill(tone, name, word, plain = false) {
  return el('span', { class: `st ${plain ? '' : 'pill '}is-${tone}` }, icon(name), word);
}

export function card(title, more, ...content) {
  return el('section', { class: 'card', 'aria-label': title },
    el('header', {}, el('h2', { class: 'grow' }, title), more ? el('span', { class: 'small quiet' }, more) : null), ...content);
}

export function part(title, more, ...content) {
  return el('section', { class: 'part' }, el('h2', { class: 'h3' }, title, el('span', {}, more ?? '')), ...content);
}

export function blank(name, title, sentence, ...more) {
  return el('div', { class: 'blank' }, icon(name), el('h2', {}, title), sentence ? el('p', {}, sentence) : null, ...more);
}

export function field(label, control, hint) {
  return el('label', { class: 'field' }, el('span', {}, label), control, hint ? el('small', { class: 'quiet small' }, hint) : null);
}

export function input(attributes = {}) {
  return el('input', { class: 'in', autocomplete: 'off', spellcheck: 'false', ...attributes });
}

export function select(options, chosen, attributes = {}) {
  const made = el('select', { class: 'in', ...attributes }, options.map(([value, label]) => el('option', { value }, label)));
  made.value = chosen ?? options[0]?.[0] ?? '';
  return made;
}

export function pairs(...entries) {
  return el('dl', { class: 'kv' }, entries.filter(Boolean).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** Text that can be copied with one press. */
export function copied(value, label = value) {
  const made = el('button', { class: 'copy', type: 'button', title: 'Copy' }, label, icon('copy'));
  made.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(value).catch(() => {});
    toast('Copied');
  });
  return made;
}

export function code(value) {
  return el('pre', { class: 'code', tabindex: 0 }, typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');
}

/** A table in an area that scrolls sideways. columns: [label, class, whether only screen readers get the label] */
export function table(kind, columns, rows, label, box = '') {
  // On a phone a row becomes a list entry; its cells keep their headings.
  for (const row of [rows].flat(2).filter(Boolean)) [...row.children].forEach((cell, i) => { if (columns[i]?.[0]) cell.dataset.label = columns[i][0]; });
  return scrolling(el('div', { class: `wide ${box}`.trim() }, el('table', { class: `tab ${kind}`, 'aria-label': label },
    el('thead', {}, el('tr', {}, columns.map(([name, type = '', isHidden = false]) => el('th', { class: type, scope: 'col' }, isHidden ? el('span', { class: 'vh' }, name) : name)))),
    el('tbody', {}, rows))));
}

// An area that scrolls can be reached by keyboard, and only while it scrolls.
const watch = new ResizeObserver(seen => {
  for (const { target } of seen) {
    const scrolls = target.scrollWidth > target.clientWidth + 1 || target.scrollHeight > target.clientHeight + 1;
    if (scrolls) {
      target.tabIndex = 0;
      if (!target.hasAttribute('role')) target.setAttribute('role', 'group');
      if (!target.hasAttribute('aria-label')) target.setAttribute('aria-label', 'Scrolling area');
    } else target.removeAttribute('tabindex');
  }
});
export function scrolling(area) {
  watch.observe(area);
  return area;
}

/** Tabs: a list of [id, label, panel]; arrows move between them. Returns {list, panels, choose}. */
export function tabs(label, entries, chosen = () => {}) {
  const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  const all = entries.map(([id, name, panel]) => {
    panel.id = `panel-${id}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `tab-${id}`);
    panel.tabIndex = 0;
    const tab = el('button', { role: 'tab', type: 'button', id: `tab-${id}`, 'aria-controls': panel.id, onclick: () => choose(id) }, name);
    list.append(tab);
    return { id, tab, panel };
  });
  function choose(id) {
    for (const { id: each, tab, panel } of all) {
      const on = each === id;
      tab.setAttribute('aria-selected', on);
      tab.tabIndex = on ? 0 : -1;
      panel.hidden = !on;
    }
    chosen(id);
  }
  list.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const at = all.findIndex(each => each.tab === document.activeElement);
    const next = all[(at + step + all.length) % all.length];
    next.tab.focus();
    choose(next.id);
  });
  return { list, panels: all.map(each => each.panel), choose, rename: (id, name) => { all.find(each => each.id === id).tab.textContent = name; } };
}

export function toast(words, tone = 'done') {
  const made = el('div', { class: `toast is-${tone}` }, icon(tone === 'fail' ? 'warn' : 'done'), el('span', {}, words));
  document.getElementById('toasts').append(made);
  setTimeout(() => made.remove(), tone === 'fail' ? 8000 : 3500);
}

/** A dialog that is removed when it closes. Content is a function of close. */
export function dialog(title, content, kind = '') {
  const made = el('dialog', { class: kind, 'aria-label': title });
  const close = () => made.close();
  made.append(el('div', { class: 'plain' },
    el('header', { class: 'dlg-head' }, el('h2', { class: 'grow' }, title), iconButton('x', 'Close', close)), content(close)));
  made.addEventListener('close', () => made.remove());
  made.addEventListener('click', event => { if (event.target === made) made.close(); });
  document.body.append(made);
  made.showModal();
  // A form begins in its first field; on a touch screen that would open the keyboard.
  if (!matchMedia('(pointer: coarse)').matches) made.querySelector('form :is(input:not([readonly]), select, textarea)')?.focus();
  return made;
}

export function isTyping(event) {
  return event.metaKey || event.ctrlKey || event.altKey
    || Boolean(event.target.closest?.('input:not(.ck), textarea, select, dialog'));
}

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex="0"]';

// An element that is replaced between press and release gets no click: what is pressed stays until it is released.
const held = new Map();
let pressed = null, pressedAt = null;
function release() {
  pressed = null;
  const all = [...held.values()];
  held.clear();
  all.forEach(redraw => redraw());
}
addEventListener('pointerdown', event => { pressed = event.target; pressedAt = event; }, true);
// The page may move below a pointer that rests: a link or button that was pressed and moved away is clicked all the same.
addEventListener('pointerup', event => {
  const target = pressed?.closest?.('a, button');
  const rests = pressedAt && Math.abs(event.clientX - pressedAt.clientX) < 4 && Math.abs(event.clientY - pressedAt.clientY) < 4;
  if (!rests || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!target?.isConnected || target.contains(event.target)) return;
  target.click();
  // The browser sends its own click to whatever contains both places.
  const stop = click => { if (click.isTrusted) { click.stopPropagation(); click.preventDefault(); } };
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }));
}, true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => setTimeout(release), true);
addEventListener('blur', event => { if (event.target === window) setTimeout(release); }); // not that of an element

/** Draws an area anew; not while something in it is pressed, but as soon as it is released. */
export function redrawn(area, redraw) {
  if (pressed && area.contains(pressed)) held.set(area, redraw);
  else redraw();
}

/** Does what may move other elements; not while one of them is pressed, but as soon as it is released. */
export function settled(area, change) {
  if (pressed) held.set(area, change);
  else change();
}

/** Replaces the content of an area, as [redrawn] does. What had the focus has it again; without it, its row or the page. */
export function fill(area, ...content) {
  redrawn(area, () => {
    const before = area.contains(document.activeElement) && document.activeElement !== area ? document.activeElement : null;
    const called = each => each.id || each.getAttribute('aria-label') || each.textContent;
    const row = before?.closest('tr')?.dataset.id, name = before && called(before);
    area.replaceChildren(...content);
    if (!before || before.isConnected) return;
    const all = [...area.querySelectorAll(FOCUSABLE)];
    const same = all.filter(each => called(each) === name && each.localName === before.localName);
    const next = same.find(each => each.closest('tr')?.dataset.id === row) ?? all.find(each => row && each.closest('tr')?.dataset.id === row) ?? document.getElementById('main');
    next.focus({ preventScroll: true });
  });
}
