import type { CompanionSettings } from '../context/config.ts'
import { EngineError } from '../engines/engine.ts'
import { type ContentPart, type Limit, openCompanionServer, v1Url } from './chat-completions.ts'

const MAX_CATEGORIES = 20
const CATEGORY_FORM = /^[A-Za-z0-9][A-Za-z0-9 _/-]{0,60}$/
const PASS: Verdict = { isProhibited: false }

const BUILT_IN_TERMS: readonly string[] = [
  'child porn',
  'child pornography',
  'child sexual abuse',
  'csam',
  'sex with a child',
  'sex with a minor',
  'rape a child',
  'kill yourself',
  'how to make a bomb',
  'how to build a bomb',
  'how to make a pipe bomb',
  'how to make nerve gas',
  'how to make sarin',
  'how to kill myself',
  'how to commit suicide',
  'ethnic cleansing is good',
]

/** Scripts without spaces; a term matches anywhere in them. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const NOT_INSIDE_A_WORD = { before: '(?<![\\p{L}\\p{N}\\p{M}])', after: '(?![\\p{L}\\p{N}\\p{M}])' }

export type Judged = string | readonly ContentPart[]

type Verdict = { readonly isProhibited: false } | { readonly isProhibited: true; readonly reason: string }

export interface Moderator {
  /** @throws EngineError; or the signal's reason when aborted */
  moderate(judged: Judged, limit: Limit): Promise<Verdict>
}

export async function openModerator(settings: CompanionSettings): Promise<Moderator> {
  return settings.moderationBaseUrl === null
    ? blockedTermsModerator(settings.blockedTerms)
    : moderationServer(v1Url(settings.moderationBaseUrl, 'moderations'), settings)
}

function blockedTermsModerator(terms: readonly string[] | null): Moderator {
  const holdsBlockedTerm = compileBlockedTerms(terms)
  return {
    // The list is the operator's, so the term stays secret.
    moderate: async (judged) =>
      holdsBlockedTerm(textOf(judged)) ? { isProhibited: true, reason: 'holds a blocked term' } : PASS,
  }
}

async function moderationServer(url: string, settings: CompanionSettings): Promise<Moderator> {
  const { moderationApiKey: apiKey, moderationModel: model } = settings
  const server = await openCompanionServer({ url, apiKey })
  return {
    moderate: async (judged, limit) =>
      verdictOf(
        await server.ask(
          { input: typeof judged === 'string' ? judged.normalize('NFC') : judged, ...(model !== null && { model }) },
          limit,
        ),
      ),
  }
}

interface Result {
  readonly flagged?: unknown
  readonly categories?: Readonly<Record<string, unknown>> | null
}

function verdictOf(answer: unknown): Verdict {
  const { results } = (answer ?? {}) as { results?: unknown }
  const judged: Result[] = Array.isArray(results) ? results.map((result: Result | null) => result ?? {}) : []
  if (judged.length === 0 || judged.some(({ flagged }) => typeof flagged !== 'boolean')) {
    throw new EngineError('PROVIDER_UNAVAILABLE', 'the moderation holds no verdict')
  }
  const flagged = judged.filter((result) => result.flagged)
  if (flagged.length === 0) return PASS
  const categories = new Set(flagged.flatMap((result) => Object.keys(result.categories ?? {}).filter(isHit(result))))
  const named = [...categories].filter((name) => CATEGORY_FORM.test(name)).slice(0, MAX_CATEGORIES)
  return { isProhibited: true, reason: named.length === 0 ? 'was flagged' : `was flagged for ${named.join(', ')}` }
}

const isHit =
  ({ categories }: Result) =>
  (name: string): boolean =>
    categories?.[name] === true

const textOf = (judged: Judged): string =>
  typeof judged === 'string'
    ? judged
    : judged.map((part) => (part.type === 'text' ? part.text : part.image_url.url)).join('\n')

/** Compares terms (null: the built-in list) in NFKC and lower case, as whole words. */
export function compileBlockedTerms(terms: readonly string[] | null): (text: string) => boolean {
  const patterns = (terms ?? BUILT_IN_TERMS)
    .map(toOneForm)
    .filter((term) => term !== '')
    .map(toPattern)
  if (patterns.length === 0) return () => false
  const any = new RegExp(patterns.join('|'), 'u')
  return (text) => any.test(toOneForm(text))
}

/** Some letters have their plain form only after the first pass. */
const toOneForm = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\s\p{Z}\p{Cc}]+/gu, ' ')
    .trim()

function toPattern(term: string): string {
  const characters = [...term]
  const before = isWordCharacter(characters[0]) ? NOT_INSIDE_A_WORD.before : ''
  const after = isWordCharacter(characters.at(-1)) ? NOT_INSIDE_A_WORD.after : ''
  return before + term.replace(/[.*+?^${}()|[\]\\/-]/g, (sign) => (sign === '-' ? '\\x2d' : `\\${sign}`)) + after
}

const isWordCharacter = (character = ''): boolean => /[\p{L}\p{N}\p{M}]/u.test(character) && !UNSPACED.test(character)
