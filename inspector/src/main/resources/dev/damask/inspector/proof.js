// A verdict with its counterexample, played on a drawing with the time line.
import { el, icon, pill } from './dom.js';
import { boxes, joins, tokens } from './past.js';
import { TimeLine } from './timeline.js';
import { event, number, sentence, short, span } from './words.js';

export const VERDICTS = {
  SOUND: ['done', 'done', 'Sound'], UNSOUND: ['fail', 'fail', 'Unsound'], UNKNOWN: ['wait', 'wait', 'Unknown'], INVALID: ['fail', 'fail', 'Invalid'], SEARCHING: ['run', 'spin', 'Searching'],
};
const STEPS = [
  { type: 'choice', name: 'Choices', icon: 'choice', tone: 'plain' }, { type: 'start', name: 'Starts', icon: 'run', tone: 'run', round: true },
  { type: 'signal', name: 'Signals', icon: 'signal', tone: 'event' }, { type: 'done', name: 'Results', icon: 'done', tone: 'done', round: true },
  { type: 'wait', name: 'Waits', icon: 'wait', tone: 'wait', round: true }, { type: 'end', name: 'End', icon: 'warn', tone: 'fail' },
];

export function verdictPill(verdict, words) {
  const [tone, sign, word] = VERDICTS[String(verdict ?? 'UNKNOWN').toUpperCase()] ?? VERDICTS.UNKNOWN;
  return pill(tone, sign, words ?? word);
}

/** Findings and numbers of a check. goTo(line, column) is called for a finding that has a place. */
export function findings(check, { goTo } = {}) {
  const items = check.findings ?? [];
  const facts = String(check.verdict).toUpperCase() === 'INVALID' ? '' : [check.states !== undefined ? `${number(check.states)} states` : '', check.millis !== undefined ? span(check.millis) : ''].filter(Boolean).join(' in ');
  const list = items.map(each => el('li', { class: 'find-li' }, icon('warn', each.severity === 'warning' ? 'is-wait' : 'is-fail'),
    each.line ? el('button', { class: 'copy', type: 'button', onclick: () => goTo?.(each.line, each.column), title: 'Go to this line' }, `${each.line}:${each.column ?? 1}`) : el('span', { class: 'mono' }, '–'),
    el('div', {}, el('p', { dir: 'auto' }, short(each.message, 400)), each.fix ? el('p', { class: 'small quiet' }, short(each.fix, 200)) : null),
    el('span')));
  if (!items.length) {
    const verdict = String(check.verdict ?? '').toUpperCase();
    list.push(el('li', { class: 'find-li bare' }, icon(VERDICTS[verdict]?.[1] ?? 'wait', `is-${VERDICTS[verdict]?.[0] ?? 'wait'}`),
      el('p', {}, { SOUND: 'Every case can complete; no step is dead.', UNSOUND: 'The counterexample is below.', UNKNOWN: 'Nothing bad was found within the budget. A search that was cut short is never called sound.' }[verdict] ?? 'No findings.')));
  }
  return el('div', {}, el('ul', {}, list), check.properties?.length ? el('div', { class: 'body props' }, check.properties.map(each => { const tone = each.holds === null ? 'gone' : each.holds ? 'done' : 'fail'; return el('span', { class: `st is-${tone}` }, icon(each.holds === null ? 'dash' : tone), each.name, each.holds === null ? el('span', { class: 'vh' }, ' was not decided') : null); })) : null,
    facts ? el('p', { class: 'body small quiet facts' }, `${facts}.${check.why ? ` ${sentence(check.why)}.` : ''}${check.scope === 'CONTROL' ? ' Every guard was taken as true and as false.' : ''}${check.properties?.some(each => each.holds === null) ? ' The search ended before the properties with a dashed ring were decided.' : ''}`) : null);
}

const KINDS = { internal: 'choice', task: 'done', fail: 'end', timer: 'signal', add: 'signal', close: 'signal', effect: 'done', failure: 'end', cancel: 'end' };

/** Plays steps on a drawing. steps: [{text, line, kind, element, state}], or positions of a run. Returns the time line. */
export function player(steps, { drawing, places, lanes = STEPS, lines = () => {}, unit = 'Step', label = 'Steps of the counterexample', seek = () => {} }) {
  const known = places?.length ? places : drawing.places();
  const events = lanes !== STEPS ? steps.map(step => event({ ...step, at: Date.parse(step.at) > 1e10 ? step.at : undefined, computed: true, detail: step.outcome && step.outcome !== 'accepted' ? `outcome: ${step.outcome}` : '' })) : steps.map((step, i) => {
    const type = STEPS.some(lane => lane.type === step.kind) ? step.kind : KINDS[step.kind] ?? (i === steps.length - 1 ? 'end' : 'start');
    const cause = type === 'done' ? 'result' : type === 'signal' ? 'signal' : step.kind;
    return { type, text: sentence(short(step.text ?? step.cause ?? '', 120)), more: step.line ? `line ${step.line}` : '', at: step.at, rev: 0, cause, subject: step.subject ?? '', item: step };
  });
  const line = new TimeLine({
    lanes, length: events.length, event: i => events[i], unit, label,
    seek(now) {
      let state = steps[now].state;
      for (let i = now; !state && i >= 0; i--) state = steps[i].state;
      drawing.show({ states: { ...boxes(known, events, now, state), ...(now === steps.length - 1 && events[now].type === 'end' && steps[now].kind === 'end' ? Object.fromEntries(tokens(state).map(each => [each.path, 'fail'])) : {}) }, tokens: tokens(state), joins: joins(state, drawing) });
      lines(steps[now].line ? [steps[now].line] : [], now === steps.length - 1);
      seek(now, state);
    },
  });
  return line;
}
