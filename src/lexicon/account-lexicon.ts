import { LRUCache } from 'lru-cache'
import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { nextTurn } from '../concurrency/next-turn.ts'
import type { Context } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { LANGUAGES } from '../engines/espeak/detect-language.ts'
import { type Detail, invalidRequest } from '../errors/service-error.ts'
import { findUnstorable } from '../values/json.ts'
import { hasControl } from '../values/printable.ts'
import { compileLexicon, FIXED, folded, type Lexicon, type LexiconEntry, spelled } from './compile-lexicon.ts'

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

const MOST_BYTES = 64 * 1024 ** 2
const EMPTY_BYTES = 1024

export interface AccountLexicon {
  readonly accountId: string
  readonly entries: LexiconEntry[]
}

export interface LexiconInput {
  readonly entries: readonly {
    readonly language?: string | null | undefined
    readonly grapheme: string
    readonly alias: string
  }[]
}

export interface Lexicons {
  /** @param revision the least revision that the caller accepts */
  get(db: Database, accountId: string, revision: number): Promise<Lexicon>
  /** null if the account has no lexicon. */
  current(db: Database, accountId: string): Promise<Lexicon | null>
}

interface Kept {
  readonly lexicon: Lexicon
  readonly revision: number
}

/** The caller's lexicon; empty if there is none. @throws UNAUTHORIZED, FORBIDDEN */
export async function lexicon(ctx: Context): Promise<AccountLexicon> {
  requireScope(ctx, LIBRARY_SCOPE)
  const { accountId } = requireAccount(ctx)
  return { accountId, entries: (await loadLexicon(ctx.db, accountId))?.entries ?? [] }
}

/** null if the account has no lexicon. */
async function loadLexicon(
  db: Database,
  accountId: string,
): Promise<(AccountLexicon & { readonly revision: number }) | null> {
  const row = await db.prisma.lexicon.findUnique({ where: { accountId }, select: { entries: true, revision: true } })
  return row && { accountId, entries: row.entries as LexiconEntry[], revision: row.revision }
}

/** null if the account has no lexicon. */
export async function lexiconRevision(db: Database, accountId: string): Promise<number | null> {
  const row = await db.prisma.lexicon.findUnique({ where: { accountId }, select: { revision: true } })
  return row?.revision ?? null
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
  return { accountId, entries }
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

/** Caches the last used lexicons, one per account, and compiles each once for all waiting callers. */
export function openLexicons(): Lexicons {
  const sizeCalculation = ({ lexicon }: Kept) => lexicon.bytes + EMPTY_BYTES
  const cache = new LRUCache<string, Kept>({ maxSize: MOST_BYTES, sizeCalculation })
  const underWay = new Map<string, Promise<Kept>>()
  const load = async (db: Database, accountId: string): Promise<Kept> => {
    const { entries = [], revision = 0 } = (await loadLexicon(db, accountId)) ?? {}
    const kept = { lexicon: await compileLexicon(entries), revision }
    cache.set(accountId, kept)
    return kept
  }
  const join = (db: Database, accountId: string): Promise<Kept> => {
    const known = underWay.get(accountId)
    if (known !== undefined) return known
    const loading = load(db, accountId).finally(() => underWay.delete(accountId))
    underWay.set(accountId, loading)
    return loading
  }
  const get = async (db: Database, accountId: string, revision: number): Promise<Lexicon> => {
    const kept = cache.get(accountId)
    if (kept !== undefined && kept.revision >= revision) return kept.lexicon
    const joined = await join(db, accountId)
    // The joined load may have started before this revision was written.
    return joined.revision >= revision ? joined.lexicon : (await join(db, accountId)).lexicon
  }
  return {
    get,
    current: async (db, accountId) => {
      const revision = await lexiconRevision(db, accountId)
      return revision === null ? null : get(db, accountId, revision)
    },
  }
}
