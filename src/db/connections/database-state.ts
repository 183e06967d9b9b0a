import type { Database } from '../database.ts'
import { asksReadOnly } from './read-only.ts'

const ANSWER_TIMEOUT_MS = 2_000
const READ_ONLY = '25006'

/** `read-only`: it refuses writes. `away`: no answer within 2 s, or an error. */
export type DatabaseState = 'ok' | 'read-only' | 'away'

/** Never throws. */
export async function databaseState({ pool }: Pick<Database, 'pool'>): Promise<DatabaseState> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'away'>((resolve) => {
    timer = setTimeout(resolve, ANSWER_TIMEOUT_MS, 'away')
  })
  const answer = asksReadOnly(pool)
    .then((isReadOnly) => (isReadOnly ? 'read-only' : 'ok'))
    .catch(stateOf)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

const stateOf = (error: unknown): DatabaseState =>
  (error as { code?: unknown } | null)?.code === READ_ONLY ? 'read-only' : 'away'
