import type { QueryResult } from 'pg'
import type { Database } from '../../../src/db/database.ts'

type Statement = string | { readonly text: string }
export type Ask = (statement: Statement, ...values: unknown[]) => Promise<QueryResult<Record<string, string>>>

/** The database, where each statement of its short pool goes through `around`, which may ask more over the same connection. */
export function askedThrough(
  db: Database,
  around: (text: string, ask: Ask, ...given: Parameters<Ask>) => ReturnType<Ask>,
): Database {
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const member = Reflect.get(object, name)
        if (typeof member !== 'function') return member
        if (name === 'connect') return async () => watched(await member.call(object))
        if (name !== 'query') return member.bind(object)
        return (statement: Statement, ...values: unknown[]) =>
          around(typeof statement === 'string' ? statement : statement.text, member.bind(object), statement, ...values)
      },
    })
  return { ...db, pool: watched(db.pool) }
}
