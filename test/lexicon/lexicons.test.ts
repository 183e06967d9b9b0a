import { expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { openLexicons } from '../../src/lexicon/account-lexicon.ts'
import { compileLexicon, type LexiconEntry } from '../../src/lexicon/compile-lexicon.ts'

/** A database of lexicons alone, which counts how often one is read with its entries. */
function databaseOf(rows: Map<string, { entries: LexiconEntry[]; revision: number }>) {
  const reads: string[] = []
  const findUnique = async ({ where, select }: { where: { accountId: string }; select: { entries?: boolean } }) => {
    if (select.entries) reads.push(where.accountId)
    const row = rows.get(where.accountId)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return row ?? null
  }
  return { db: { prisma: { lexicon: { findUnique } } } as unknown as Database, reads }
}
const saying = (alias: string) => [{ grapheme: 'SQL', alias }]
const FIRST = { entries: saying('sequel'), revision: 1 }

test('a lexicon is read and compiled once for all callers that wait for it, and again for a later revision alone', async () => {
  const rows = new Map([['acct_1', FIRST]])
  const { db, reads } = databaseOf(rows)
  const lexicons = openLexicons()
  const got = await Promise.all(Array.from({ length: 10 }, () => lexicons.get(db, 'acct_1', 1)))
  expect([new Set(got).size, reads.length]).toEqual([1, 1])
  rows.set('acct_1', { entries: saying('squeal'), revision: 2 })
  expect((await lexicons.current(db, 'acct_1'))?.find('SQL', undefined)).toMatchObject([{ alias: 'squeal' }])
  // A job that was claimed before is spoken with what holds now.
  expect((await lexicons.get(db, 'acct_1', 1)).find('SQL', undefined)).toMatchObject([{ alias: 'squeal' }])
  expect(reads.length).toBe(2)
  expect(await lexicons.current(db, 'acct_2')).toBeNull()
})

test('a caller that knows of a later revision than the one that is being read does not get that one', async () => {
  const rows = new Map([['acct_1', FIRST]])
  const { db } = databaseOf(rows)
  const lexicons = openLexicons()
  const early = lexicons.get(db, 'acct_1', 1)
  rows.set('acct_1', { entries: saying('squeal'), revision: 2 })
  const late = await lexicons.get(db, 'acct_1', 2)
  expect((await early).find('SQL', undefined)).toMatchObject([{ alias: 'sequel' }])
  expect(late.find('SQL', undefined)).toMatchObject([{ alias: 'squeal' }])
})

test('lexicons of many accounts are kept within their bytes, the last ones', async () => {
  const entries = Array.from({ length: 500 }, (_, at) => ({
    grapheme: `${at}`.padEnd(100, 'x'),
    alias: 'y'.repeat(200),
  }))
  const accounts = Array.from({ length: 300 }, (_, at) => `acct_${at}`)
  const { db, reads } = databaseOf(new Map(accounts.map((id) => [id, { entries, revision: 1 }])))
  const lexicons = openLexicons()
  for (const id of accounts) await lexicons.get(db, id, 1)
  const before = reads.length
  await lexicons.get(db, accounts.at(-1)!, 1)
  expect(reads.length).toBe(before)
  await lexicons.get(db, accounts[0]!, 1)
  expect(reads.length).toBe(before + 1)
  expect((await compileLexicon(entries)).bytes * accounts.length).toBeGreaterThan(64 * 1024 ** 2)
})
