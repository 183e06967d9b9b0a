import { type SpokenPart, spokenText } from './spoken-part.ts'

/** So often in a row eSpeak says a letter by its name: without a pause between them it leaves out all that follow. */
const MOST = 3
const BETWEEN = /[\s.'_-]+/g
const RUN = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])([\\p{L}\\p{S}&%*#@])(?:${BETWEEN.source}\\1(?![\\p{L}\\p{M}\\p{N}])){${MOST},}`,
  'giu',
)

/** The same with a comma behind every third of one and the same letter, in place of what stands there: all of them are said then. Pure. */
export function withLettersApart(parts: readonly SpokenPart[]): readonly SpokenPart[] {
  const commas = commasIn(spokenText(parts))
  if (commas.size === 0) return parts
  let at = 0
  return parts.map((part) => {
    let spoken = ''
    for (let unit = 0; unit < part.spoken.length; unit++, at++) spoken += commas.get(at) ?? part.spoken[unit]
    return { ...part, spoken }
  })
}

/** What stands at which UTF-16 unit instead. */
function commasIn(text: string): ReadonlyMap<number, string> {
  const commas = new Map<number, string>()
  for (const { 0: run, index: start } of text.matchAll(RUN)) {
    for (const [count, { 0: between, index }] of [...run.matchAll(BETWEEN)].entries()) {
      if ((count + 1) % MOST !== 0) continue
      for (let unit = 0; unit < between.length; unit++) commas.set(start + index + unit, unit === 0 ? ',' : ' ')
    }
  }
  return commas
}
