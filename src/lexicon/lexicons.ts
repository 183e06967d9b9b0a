import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { loadLexicon } from './account-lexicon.ts'
import { compileLexicon, type Lexicon } from './compile-lexicon.ts'

/** Of all accounts together: the largest lexicon there can be takes a fifth of it. */
const MOST_BYTES = 64 * 1024 ** 2
const EMPTY_BYTES = 1024

/** Lexicons of accounts, ready to be used. */
export interface Lexicons {
  /** @param revision that the caller knows of: an earlier one is read again, a later one holds as well */
  get(db: Database, accountId: string, revision: number): Promise<Lexicon>
  /** The lexicon as it is now; null where the account has none. */
  current(db: Database, accountId: string): Promise<Lexicon | null>
}

interface Kept {
  readonly lexicon: Lexicon
  readonly revision: number
}

/** Keeps those that were used last, one an account, and compiles each once, however many callers wait for it. */
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
    // It may have been read before the revision that is asked for was written: the next one was not.
    return joined.revision >= revision ? joined.lexicon : (await join(db, accountId)).lexicon
  }
  return {
    get,
    current: async (db, accountId) => {
      const row = await db.prisma.lexicon.findUnique({ where: { accountId }, select: { revision: true } })
      return row && get(db, accountId, row.revision)
    },
  }
}
