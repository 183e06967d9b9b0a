import type { Database } from '../../../src/db/database.ts'
import { askedThrough } from './asked-through.ts'

/** A database between whose statements something happens, and how often it was asked what. */
export interface SteppedDatabase {
  readonly db: Database
  /** Counts the statements so far. */
  count(text: RegExp): number
}

/**
 * The database, where `then` is done once: after the answer to the first statement of the short pool with this text, and before the next
 * statement of the same caller.
 */
export function afterStatement(db: Database, text: RegExp, then: () => Promise<unknown>): SteppedDatabase {
  const asked: string[] = []
  let isDue = true
  return {
    db: askedThrough(db, async (statement, ask, ...given) => {
      const answer = await ask(...given)
      asked.push(statement)
      if (isDue && text.test(statement)) {
        isDue = false
        await then()
      }
      return answer
    }),
    count: (of) => asked.filter((one) => of.test(one)).length,
  }
}
