import { readFileSync } from 'node:fs'

/** The files of `symbol-names/`, as the columns of `more.txt` are ordered. */
const LANGUAGES = 'chinese english french german italian japanese korean portuguese russian spanish'.split(' ')

/** The names of symbols in a language, such as `english`. They are read when the first symbol needs one. */
export function namesIn(language: string): (symbol: string) => string | undefined {
  let names: ReadonlyMap<string, string> | null = null
  return (symbol) => {
    names ??= load(language)
    return names.get(symbol)
  }
}

function load(language: string): ReadonlyMap<string, string> {
  const names = new Map(linesOf(language).map((line) => [line.slice(0, 1), line.slice(2)]))
  const more = linesOf('more').map((line) => line.split(' | '))
  const column = LANGUAGES.indexOf(language)
  for (const [signs = '', ...all] of more)
    if (all.length > 0) for (const sign of signs) names.set(sign, all[column] as string)
  for (const [line = '', ...all] of more) {
    const name = names.get(line.slice(0, 1))
    if (all.length === 0 && name !== undefined)
      for (const sign of line.slice(2)) names.set(sign, names.get(sign) ?? name)
  }
  return names
}

const linesOf = (file: string): string[] =>
  readFileSync(new URL(`symbol-names/${file}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
