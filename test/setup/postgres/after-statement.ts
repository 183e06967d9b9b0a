import type { Database } from '../../../src/db/database.ts'

/** A database between whose statements something happens, and how often it was asked what. */
export interface SteppedDatabase {
  readonly db: Database
  /** Of the statements so far. */
  count(text: RegExp): number
}

/**
 * The database, where `then` is done once: after the answer to the first statement of the short pool with this text, and before the next
 * statement of the same caller.
 */
export function afterStatement(db: Database, text: RegExp, then: () => Promise<unknown>): SteppedDatabase {
  const asked: string[] = []
  let isDue = true
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const member = Reflect.get(object, name)
        if (typeof member !== 'function') return member
        if (name === 'connect') return async () => watched(await member.call(object))
        if (name !== 'query') return member.bind(object)
        return async (statement: string | { readonly text: string }, ...values: unknown[]) => {
          const answer = await member.call(object, statement, ...values)
          asked.push(typeof statement === 'string' ? statement : statement.text)
          if (isDue && text.test(asked.at(-1)!)) {
            isDue = false
            await then()
          }
          return answer
        }
      },
    })
  return {
    db: { ...db, pool: watched(db.pool) },
    count: (of) => asked.filter((one) => of.test(one)).length,
  }
}
