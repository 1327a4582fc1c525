// Motion that styles alone can't make: what lies elsewhere after a change glides there from where it lay.

const GLIDE = { duration: 420, easing: "cubic-bezier(.3, 0, .2, 1)" };

/** Does the reader want everything to stand still? */
export const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Make a change, and let the elements glide from their old places and sizes to the new ones. */
export function gliding(elements, change) {
  const before = elements.map((element) => element.getBoundingClientRect());
  change();
  if (still.matches) return;
  elements.forEach((element, index) => {
    const [from, to] = [before[index], element.getBoundingClientRect()];
    if (from.width === 0 || to.width === 0) return;
    const transform = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`;
    element.animate([{ transform, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], GLIDE);
  });
}
