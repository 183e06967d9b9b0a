/** Every row of a CSV file, read as strictly as RFC 4180 is written: CR LF ends every row, quotes stand only around cells or doubled in them. */
export function readCsv(file: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < file.length) {
    const cell = file[at] === '"' ? quotedCell(file, at) : plainCell(file, at)
    row.push(cell.text)
    at = cell.end
    if (file.startsWith('\r\n', at)) {
      rows.push(row)
      row = []
      at += 2
    } else if (file[at] === ',') at++
    else throw new Error(`a cell ends wrongly at ${at}: ${JSON.stringify(file.slice(at, at + 20))}`)
  }
  if (row.length > 0) throw new Error('the last row has no end')
  return rows
}

function quotedCell(file: string, start: number): { text: string; end: number } {
  for (let at = file.indexOf('"', start + 1); at >= 0; at = file.indexOf('"', at + 2)) {
    if (file[at + 1] !== '"') return { text: file.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
  }
  throw new Error('a quoted cell has no end')
}

function plainCell(file: string, start: number): { text: string; end: number } {
  const end = /[",\r\n]|$/g
  end.lastIndex = start
  const at = end.exec(file)?.index ?? file.length
  return { text: file.slice(start, at), end: at }
}
