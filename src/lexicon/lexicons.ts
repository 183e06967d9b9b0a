import { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import { loadEntries } from './account-lexicon.ts'
import { compileLexicon, type Lexicon } from './compile-lexicon.ts'

/** Some megabytes each at the most. */
const MOST = 50

/** Lexicons of accounts, ready to be used. */
export interface Lexicons {
  /** @param revision of the lexicon as the caller knows it: another one is read again */
  get(db: Database, accountId: string, revision: string): Promise<Lexicon>
}

/** Keeps those that were used last. */
export function openLexicons(): Lexicons {
  const cache = new LRUCache<string, Lexicon>({ max: MOST })
  return {
    get: async (db, accountId, revision) => {
      const key = `${accountId} ${revision}`
      const known = cache.get(key)
      if (known !== undefined) return known
      const made = compileLexicon(await loadEntries(db, accountId))
      cache.set(key, made)
      return made
    },
  }
}
