// The line to the table: it reconnects by itself, and sends again what was not answered. Every command has an id of
// its own, so that nothing happens twice.

const PROTOCOL = 1;
const FINAL = ["unknown_table", "other_deck", "protocol", "busy"];
const SLOWEST = 8000; // milliseconds between two tries
const PATIENCE = 4000; // milliseconds for the answer to a ping

const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Connect to `table`. `on` has the handlers `welcome`, `frame` (state, turns), `answer` (done or error, with the
 * command), `line` ("open", "lost") and `gone` (an error after which there is no reconnecting).
 */
export function connect(table, watch, on) {
  const place = `dixit:${table}`;
  const unanswered = new Map();
  let socket = null;
  let wait = 500;
  let ready = false;
  let heard = true;

  function open() {
    ready = false;
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    socket.onopen = () => {
      socket.send(
        JSON.stringify({ type: "hello", protocol: PROTOCOL, table, token: localStorage.getItem(place), watch }),
      );
    };
    socket.onmessage = (message) => receive(JSON.parse(message.data));
    socket.onclose = () => {
      if (!socket) return;
      on.line("lost");
      setTimeout(open, wait);
      wait = Math.min(2 * wait, SLOWEST);
    };
  }

  function receive(frame) {
    heard = true;
    if (frame.type === "welcome") welcome(frame);
    else if (frame.type === "state" || frame.type === "turns") on.frame(frame);
    else if (frame.type === "error" && FINAL.includes(frame.code)) {
      socket = null;
      on.gone(frame.code);
    } else if (frame.type === "done" || frame.type === "error") {
      const command = unanswered.get(frame.id);
      unanswered.delete(frame.id);
      on.answer(frame, command);
    }
  }

  function welcome(frame) {
    const stored = localStorage.getItem(place);
    if (frame.token && stored) {
      socket.close(); // another tab was first: come again with its token
      return;
    }
    if (frame.token) localStorage.setItem(place, frame.token);
    ready = true;
    wait = 500;
    on.welcome(frame);
    on.line("open");
    for (const command of unanswered.values()) socket.send(JSON.stringify(command));
  }

  function send(type, values = {}) {
    const command = { type, id: newId(), table, ...values };
    unanswered.set(command.id, command);
    if (ready && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
  }

  /** After sleep a line may be dead without knowing it: ask, and open a new one when no answer comes. */
  function check() {
    if (!ready || socket?.readyState !== WebSocket.OPEN) return;
    const asked = socket;
    heard = false;
    asked.send(JSON.stringify({ type: "ping" }));
    setTimeout(() => !heard && socket === asked && asked.close(), PATIENCE);
  }

  open();
  return { send, check };
}
