/* The toolbar next to the selected text or the active highlight. */

const GAP = 10;
const BELOW = 26; // leaves room for the handles

/** Show the toolbar above the selection, or below it if there is no room. */
export function placeToolbar({ toolbar, frame, bar, positions, selection }) {
  const { span } = selection;
  const shown = span ?? selection.placedActive;
  toolbar.hidden = !shown || selection.usesKeyboard || Boolean(selection.dragged);
  if (toolbar.hidden) return;
  toolbar.querySelector("#toolbar-split").hidden = Boolean(span);
  toolbar.querySelector("#toolbar-erase").textContent = span ? "Remove" : "Delete";
  const first = positions.rectangle(shown.start);
  const last = positions.rectangle(shown.end, { after: true });
  if (!first || !last) return;
  const { offsetHeight: height, offsetWidth: width } = toolbar;
  const area = frame.getBoundingClientRect();
  const above = first.top - height - GAP;
  const isAbove = above > bar.getBoundingClientRect().bottom;
  const below = Math.min(last.bottom + BELOW, window.innerHeight - height - GAP);
  const top = isAbove ? above : below;
  const wanted = (isAbove ? first.left : last.left) - area.left - width / 3;
  const left = Math.min(Math.max(wanted, 0), Math.max(area.width - width, 0));
  Object.assign(toolbar.style, { top: `${top - area.top}px`, left: `${left}px` });
}
