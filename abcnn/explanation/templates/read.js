// Says which words a cell of a matrix stands for: under the pointer, or moved to by arrow keys.
// Each name is isolated, so that one written from right to left does not turn the others round.
const name = (cell) => `\u2068${cell ? cell.title || cell.textContent : ""}\u2069`;
function read(cell) {
  const table = cell.closest("table");
  const row = cell.parentElement, head = table.tHead.rows[0];
  table.querySelectorAll(".at").forEach((one) => one.classList.remove("at"));
  const left = row.cells[0], top = head.cells[cell.cellIndex];
  [cell, left, top].forEach((one) => one && one.classList.add("at"));
  cell.closest(".pair").querySelector(".read").textContent =
    `${name(left)} × ${name(top)}: ${cell.textContent}`;
  return cell;
}
const isValue = (cell) => cell && cell.tagName === "TD" && cell.textContent !== "";
document.querySelectorAll(".heat").forEach((table) => {
  table.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("td");
    if (isValue(cell)) read(cell);
  });
  table.addEventListener("keydown", (event) => {
    const backwards = table.dir === "rtl" ? -1 : 1;
    const step = {
      ArrowLeft: [0, -backwards], ArrowRight: [0, backwards], ArrowUp: [-1, 0], ArrowDown: [1, 0],
    }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = table.querySelector("td.at");
    let row = now ? now.parentElement.rowIndex : 1, column = now ? now.cellIndex : 1;
    if (now) {
      do {
        row += step[0]; column += step[1];
      } while (table.rows[row] && table.rows[row].cells[column] && !isValue(table.rows[row].cells[column]));
    }
    const next = table.rows[row] && table.rows[row].cells[column];
    if (isValue(next)) read(next).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
});
