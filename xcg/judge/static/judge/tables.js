/* Lay out tables whose cells have several columns or rows, and let keys scroll what is too wide. */

const spanOf = (cell, name) => Number(cell.getAttribute(name) ?? 1);

/** Put the cells of a table into a grid; the first row of the grid is for its caption. */
function layOut(table) {
  table.classList.add("grid");
  const isOwn = (element) => element.parentElement.closest(".table") === table;
  const taken = new Set(); // "row column"
  let columns = 1;
  [...table.querySelectorAll(".row")].filter(isOwn).forEach((row, index) => {
    let column = 0;
    for (const cell of row.querySelectorAll(":scope > :is(.cell, .heading-cell)")) {
      while (taken.has(`${index} ${column}`)) column += 1;
      const [width, height] = [spanOf(cell, "aria-colspan"), spanOf(cell, "aria-rowspan")];
      for (let down = 0; down < height; down += 1) {
        for (let right = 0; right < width; right += 1) taken.add(`${index + down} ${column + right}`);
      }
      cell.style.gridArea = `${index + 2} / ${column + 1} / span ${height} / span ${width}`;
      column += width;
      columns = Math.max(columns, column);
    }
  });
  table.style.gridTemplateColumns = `repeat(${columns}, auto)`;
}

/** Let the tabulator key reach the parts that scroll. */
export function letKeysScroll(article) {
  for (const part of article.querySelectorAll(".table, .block, .figure, .formula")) {
    const isWide = part.scrollWidth > part.clientWidth;
    if (isWide && getComputedStyle(part).overflowX === "auto") part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}

export function layOutTables(article) {
  const cells = [...article.querySelectorAll("[aria-colspan], [aria-rowspan]")];
  new Set(cells.map((cell) => cell.closest(".table"))).forEach((table) => table && layOut(table));
}
