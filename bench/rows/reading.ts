import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { LANGUAGES, type Language } from '../../src/engines/espeak/detect-language.ts'
import type { Environment } from '../environment.ts'
import { comparablePhonemes, openPhonemes, type Phonemes } from '../floors/phonemes.ts'
import { GOALS } from '../goals.ts'
import { atMost, figure, type Measure, median, type Row } from '../measure.ts'
import { environmentOf, ROOT } from '../process.ts'
import { comparable, type ReadingCase, readingCases } from '../reading-cases.ts'
import { SENTENCES } from '../sentences.ts'

type ReadText = (text: string, language: Language) => string

const { englishPercent, otherPercent, textMs, firstMs } = GOALS.reading
const CHARACTERS = 10_000
const DENSE = 'On 5/11/2021 at 3:30 it cost $1,250.50 (10-12 km, 3.5 kg, 1/2), 42 of 1998, 555-123-4567; 21 % v2.1.3 '
const QUICK_CASES_PER_KIND = 2
const WARM_UP = 30
const run = promisify(execFile)

/** Cases read right, and the time that this takes. The floor is the embedded engine without it: right if written and spoken form have the same phonemes. */
export const reading: Row = {
  name: 'reading',
  what: 'texts read as a person reads them',
  reach: `>= ${englishPercent} % of English, ${otherPercent} % of others, 10,000 characters <= ${textMs} ms`,
  run: async (environment) => {
    const cases = readingCases(environment.cases)
    const { read } = await import('../../src/reading/read.ts')
    const readText: ReadText = (text, language) => read(text, language).spoken
    const phonemes = await openPhonemes()
    const byLanguage = Map.groupBy(cases, ({ language }) => language)
    const right = [...byLanguage].flatMap(([language, own]) =>
      rightOf(language, own, readText, phonemes, environment.quick),
    )
    const times: Measure[] = []
    for (const language of LANGUAGES.filter((one) => byLanguage.has(one)))
      times.push(...timesOf(language, readText, phonemes, environment), ...(await firstOf(language, environment)))
    const source = environment.cases === null ? 'the cases of test/reading' : `cases of ${basename(environment.cases)}`
    return { name: 'reading', measures: [...right, ...times], notes: [source] }
  },
}

interface Share {
  readonly cases: number
  readonly ours: number
  /** Counts the cases that the engine was asked for. */
  readonly engine: number
}

/** A line for each kind, and one for all of them. */
function rightOf(
  language: Language,
  cases: readonly ReadingCase[],
  read: ReadText,
  phonemes: Phonemes,
  isQuick: boolean,
): Measure[] {
  const spoken = (text: string) => comparablePhonemes(phonemes(text, language))
  const shareOf = (own: readonly ReadingCase[]): Share => {
    const asked = isQuick ? own.slice(0, QUICK_CASES_PER_KIND) : own
    const isRight = (one: ReadingCase) =>
      comparable(read(one.written, language), language) === comparable(one.spoken, language)
    return {
      cases: own.length,
      ours: own.filter(isRight).length,
      engine: asked.filter((one) => spoken(one.written) === spoken(one.spoken)).length / asked.length,
    }
  }
  const kinds = [...Map.groupBy(cases, ({ kind }) => kind)].map(([kind, own]) => ({ kind, ...shareOf(own) }))
  const sum = (part: (share: Share) => number) => kinds.reduce((total, share) => total + part(share), 0)
  const ours = (100 * sum((share) => share.ours)) / cases.length
  const engine = (100 * sum((share) => share.engine * share.cases)) / cases.length
  const limit = language === 'English' ? englishPercent : otherPercent
  const all = percent(`${language}, all ${cases.length} cases`, ours, engine)
  return [
    { ...all, reach: `>= ${limit} %`, reached: ours >= limit },
    ...kinds.map((share) =>
      percent(`${language} ${share.kind}, ${share.cases} cases`, (100 * share.ours) / share.cases, 100 * share.engine),
    ),
  ]
}

const percent = (what: string, value: number, floor: number): Measure => ({
  ...figure(what, '%', value, floor),
  ratio: floor === 0 ? null : value / floor,
})

/** Prose and digits, warm, in processor time. The engine speaks a part of the prose, which it takes as long for as for each other part. */
function timesOf(language: Language, read: ReadText, phonemes: Phonemes, { quick }: Environment): Measure[] {
  const rounds = quick ? 10 : 40
  const prose = proseOf(language)
  const engineTexts = quick ? 20 : 4
  const engine = processorMs(() => phonemes(prose.slice(0, CHARACTERS / engineTexts), language)) * engineTexts
  return [
    ['prose', prose] as const,
    ['digits', DENSE.repeat(Math.ceil(CHARACTERS / DENSE.length)).slice(0, CHARACTERS)] as const,
  ].map(([what, text]) => {
    for (let n = 0; n < WARM_UP; n++) read(text, language)
    const took = median(Array.from({ length: rounds }, () => processorMs(() => read(text, language))))
    return atMost(`${language}, 10,000 characters of ${what}`, 'ms', took, textMs, engine)
  })
}

function proseOf(language: Language): string {
  const text = SENTENCES.filter((sentence) => sentence.language === language)
    .map((sentence) => sentence.text)
    .join(' ')
  return `${text} `.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS)
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** A process for each round, because a first use is one of a process. */
async function firstOf(language: Language, { quick }: Environment): Promise<Measure[]> {
  const text = SENTENCES.findLast((sentence) => sentence.language === language)?.text ?? ''
  const readings: number[] = []
  const engines: number[] = []
  for (let round = 0; round < (quick ? 3 : 7); round++) {
    const args = ['bench/floors/first-reading.ts', language, text]
    const { stdout } = await run(process.execPath, args, { cwd: ROOT, env: environmentOf({}) })
    const { reading, engine } = JSON.parse(stdout) as { reading: number; engine: number }
    readings.push(reading)
    engines.push(engine)
  }
  return [atMost(`${language}, first use`, 'ms', median(readings), firstMs, median(engines))]
}
