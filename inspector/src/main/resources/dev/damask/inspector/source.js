// YAML as coloured lines, to read and to edit.
import { el, icon } from './dom.js';

const PATTERN = /(#.*$)|("[^"]*"|'[^']*')|([A-Za-z_][\w -]*?)(?=:(?:\s|$))|(\b\d+(?:\.\d+)?\b)/g;

const COLOURED_MAX = 2000;
const LINES_MAX = 3000;
const TEXT_MAX = 200_000;

/** One line of a document as text nodes and coloured spans; a very long line stays as it is. */
export function coloured(line) {
  if (line.length > COLOURED_MAX) return [line];
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(PATTERN)) {
    parts.push(line.slice(end, found.index), el('span', { class: found[1] ? 'y-c' : found[2] ? 'y-s' : found[3] ? 'y-k' : 'y-n' }, found[0]));
    end = found.index + found[0].length;
  }
  return [...parts, line.slice(end)];
}

/** A document with line numbers. pick(line) is called for lines that belong to an element. */
export class Source {
  constructor(text, { lines = new Set(), pick } = {}) {
    this.items = text.replace(/\n$/, '').split('\n').map((line, i) => el('li', { id: `L${i + 1}`, 'data-at': lines.has(i + 1) ? '1' : null },
      lines.has(i + 1) && pick
        ? el('button', { class: 'ln', type: 'button', 'aria-label': `Line ${i + 1}: show in the drawing`, onclick: () => pick(i + 1) }, i + 1)
        : el('span', { class: 'ln' }, i + 1),
      el('code', {}, ...coloured(line))));
    this.node = el('ol', { class: this.items.length > LINES_MAX ? 'src long' : 'src', tabindex: 0, 'aria-label': 'Document' }, this.items);
    if (pick) this.node.addEventListener('click', event => { const li = event.target.closest('li[data-at]'); if (li && !event.target.closest('button')) pick(this.items.indexOf(li) + 1); });
  }
  mark(lines, kind = 'on', isScrolled = true) {
    this.items.forEach((li, i) => { li.classList.toggle('on', kind === 'on' && lines.includes(i + 1)); li.classList.toggle('bad', kind === 'bad' && lines.includes(i + 1)); });
    const first = this.items[lines[0] - 1];
    if (first && isScrolled) this.node.scrollTop = first.offsetTop - this.node.offsetTop - 120;
  }
}

/** An editor: a text area over coloured text, with line numbers and error marks. */
export class Editor {
  constructor(text, changed) {
    this.changed = changed;
    this.gutter = el('ol', { class: 'gut', 'aria-hidden': 'true' });
    this.ink = el('pre', { 'aria-hidden': 'true' });
    this.area = el('textarea', { 'aria-label': 'Document', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off', id: 'document' });
    this.area.value = text;
    this.node = el('div', { class: 'ed' }, this.gutter, el('div', { class: 'text' }, this.ink, this.area));
    this.findings = [];
    this.area.addEventListener('input', () => { this.findings = []; this.draw(); changed(this.area.value); });
    this.area.addEventListener('keydown', event => this.key(event));
    this.draw();
  }
  get text() { return this.area.value; }
  set text(value) { this.area.value = value; this.findings = []; this.draw(); this.changed(value); }

  // Tab indents by two, Shift+Tab takes it back, Enter keeps the indentation, Escape leaves the editor.
  key(event) {
    const { area } = this, start = area.selectionStart, from = area.value.lastIndexOf('\n', start - 1) + 1;
    const put = (text, a, b) => { area.setSelectionRange(a, b); document.execCommand('insertText', false, text); };
    if (event.key === 'Tab' && !event.shiftKey) { event.preventDefault(); put('  ', start, area.selectionEnd); }
    else if (event.key === 'Tab') {
      event.preventDefault();
      if (area.value.slice(from, from + 2) === '  ') { area.setSelectionRange(from, from + 2); document.execCommand('delete'); area.setSelectionRange(Math.max(from, start - 2), Math.max(from, start - 2)); }
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const line = area.value.slice(from, start);
      put(`\n${line.match(/^\s*/)[0]}${/(:|^\s*-)\s*$/.test(line) ? '  ' : ''}`, start, area.selectionEnd);
    } else if (event.key === 'Escape') { event.stopPropagation(); area.blur(); this.node.closest('section')?.querySelector('header button')?.focus(); }
  }

  marks(findings) {
    this.findings = findings;
    this.draw();
  }
  draw() {
    const lines = this.area.value.split('\n');
    const bad = new Map(this.findings.filter(each => each.line).map(each => [each.line, each]));
    // A very long document is shown by the text area itself, without colours: only its marks are drawn.
    const isBig = lines.length > LINES_MAX || this.area.value.length > TEXT_MAX;
    this.node.classList.toggle('bare', isBig);
    this.ink.parentNode.style.height = isBig ? `calc(${lines.length} * 1.375rem + 1.5rem)` : '';
    this.ink.parentNode.style.width = isBig ? `calc(${lines.reduce((most, line) => Math.max(most, line.length), 0)} * 1ch + 1.5rem)` : '';
    const shown = isBig ? `${lines.length} ${[...bad.keys()]}` : '';
    if (shown && shown === this.shown) return;
    this.shown = shown;
    const numbers = document.createDocumentFragment(), ink = document.createDocumentFragment();
    for (let i = 0; i < lines.length; i++) {
      const found = bad.get(i + 1);
      if (isBig && !found) {
        let end = i + 1;
        while (end < lines.length && !bad.has(end + 1)) end++;
        numbers.append(el('li', { class: 'block' }, Array.from({ length: end - i }, (_, n) => i + 1 + n).join('\n')));
        i = end - 1;
        continue;
      }
      numbers.append(el('li', { class: found ? 'bad' : '', title: found?.message }, found ? icon('warn') : null, i + 1));
      if (!isBig) ink.append(...(found ? [marked(lines[i], found)] : [...coloured(lines[i]), '\n']));
    }
    this.gutter.replaceChildren(numbers);
    this.ink.replaceChildren(ink);
  }
  goTo(line, column = 1) {
    const from = this.text.split('\n').slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(from, from + (this.text.slice(from).match(/^\w+/)?.[0].length ?? 0));
  }
}

function marked(line, found) {
  const from = Math.max(0, (found.column ?? 1) - 1), word = line.slice(from).match(/^\S+/)?.[0] ?? '';
  return el('span', { class: 'hl' }, line.slice(0, from), el('u', {}, word), line.slice(from + word.length), line ? '' : '\u00a0');
}
