/** Deeper quotations and lists are text, because a parser's time grows with their depth. */
const MAX_DEPTH = 16
/** More marks between two blank lines are text, because a parser looks for the partner of each. */
const MAX_MARKS = 3000
/** Stands for a mark that is text. */
const LETTER = 'x'
const DEEP = new RegExp(String.raw`^((?:[ \t]{0,8}(?:>|[-+*]|\d{1,9}[.)])){${MAX_DEPTH}})(.*)`)
const CONTAINERS = /[>+*\d.)-]/g
const MARKS = /[*_[\]!<>`~\\&@|()"'.:#]/g
const FRESH = /^ {0,3}[-+*][ \t]/
const FRONT_MATTER = /^---[ \t]*\r?\n(?=\s*[\w-]+[ \t]*:|---)/
const END_OF_FRONT_MATTER = /^(?:---|\.\.\.)[ \t]*\r?(?:\n|$)/my

/** Returns where the text begins behind front matter, which is YAML between two lines of dashes. */
export function endOfFrontMatter(text: string): number {
  const [begin] = FRONT_MATTER.exec(text) ?? []
  if (begin === undefined) return 0
  for (let line = begin.length; line > 0 && line < text.length; line = text.indexOf('\n', line) + 1) {
    END_OF_FRONT_MATTER.lastIndex = line
    const [end] = END_OF_FRONT_MATTER.exec(text) ?? []
    if (end !== undefined) return line + end.length
  }
  return 0
}

/**
 * Returns a text of the same length for a parser of Markdown, in which the front matter is blank and marks beyond all use are letters:
 * each parser takes a time that grows with the square of some marks. Linear.
 */
export function bounded(text: string, begin: number): string {
  const blank = text.slice(0, begin).replaceAll(/[^\r\n]/g, ' ')
  let marks = 0
  const lines = text.slice(begin).match(/[^\n]*\n|[^\n]+$/g) ?? []
  const kept = lines.map((line) => {
    if (FRESH.test(line) || line.trim() === '') marks = 0
    const shallow = line.replace(DEEP, (_all, outer: string, rest: string) => outer + withoutContainers(rest))
    return shallow.replaceAll(MARKS, (mark) => (++marks > MAX_MARKS ? LETTER : mark))
  })
  return blank + kept.join('')
}

const withoutContainers = (rest: string): string => {
  const [inner = ''] = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)]))*/.exec(rest) ?? []
  return inner.replaceAll(CONTAINERS, LETTER) + rest.slice(inner.length)
}
