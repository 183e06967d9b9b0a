import { type AccountHolder, callerOf, type Parts } from '../context.ts'

/** Of these callers, those whose key still exists, with the scopes that it has now. */
export async function standingCallers(
  { db }: Pick<Parts, 'db'>,
  callers: readonly AccountHolder[],
): Promise<Map<string, readonly string[]>> {
  const keys = callers.filter(({ kind }) => kind === 'key').map(callerOf)
  const { rows } = await db.pool.query<{ id: string; scopes: string[] }>({
    name: 'standing_keys',
    text: 'select id, scopes from api_key where id = any($1)',
    values: [keys],
  })
  return new Map(rows.map(({ id, scopes }) => [id, scopes]))
}
