// The page's words. A locale is a flat JSON file; `{name}` is replaced, and `one form|many forms` is chosen by `n`.

import { h } from "./dom.js";
import { kept } from "./storage.js";

export const LANGUAGES = { en: "English", pt: "Português", es: "Español", da: "Dansk" };

let words = {};
/** What a page that is one file brings with it: a game, its pictures, and the words of every language. */
export const inside = JSON.parse(document.getElementById("inside")?.textContent ?? "{}");
export let language = "en";

/** The language the reader asked for earlier, or the first of the browser's that we have. */
export function preferred() {
  const wanted = [kept.get("language"), ...navigator.languages];
  return wanted.map((tag) => tag?.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? "en";
}

/** Load a language and make it the page's. */
export async function speak(tag) {
  words = inside.words?.[tag] ?? (await (await fetch(new URL(`${tag}.json`, import.meta.url))).json());
  language = tag;
  document.documentElement.lang = tag;
}

/** Is there a text for `key`? */
export const knows = (key) => key in words;

/** The text for `key` as a string; names are isolated from the text around them. */
export function t(key, values = {}) {
  return pieces(key, values)
    .map((piece) =>
      piece.name && typeof piece.value === "string" ? `\u2068${piece.value}\u2069` : (piece.value ?? piece),
    )
    .join("");
}

/** The text for `key` as children for h(): values may be nodes. What touches a node, as in “Ana’s”, stays on its line. */
export function tn(key, values = {}) {
  const children = pieces(key, values).flatMap((piece) => piece.value ?? piece);
  return children.map((child, index) => {
    const [last, next] = [children[index - 1], children[index + 1]];
    if (typeof child !== "object") return typeof last === "object" ? String(child).replace(/^\S+/, "") : child;
    const tail = typeof next === "object" ? "" : String(next ?? "").match(/^\S*/)[0];
    return tail ? h("span", { class: "together" }, [child, tail]) : child;
  });
}

function pieces(key, values) {
  const text = words[key];
  if (text === undefined) {
    console.error(`no text for ${key} in ${language}`);
    return [key];
  }
  const forms = text.split("|");
  const form = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  return form
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? { name: part.slice(1, -1), value: values[part.slice(1, -1)] ?? "" } : part,
    );
}

/** "Ana, Ben and Eva" with every item as given (strings or nodes). */
export function list(items) {
  const marks = items.map((_, index) => `\u0000${index}`);
  return new Intl.ListFormat(language, { type: "conjunction" })
    .formatToParts(marks)
    .map((part) => (part.type === "element" ? items[Number(part.value.slice(1))] : part.value));
}
