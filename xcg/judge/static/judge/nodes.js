/* Make elements of the page. */

/** Make an element with properties or attributes, and children. */
export function node(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Return the top and the bottom of the part of the window in which text can be read. */
export function readableArea() {
  const panel = document.getElementById("panel");
  const isBar = getComputedStyle(panel).position === "fixed";
  return {
    top: document.getElementById("topic-bar").getBoundingClientRect().bottom,
    bottom: isBar ? panel.getBoundingClientRect().top : window.innerHeight,
  };
}

/** Make a button. */
export function makeButton(onclick, properties, ...children) {
  return node("button", { type: "button", onclick, ...properties }, ...children);
}
