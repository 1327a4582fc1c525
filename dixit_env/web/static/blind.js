// The blind test of clues: a participant says for one table after another which card its clue is for.
//
// `s.blind`: {token, tables (in the participant's order), judged (the answers that the server has, by table), made (those
// on the page), answered (are the last questions?), code, at (index of the table; INTRODUCTION before the first,
// `tables.length` after the last), since (when that one was opened), sending}.

export const MOST_WEIGHT = 10; // of a card
const INTRODUCTION = -1;

export const isIntroduction = ({ at }) => at === INTRODUCTION;
export const isThrough = ({ at, tables }) => at === tables.length;
export const isComplete = ({ weights, suits }) => totalOf(weights) > 0 && suits !== null;
const totalOf = (weights) => weights.reduce((sum, weight) => sum + weight, 0);

/** The answer to the table that is open: {weights (of its cards), suits}. */
export function answerOf({ tables, at, made, judged }) {
  const { number, cards } = tables[at];
  return made[number] ?? judged[number] ?? { weights: cards.map(() => 0), suits: null };
}

/** How likely each card is, in per cent; null while nothing is said. */
export function sharesOf(weights) {
  const sum = totalOf(weights);
  return weights.map((weight) => (sum ? Math.round((100 * weight) / sum) : null));
}

export function blindActions({ get, set }, ask, complain, effort) {
  const change = (changes) => set(({ blind }) => ({ blind: { ...blind, ...changes } }));

  /** Send an answer, once; what the server says to it, or null. */
  async function post(path, body) {
    const { token, sending } = get().blind;
    if (sending) return null;
    change({ sending: true });
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const told = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
    change({ sending: false, ...told });
    return told;
  }

  function turnTo(at) {
    const { blind, study } = get();
    const asks = at === blind.tables.length && study.end.length > 0 && !blind.answered;
    change({ at, since: Date.now() });
    set({ zoom: null, notice: "", asking: asks ? { turn: 0, answers: {}, since: Date.now() } : null });
    setTimeout(() => {
      scrollTo(0, 0);
      document.querySelector(".blind h1")?.focus({ preventScroll: true });
    });
  }

  function answer(changes) {
    const { blind } = get();
    change({ made: { ...blind.made, [blind.tables[blind.at].number]: { ...answerOf(blind), ...changes } } });
  }

  /** Does the server have the answer to the open table? It is sent where it is complete and another one than before. */
  async function keep() {
    const { blind } = get();
    const { number } = blind.tables[blind.at];
    const mine = answerOf(blind);
    if (!isComplete(mine) || mine === blind.judged[number]) return true;
    const seconds = (Date.now() - blind.since) / 1000;
    const told = await post("/api/study/tables", { number, ...mine, seconds, ...effort.told() });
    if (told) change({ judged: { ...blind.judged, [number]: mine } });
    return told !== null;
  }

  return {
    /** Begin, or go on at the first table without an answer. */
    async goOn(token) {
      const told = await ask("/api/study/tables", { headers: { Authorization: `Bearer ${token}` } });
      if (!told) return;
      const missing = told.tables.findIndex(({ number }) => !told.judged[number]);
      const at = missing < 0 ? told.tables.length : missing;
      set({ blind: { ...told, token, made: {}, sending: false } });
      turnTo(Object.keys(told.judged).length > 0 ? at : INTRODUCTION);
    },
    startTables: () => turnTo(0),
    weigh(card, weight) {
      const { weights } = answerOf(get().blind);
      if (card >= weights.length) return;
      effort.count("changes");
      answer({ weights: weights.with(card, Math.max(0, Math.min(MOST_WEIGHT, weight))) });
    },
    weighAlike() {
      effort.count("changes");
      answer({ weights: answerOf(get().blind).weights.map(() => 1) });
    },
    suit: (suits) => answer({ suits }),
    async nextTable() {
      const { blind } = get();
      if (!isComplete(answerOf(blind))) complain("blind.missing");
      else if (await keep()) turnTo(blind.at + 1);
    },
    async lastTable() {
      const { blind } = get();
      if (isThrough(blind) || (await keep())) turnTo(blind.at - 1);
    },
    async sendAnswers(answers) {
      if (await post("/api/study/answers", answers)) set({ asking: null });
    },
  };
}

/** A card's number makes it likelier, with Shift less likely; Enter goes on. */
export function listenToKeys(store, act) {
  addEventListener("keydown", (event) => {
    const { blind, zoom } = store.get();
    if (!blind || isIntroduction(blind) || isThrough(blind) || event.ctrlKey || event.altKey || event.metaKey) return;
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
    const card = digit && digit[1] - 1;
    if (digit) act.weigh(card, answerOf(blind).weights[card] + (event.shiftKey ? -1 : 1));
    else if (event.key === "Enter" && !zoom && !event.target.closest("button")) act.nextTable();
    else return;
    event.preventDefault();
  });
}
