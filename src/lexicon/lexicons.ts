import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { loadLexicon } from './account-lexicon.ts'
import { compileLexicon, type Lexicon } from './compile-lexicon.ts'

const MOST_BYTES = 64 * 1024 ** 2
const EMPTY_BYTES = 1024

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
      const row = await db.prisma.lexicon.findUnique({ where: { accountId }, select: { revision: true } })
      return row && get(db, accountId, row.revision)
    },
  }
}
