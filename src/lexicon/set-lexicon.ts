import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { nextTurn } from '../concurrency/next-turn.ts'
import type { Context } from '../context/context.ts'
import { LANGUAGES } from '../engines/espeak/detect-language.ts'
import { type Detail, invalidRequest } from '../errors/service-error.ts'
import { hasControl } from '../values/printable.ts'
import { findUnstorable } from '../values/storable-json.ts'
import type { AccountLexicon } from './account-lexicon.ts'
import type { LexiconEntry } from './compile-lexicon.ts'
import { FIXED, folded, spelled } from './tokens.ts'

export const MAX_ENTRIES = 10_000
const MAX_GRAPHEME_UNITS = 100
const MAX_ALIAS_UNITS = 200
const TURN_ENTRIES = 500
const PLAIN = /^[!-~]+(?: [!-~]+)*$/
const UNSTORABLE = /\\u(?:0000|d)/
const SPOKEN = /[\p{L}\p{N}\p{S}]/u

/** An empty lexicon keeps its row, because its revision must not restart. SQL, because Prisma walks every value of the JSON. */
const REPLACE = `insert into lexicon (account_id, entries, updated_at) values ($1, $2, $3)
  on conflict (account_id) do update
  set entries = excluded.entries, updated_at = excluded.updated_at, revision = lexicon.revision + 1`

export interface LexiconInput {
  readonly entries: readonly {
    readonly language?: string | null | undefined
    readonly grapheme: string
    readonly alias: string
  }[]
}

/**
 * Replaces the caller's lexicon; jobs claimed from now on use it.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function setLexicon(ctx: Context, input: LexiconInput): Promise<AccountLexicon> {
  requireScope(ctx, LIBRARY_SCOPE)
  const { accountId } = requireAccount(ctx)
  const entries = input.entries.map(({ language, grapheme, alias }) => ({
    ...(language != null && { language }),
    grapheme,
    alias,
  }))
  const json = await checkEntries(entries)
  await ctx.db.pool.query(REPLACE, [accountId, json, ctx.now()])
  return { entries }
}

/** Returns JSON and yields to other requests. */
async function checkEntries(entries: readonly LexiconEntry[]): Promise<string> {
  if (entries.length > MAX_ENTRIES)
    throw invalidRequest(`Send at most ${MAX_ENTRIES} entries.`, [
      { path: '/entries', message: `must NOT have more than ${MAX_ENTRIES} items` },
    ])
  const json = JSON.stringify(entries)
  const unstorable = UNSTORABLE.test(json) ? findUnstorable(entries) : null
  if (unstorable !== null)
    throw invalidRequest(unstorable.error, [
      { path: `/entries/${unstorable.path.join('/')}`, message: unstorable.message },
    ])
  const seen = new Map<string, number>()
  const details: Detail[] = []
  for (const [at, entry] of entries.entries()) {
    if (at % TURN_ENTRIES === 0) await nextTurn()
    const key = keyOf(entry)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, at)
    for (const [field, message] of wrongIn(entry, first)) details.push({ path: `/entries/${at}/${field}`, message })
  }
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
  return json
}

/** '' is an invalid language, unlike an absent one. */
function keyOf({ language, grapheme }: LexiconEntry): string {
  const plain = PLAIN.test(grapheme) ? grapheme : spelled(grapheme.normalize('NFC')).trim().replace(/\s+/g, ' ')
  return language === undefined ? plain : `${plain}\n${language}`
}

function wrongIn({ language, grapheme, alias }: LexiconEntry, first: number | undefined): [string, string][] {
  const wrong: [string, string][] = []
  if (language !== undefined && !LANGUAGES.some((known) => known === language))
    wrong.push(['language', `must be one of ${LANGUAGES.join(', ')}`])
  if (grapheme.length > MAX_GRAPHEME_UNITS)
    wrong.push(['grapheme', `must NOT have more than ${MAX_GRAPHEME_UNITS} characters`])
  else if (grapheme.trim() !== grapheme || folded(grapheme) === '')
    wrong.push(['grapheme', 'must not be empty, nor begin or end with white space'])
  else if (hasControl(grapheme)) wrong.push(['grapheme', 'must not hold control characters'])
  else if (grapheme.includes(FIXED)) wrong.push(['grapheme', 'must not hold U+FFFC'])
  if (alias.length > MAX_ALIAS_UNITS) wrong.push(['alias', `must NOT have more than ${MAX_ALIAS_UNITS} characters`])
  else if (hasControl(alias)) wrong.push(['alias', 'must not hold control characters'])
  else if (!SPOKEN.test(alias)) wrong.push(['alias', 'must hold a letter, a digit or a symbol'])
  if (first !== undefined) wrong.push(['grapheme', `stands twice: as entry ${first}, too`])
  return wrong
}
