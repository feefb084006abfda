// Sign-in: a one-time code from the address, a token kept for this tab, or a form that asks for one.
import { Silence, bySession, get, learn, send, session } from './api.js';
import { button, el, field, icon, input } from './dom.js';
import { failure } from './place.js';

/** Resolves to true when session.me is set. The code leaves the address before anything else happens. */
export async function signIn(main, said = '') {
  if (bySession) return ofApplication(main);
  const code = location.hash.startsWith('#code=') ? decodeURIComponent(location.hash.slice(6)) : '';
  if (code) {
    history.replaceState(null, '', `${location.pathname}${location.search}#/cases`);
    try {
      const given = await send('POST', 'session', { code });
      session.token = given.token;
    } catch (problem) {
      return form(main, `${problem.message}. A code is valid once and for five minutes; start the server again for a new one, or enter a token.`);
    }
  }
  if (!session.token) return form(main, said);
  try {
    session.me = await get('me');
    learn();
    return true;
  } catch (problem) {
    if (problem instanceof Silence) return again(main, problem);
    if (problem.status === 401) session.token = null;
    return form(main, problem.status === 401 ? said || 'This token is no longer valid.' : problem.message);
  }
}

/** The token is kept: the server is asked again when a person wants it. */
function again(main, problem) {
  return new Promise(done => {
    const shown = failure(problem, async () => done(await signIn(main)));
    main.replaceChildren(shown);
    document.title = 'No answer · Damask';
    shown.querySelector('button')?.focus();
  });
}

/** The application knows who asks; the page only says what is missing. */
async function ofApplication(main) {
  try {
    session.me = await get('me');
    learn();
    return true;
  } catch (problem) {
    main.replaceChildren(el('div', { class: 'card sign-in' },
      el('div', { class: 'mark' }, icon('key')),
      el('h1', {}, 'Not signed in'),
      el('p', { class: 'second', role: 'alert' }, problem.message),
      button('Try again', () => location.reload(), { kind: 'main' })));
    document.title = 'Sign in · Damask';
    return false;
  }
}

function form(main, said) {
  return new Promise(done => {
    const token = input({ type: 'password', id: 'token', name: 'token', autocomplete: 'off', required: true });
    const note = el('p', { class: 'small', role: 'alert' }, said ? [icon('warn', 'is-fail'), ' ', said] : '');
    const made = el('form', { class: 'card sign-in', 'aria-label': 'Sign in' },
      el('div', { class: 'mark' }, icon('key')),
      el('h1', {}, 'Sign in'),
      el('p', { class: 'second' }, 'Open the address that the server printed when it started, or enter a token.'),
      note, field('Token', token),
      el('button', { class: 'btn main', type: 'submit' }, 'Sign in'),
      el('p', { class: 'small quiet' }, 'The token is kept in this tab until it is closed.'));
    made.addEventListener('submit', async event => {
      event.preventDefault();
      session.token = token.value.trim();
      try {
        session.me = await get('me');
        learn();
        done(true);
      } catch (problem) {
        session.token = null;
        note.replaceChildren(icon('warn', 'is-fail'), ' ', problem.status === 401 ? 'The server does not know this token.' : problem.message);
        token.select();
      }
    });
    main.replaceChildren(made);
    document.title = 'Sign in · Damask';
    token.focus();
  });
}
