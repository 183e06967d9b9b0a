import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import type { LexiconEntry } from './compile-lexicon.ts'

export interface AccountLexicon {
  readonly entries: readonly LexiconEntry[]
}

/** The caller's lexicon; empty if there is none. @throws UNAUTHORIZED, FORBIDDEN */
export async function lexicon(ctx: Context): Promise<AccountLexicon> {
  requireScope(ctx, LIBRARY_SCOPE)
  return { entries: (await loadLexicon(ctx.db, requireAccount(ctx).accountId))?.entries ?? [] }
}

/** null if the account has no lexicon. */
export async function loadLexicon(
  db: Database,
  accountId: string,
): Promise<(AccountLexicon & { readonly revision: number }) | null> {
  const row = await db.prisma.lexicon.findUnique({ where: { accountId }, select: { entries: true, revision: true } })
  return row && { entries: row.entries as unknown as readonly LexiconEntry[], revision: row.revision }
}
