import type { Language } from '../../engines/espeak/detect-language.ts'
import type { TextRange } from './offset-map.ts'

const LOCALES: Partial<Record<Language, string>> = { Chinese: 'zh', Japanese: 'ja', Korean: 'ko' }
const segmenters = new Map<string, Intl.Segmenter>()

const WHOLE = /[^，；]+/gu
const ADDRESS =
  /(?:https?:\/\/|www\.)[!#-&*-;=?-~]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+[a-z]{2,}\/[!#-&*-;=?-~]*/giu
const ADDRESS_END = /[.,;:!?]+$/u
const INNER = /^[\p{Sc}%‰°#+×*=&~]*[:./,’'‑–−-]?[\p{Sc}%‰°#+×*=&~−-]*$/u
const NUMBER = /\p{N}/u
const NUMBER_FIRST = /^\p{N}/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const BEFORE_NUMBER = /[\p{Sc}#@§№±+−~-]+$/u
const BEFORE_LETTER = /[\p{Sc}#@]+$/u
const AFTER_NUMBER = /^[\p{Sc}%‰°℃℉+#′″]+/u
const AFTER_LETTER = /^[\p{Sc}+#]+(?=[\s.,;:!?)]|$)/u
const CURRENCIES = /^\p{Sc}+$/u
const MOST_SIGNS = 8
const SIGNS = /(?<=^|\s)[\p{Sc}%‰&+=±×÷§°№]+(?=[\s.,;:!?)]|$)/gu

/** Finds the words of a text in order; an address is one word, and so is a number with its sign or unit. Pure. */
export function findWords(text: string, language: Language | undefined): TextRange[] {
  const words = withSigns(text, joined(text, segments(text, language)))
  const all = [...words, ...loneSigns(text).filter((sign) => !words.some((word) => overlap(word, sign)))]
  return all.length === words.length ? words : all.sort((one, other) => one.start - other.start)
}

function segments(text: string, language: Language | undefined): TextRange[] {
  const locale = (language && LOCALES[language]) ?? 'en'
  const segmenter = segmenters.get(locale) ?? new Intl.Segmenter(locale, { granularity: 'word' })
  segmenters.set(locale, segmenter)
  const words: TextRange[] = []
  for (const { index, segment, isWordLike } of segmenter.segment(text))
    if (isWordLike === true)
      for (const { 0: word, index: at } of segment.matchAll(WHOLE))
        words.push({ start: index + at, end: index + at + word.length })
  return words
}

function joined(text: string, words: readonly TextRange[]): TextRange[] {
  const addresses = Array.from(text.matchAll(ADDRESS), ({ 0: address, index }) => ({
    start: index,
    end: index + address.replace(ADDRESS_END, '').length,
  }))
  let next = 0
  const found: TextRange[] = []
  for (const word of words) {
    while (next < addresses.length && addresses[next]!.end <= word.start) next++
    const address = addresses[next]
    const before = found.at(-1)
    const isIn = address !== undefined && word.start >= address.start
    if (isIn && before !== undefined && before.start >= address.start) continue
    if (isIn) found.push(address)
    else if (before !== undefined && isOne(text, before, word))
      found[found.length - 1] = { start: before.start, end: word.end }
    else found.push(word)
  }
  return found
}

function isOne(text: string, before: TextRange, word: TextRange): boolean {
  const between = text.slice(before.end, word.start)
  if (between === '' || !INNER.test(between)) return false
  const [last, first] = [text.slice(before.start, before.end), text.slice(word.start, word.end)]
  return !UNSPACED.test(last + first) && (NUMBER.test(last) || NUMBER_FIRST.test(first))
}

function withSigns(text: string, words: readonly TextRange[]): TextRange[] {
  let last = 0
  return words.map(({ start, end }) => {
    const [before, after] = [text.slice(last, start), text.slice(end, end + MOST_SIGNS)]
    const opening = (NUMBER_FIRST.test(text.slice(start)) ? BEFORE_NUMBER : BEFORE_LETTER).exec(before)
    const isOwn = opening !== null && (opening.index > 0 || last === 0 || CURRENCIES.test(opening[0]))
    const closing = (NUMBER.test(text[end - 1]!) ? AFTER_NUMBER : AFTER_LETTER).exec(after)
    last = end + (closing?.[0].length ?? 0)
    return { start: isOwn ? start - opening[0].length : start, end: last }
  })
}

const loneSigns = (text: string): TextRange[] =>
  Array.from(text.matchAll(SIGNS), ({ 0: sign, index }) => ({ start: index, end: index + sign.length }))

const overlap = (one: TextRange, other: TextRange): boolean => one.start < other.end && other.start < one.end
