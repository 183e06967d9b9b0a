import type { CompanionSettings } from '../context/companion-settings.ts'
import { EngineError } from '../engines/engine.ts'
import { compileBlockedTerms } from './blocked-terms.ts'
import type { ContentPart } from './chat-completions.ts'
import { type Limit, openCompanionServer, v1Url } from './companion-server.ts'

const MAX_CATEGORIES = 20
const CATEGORY_FORM = /^[A-Za-z0-9][A-Za-z0-9 _/-]{0,60}$/

export type Judged = string | readonly ContentPart[]

type Verdict = { readonly isProhibited: false } | { readonly isProhibited: true; readonly reason: string }

export interface Moderator {
  /** @throws EngineError; or the signal's reason when aborted */
  moderate(judged: Judged, limit: Limit): Promise<Verdict>
}

const PASS: Verdict = { isProhibited: false }

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
