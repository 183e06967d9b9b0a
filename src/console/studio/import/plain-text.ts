import { type Block, isHeadingLine } from './blocks.ts'

/** Lines of a text that was broken by hand are longer than this on average; shorter ones are verses. */
const WRAPPED_LINE = 45

/** Paragraphs are parted by blank lines, or else each line is one. Single lines that end like no sentence are headings. */
export function plainBlocks(text: string): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const groups: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() !== '') groups.at(-1)?.push(line.trim())
    else if (groups.at(-1)?.length !== 0) groups.push([])
  }
  const filled = groups.filter((group) => group.length > 0)
  // Without blank lines between them, lines are paragraphs, unless each is as long as the next.
  const own = filled.length === 1 && !isWrapped(filled[0] ?? []) ? (filled[0] ?? []).map((line) => [line]) : filled
  return own.map((group, index) => {
    const block = group.join(isWrapped(group) ? ' ' : '\n')
    return index < own.length - 1 && own.length === filled.length && isHeadingLine(block)
      ? { text: block, level: 1 }
      : { text: block }
  })
}

function isWrapped(lines: readonly string[]): boolean {
  const full = lines.slice(0, -1)
  if (full.length === 0) return false
  const length = full.reduce((sum, line) => sum + line.length, 0) / full.length
  return length >= WRAPPED_LINE && Math.max(...full.map((line) => line.length)) <= 2 * length
}
