/* Lay out tables whose cells have several columns or rows, which style sheets cannot do for divs. */

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

export function layOutTables(article) {
  const cells = [...article.querySelectorAll("[aria-colspan], [aria-rowspan]")];
  new Set(cells.map((cell) => cell.closest(".table"))).forEach((table) => table && layOut(table));
}
