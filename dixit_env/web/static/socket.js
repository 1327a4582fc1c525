// The line to the table: it notices when it is dead, reconnects by itself, and sends again what was not answered. Every
// command has an id of its own, so that nothing happens twice.

import { kept } from "./storage.js";

const PROTOCOL = 1;
const FINAL = ["unknown_table", "other_deck", "no_study", "protocol"]; // no other try can mend these
const FIRST_WAIT = 500; // milliseconds until the second try; doubled for each further one …
const LONGEST_WAIT = 8000; // … up to this
const BUSY_WAIT = 3000; // when the server has no place
const QUIET = 2000; // milliseconds without a frame, then the line is asked whether it lives
const PATIENCE = 3000; // milliseconds for the answer
const CONNECTING = 8000; // milliseconds until a line that does not open is given up
const AGAIN = 1000; // milliseconds until a command that came too fast is sent again

/** Where the token of this browser's seat at a table is kept. */
export const placeOf = (table) => `dixit:${table}`;

const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Connect to `table`. `on` has the handlers `welcome`, `frame` (state, turns), `answer` (done or error, with the
 * command), `line` ("open", "lost", "busy"), `sending` (the commands that are on their way) and `gone` (an error after
 * which there is no reconnecting).
 */
export function connect(table, watch, on) {
  const place = placeOf(table);
  const unanswered = new Map();
  let socket = null;
  let wait = FIRST_WAIT;
  let ready = false;
  let over = false; // there is no reconnecting
  let heard = 0; // when the last frame came
  let timer = 0; // of the next try, or until this one is given up

  function open() {
    if (over) return;
    clearTimeout(timer);
    ready = false;
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    socket = mine;
    timer = setTimeout(() => lose(mine, "lost"), CONNECTING);
    mine.onopen = () =>
      mine.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, table, token: kept.get(place), watch }));
    mine.onmessage = (message) => receive(JSON.parse(message.data));
    mine.onclose = () => lose(mine, "lost");
  }

  /** Give this line up and try another a little later; a dead one would take minutes to close by itself. */
  function lose(line, why) {
    if (line !== socket) return;
    socket = null;
    ready = false;
    line.onclose = line.onmessage = line.onopen = null;
    line.close();
    on.line(why);
    clearTimeout(timer);
    timer = setTimeout(open, (why === "busy" ? BUSY_WAIT : wait) * (0.5 + Math.random()));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }

  function receive(frame) {
    heard = Date.now();
    if (frame.type === "welcome") welcome(frame);
    else if (frame.type === "state" || frame.type === "turns") on.frame(frame);
    else if (frame.type === "error" && !ready) turnedAway(frame.code);
    else if (frame.id) answered(frame);
  }

  function turnedAway(code) {
    if (!FINAL.includes(code)) return lose(socket, code === "busy" ? "busy" : "lost");
    over = true;
    clearTimeout(timer);
    socket.onclose = null;
    on.gone(code);
  }

  function answered(frame) {
    const command = unanswered.get(frame.id);
    if (frame.code === "rate" && command) return void setTimeout(() => ready && transmit(command), AGAIN);
    unanswered.delete(frame.id);
    on.sending([...unanswered.values()]);
    on.answer(frame, command);
  }

  function welcome(frame) {
    if (frame.token && kept.get(place)) return lose(socket, "lost"); // another tab was first: come with its token
    if (frame.token) kept.set(place, frame.token);
    clearTimeout(timer);
    ready = true;
    wait = FIRST_WAIT;
    on.welcome(frame);
    on.line("open");
    for (const command of unanswered.values()) transmit(command);
  }

  const transmit = (command) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(command));

  /** Send a command, once: the same one that is still on its way is not sent beside itself. */
  function send(type, values = {}) {
    const told = JSON.stringify([type, values]);
    if ([...unanswered.values()].some(({ type, id, table, ...rest }) => JSON.stringify([type, rest]) === told)) return;
    const command = { type, id: newId(), table, ...values };
    unanswered.set(command.id, command);
    on.sending([...unanswered.values()]);
    if (ready) transmit(command);
  }

  /** Ask a line that has been quiet whether it lives, and give it up when no answer comes. */
  function check() {
    if (!ready || Date.now() - heard < QUIET) return;
    const [asked, when] = [socket, Date.now()];
    transmit({ type: "ping" });
    setTimeout(() => heard < when && lose(asked, "lost"), PATIENCE);
  }

  /** Try at once: the device says that it has a network again. */
  const hurry = () => !ready && socket === null && open();

  open();
  setInterval(() => document.visibilityState === "visible" && check(), QUIET);
  addEventListener("online", hurry);
  return { send, check, hurry };
}
