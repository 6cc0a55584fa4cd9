// One tab stop a message: Tab goes from message to message, ← and → among the buttons and links of one.

const INSIDE = "a[href], button:not(:disabled)";
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** Makes a row one stop, which is where one was last. */
export function oneStop(row) {
  const inside = () => [...row.querySelectorAll(INSIDE)];
  const only = (stop) => inside().forEach((node) => { node.tabIndex = node === stop ? 0 : -1; });
  only(inside()[0]);
  row.addEventListener("focusin", (event) => only(event.target.closest(INSIDE)));
  row.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const all = inside();
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
  });
  return row;
}
