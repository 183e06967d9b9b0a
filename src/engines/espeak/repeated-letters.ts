import { type SpokenPart, spokenText } from './spoken-part.ts'

/** eSpeak drops further repetitions without a pause. */
const MOST = 3
const BETWEEN = /[\s.'_-]+/g
const RUN = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])([\\p{L}\\p{S}&%*#@])(?:${BETWEEN.source}\\1(?![\\p{L}\\p{M}\\p{N}])){${MOST},}`,
  'giu',
)

/** Puts a comma after every third repetition of a letter, so that eSpeak says all of them. Pure. */
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
