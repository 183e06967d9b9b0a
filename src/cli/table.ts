import type { Connection, PageInput } from '../db/page.ts'
import { printable } from '../values/printable.ts'

const PAGE_SIZE = 100

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => string | number | bigint | null
}

export function toTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return 'none'
  const cells = columns.map((column) => rows.map((row) => column.cell(row)))
  const aligned = columns.map(({ head }, at) => align(head, cells[at] ?? []))
  const lines = [head(aligned), ...rows.map((_row, at) => aligned.map((column) => column[at + 1] ?? '').join('  '))]
  return lines.map((line) => line.trimEnd()).join('\n')
}

const head = (aligned: readonly string[][]): string => aligned.map(([first = '']) => first).join('  ')

function align(head: string, cells: readonly (string | number | bigint | null)[]): string[] {
  const texts = [head.toUpperCase(), ...cells.map((cell) => printable(String(cell ?? '-')))]
  const width = Math.max(...texts.map((text) => text.length))
  const isNumeric = cells.length > 0 && cells.every((cell) => cell === null || typeof cell !== 'string')
  return texts.map((text) => (isNumeric ? text.padStart(width) : text.padEnd(width)))
}

export async function everyPage<Node>(
  read: (page: PageInput) => Connection<Node> | Promise<Connection<Node>>,
): Promise<Node[]> {
  const nodes: Node[] = []
  let after: string | null = null
  do {
    const { edges, pageInfo }: Connection<Node> = await read({ first: PAGE_SIZE, after })
    nodes.push(...edges.map(({ node }) => node))
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null)
  return nodes
}
