// Views are pure functions that return a tree made by h(); patch() makes the page look like that tree and keeps the
// nodes that are there, so focus, half-written text and running animations survive every update.

const SVG = "http://www.w3.org/2000/svg";

/**
 * A node of the tree. `props` are attributes, except: `key` (identity among siblings), `style` (an object of CSS
 * properties), `on…` (event handlers), `value`/`checked`/`disabled` (properties; of a progress bar, whose property says
 * 0 while it has no value, the attribute), `mounted` and `removed` (called with the element). Text is always text:
 * nothing here parses HTML.
 */
export function h(tag, props = {}, ...children) {
  return { tag, props: props ?? {}, children: flatten(children) };
}

/** Text that other people wrote (names, clues): isolated, so that right-to-left text can't turn its neighbours round. */
export const theirs = (text) => h("bdi", {}, text);

/** Text for screen readers only. */
export const spoken = (...children) => h("span", { class: "spoken" }, ...children);

function flatten(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** Make the children of `parent` look like `nodes`. */
export function patch(parent, nodes) {
  const named = new Map();
  for (const child of parent.childNodes) if (child.$key !== undefined) named.set(child.$key, child);
  let cursor = parent.firstChild;
  for (const node of flatten([nodes])) {
    const found = match(node, named, cursor) ?? create(node, parent);
    if (found === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(found, cursor);
    update(found, node);
  }
  while (cursor) {
    const next = cursor.nextSibling;
    remove(cursor);
    cursor = next;
  }
}

function match(node, named, cursor) {
  if (typeof node !== "object") return cursor?.nodeType === Node.TEXT_NODE ? cursor : null;
  const candidate = node.props.key === undefined ? cursor : named.get(node.props.key);
  const same = candidate && candidate.$tag === node.tag && candidate.$key === node.props.key;
  return same ? candidate : null;
}

function create(node, parent) {
  if (typeof node !== "object") return document.createTextNode(String(node));
  const svg = node.tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
  const element = svg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  element.$tag = node.tag;
  element.$key = node.props.key;
  element.$props = {};
  if (node.props.mounted) queueMicrotask(() => element.isConnected && node.props.mounted(element));
  return element;
}

function update(element, node) {
  if (typeof node !== "object") {
    if (element.data !== String(node)) element.data = String(node);
    return;
  }
  patch(element, node.children); // first, because a select takes its value only when its options are there
  const before = element.$props;
  for (const name in before) if (!(name in node.props)) assign(element, name, null, before[name]);
  for (const name in node.props) assign(element, name, node.props[name], before[name]);
  element.$props = node.props;
}

function assign(element, name, value, before) {
  if (name === "key" || name === "mounted" || name === "removed") return;
  if (name.startsWith("on"))
    element[name] = value && ((event) => void value(event)); // a returned false would cancel
  else if (name === "style") restyle(element, value ?? {}, before ?? {});
  else if ((name === "value" && element.localName !== "progress") || name === "checked") {
    if (element[name] !== value) element[name] = value ?? "";
  } else if (value === before) return;
  else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

function restyle(element, style, before) {
  for (const name in before) if (!(name in style)) element.style.removeProperty(name);
  for (const name in style) if (style[name] !== before[name]) element.style.setProperty(name, style[name]);
}

function remove(element) {
  element.$props?.removed?.(element);
  element.remove();
}
