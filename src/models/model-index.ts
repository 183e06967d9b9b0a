import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { LANGUAGES } from '../engines/espeak/detect-language.ts'
import { SHERPA_FAMILIES } from '../engines/sherpa/sherpa-families.ts'

const INDEX = new URL('models.yaml', import.meta.url)
const ARCHIVE = /\.tar\.bz2$/

const voice = z.strictObject({
  slug: z.string(),
  name: z.string(),
  description: z.string().default(''),
  language: z.enum(LANGUAGES).optional(),
  speaker: z.int().min(0).optional(),
  recording: z.string().optional(),
  recording_text: z.string().optional(),
})

const file = z.strictObject({
  path: z.string().regex(/^(tts|vocoder)-models\/[\w.-]+$/),
  size_bytes: z.int().min(1),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

const model = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  description: z.string(),
  family: z.enum(SHERPA_FAMILIES),
  quality: z.string(),
  /** As its authors give it; absent: they do not. */
  speed: z.string().optional(),
  licence: z.strictObject({ name: z.string(), url: z.url(), restriction: z.string().optional() }),
  languages: z.array(z.enum(LANGUAGES)),
  /** The archive, then files that belong beside its own. */
  files: z.tuple([file], file),
  /** Empty: the operator gives the model a recording to speak like. */
  voices: z.array(voice),
})

export type KnownModel = z.output<typeof model>
export type KnownFile = z.output<typeof file>
export type KnownVoice = z.output<typeof voice>

export const readModelIndex = (): readonly KnownModel[] => z.array(model).parse(parse(readFileSync(INDEX, 'utf8')))

/** The name of its directory: the archive's own, so that a model that somebody unpacked by hand is known, too. */
export const directoryOf = ({ files: [archive] }: Pick<KnownModel, 'files'>): string => directoryNamed(archive.path)

/** By its name, or its directory's. */
export const isNamed =
  (name: string) =>
  (model: KnownModel): boolean =>
    model.name === name || directoryOf(model) === name

export const directoryNamed = (archive: string): string => basename(archive).replace(ARCHIVE, '')

export const isArchiveName = (name: string): boolean => ARCHIVE.test(name) && /^[\w-][\w.+-]*$/.test(name)

export const sizeOf = ({ files }: Pick<KnownModel, 'files'>): number =>
  files.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0)

/** Returns the name that takes the fewest changes to become `given`. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, changes: changesBetween(given.toLowerCase(), name) }))
  return ranked.sort((one, other) => one.changes - other.changes)[0]?.name
}

/** Levenshtein's distance; letters that only `to` has at its end cost less, because names are often begun. */
function changesBetween(from: string, to: string): number {
  if (to.includes(from)) return (to.length - from.length) / (to.length + 1)
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [other, wanted] of [...to].entries())
      next.push(Math.min(next[other]! + 1, row[other + 1]! + 1, row[other]! + (letter === wanted ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
