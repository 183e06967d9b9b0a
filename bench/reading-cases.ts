import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LANGUAGE_CODES, type Language } from '../src/engines/espeak/detect-language.ts'

const OWN = fileURLToPath(new URL('../test/reading', import.meta.url))
const LANGUAGES = new Map(Object.entries(LANGUAGE_CODES).map(([language, code]) => [code, language as Language]))
const IS_UNSPACED: ReadonlySet<Language> = new Set<Language>(['Chinese', 'Japanese'])

/** A text, and the words in which a person reads it. */
export interface ReadingCase {
  readonly language: Language
  readonly kind: string
  readonly written: string
  readonly spoken: string
}

/**
 * @param directory of files such as `de.tsv`: a heading, then kind, written and spoken form between tabs. Null: the cases of the project's own tests.
 * @throws Error where no such file is there
 */
export function readingCases(directory: string | null): ReadingCase[] {
  const cases = directory === null ? ownCases() : casesIn(directory)
  if (cases.length === 0) throw new Error(`There are no cases in ${directory ?? OWN}.`)
  return cases
}

const casesIn = (directory: string): ReadingCase[] =>
  filesOf(directory, '.tsv').flatMap((file) => {
    const language = LANGUAGES.get(basename(file, '.tsv'))
    if (language === undefined) return []
    return linesOf(readFileSync(file, 'utf8'))
      .slice(1)
      .flatMap((line) => caseOf(language, line.split('\t')))
  })

/** The tables that the tests of a language hand to `describeReadings`. */
const ownCases = (): ReadingCase[] =>
  filesOf(OWN, '.test.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const language = /^describeReadings\('(\w+)'/m.exec(source)?.[1] as Language | undefined
    if (language === undefined) return []
    return [...source.matchAll(/^ {2}(\w+): `\n([^`]*)`/gm)].flatMap(([, kind = '', table = '']) =>
      linesOf(table).flatMap((line) => caseOf(language, [kind, ...line.split(' | ')])),
    )
  })

function caseOf(language: Language, [kind, written, spoken]: readonly string[]): ReadingCase[] {
  if (kind === undefined || written === undefined || spoken === undefined) return []
  return [{ language, kind, written: written.trim(), spoken: spoken.trim() }]
}

/**
 * Small letters, without punctuation, hyphens and "and"; East Asian ones without spaces as well. The Russian letter ё counts as е: Russians write
 * one word with either, and the cases with е only.
 */
export const comparable = (text: string, language: Language): string =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/\p{Pd}/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'and')
    .join(IS_UNSPACED.has(language) ? '' : ' ')

const filesOf = (directory: string, end: string): string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith(end))
    .sort()
    .map((file) => join(directory, file))

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
