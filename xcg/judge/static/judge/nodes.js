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

/** Make a button. */
export function makeButton(onclick, properties, ...children) {
  return node("button", { type: "button", onclick, ...properties }, ...children);
}
